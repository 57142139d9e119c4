"""What the editor's report says of the language servers that Pilotfish runs."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.agent_scripts import agent, cast
from tests.support.chat import Chat
from tests.support.stage import Stage, all_text, path_with_own_programs
from tests.support.waiting import until_answer
from tests.support.wire_client import Json
from tools.fake_model import Stall, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

READ = Turn([ToolUse("Read", {"file_path": "lib.py"}), ToolUse("Read", {"file_path": "lib.js"})])


@pytest_asyncio.fixture(loop_scope="session")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho no licence >&2\nexit 3\n")
    broken.chmod(0o755)
    entry = {"command": [str(broken)], "languages": {"js": "javascript"}}
    servers = {"typescript-language-server": False, "ruff": False, "mine": entry}
    settings = tmp_path / "home" / ".pilotfish" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"codeIntelligence": {"servers": servers}}))
    variables = {"PATH": path_with_own_programs()}
    async with Stage.open(tmp_path, variables=variables) as stage:
        stage.write("lib.py", "x: int = 0\n")
        stage.write("lib.js", "let x = 0;\n")
        yield stage


async def rows(stage: Stage) -> list[Json]:
    answer = await stage.client.request("_pilotfish/doctor", {"cwd": str(stage.project)})
    return [one for one in answer["checks"] if one["name"] == "server"]


async def test_the_report_says_which_servers_run_and_why_one_does_not(stage: Stage) -> None:
    root = stage.project.resolve()
    stage.play([READ, "Read."])
    chat = await stage.chat()
    assert not any(" runs for " in one["value"] for one in await rows(stage))
    assert await chat.ask("Read them") == "end_turn"
    assert "let x" in all_text(stage.body())

    async def is_told() -> bool:
        found = await rows(stage)
        runs = any(
            one["value"].startswith("ty ")
            and f" runs for {root}; documents open: 1" in one["value"]
            for one in found
        )
        fails = any(
            one["value"] == f"mine does not run for {root}" and "no licence" in one["problem"]
            for one in found
        )
        return runs and fails

    await until_answer(is_told)


async def clear(_: Stage, chat: Chat) -> None:
    await chat.ask("/clear")


async def rewind(stage: Stage, chat: Chat) -> None:
    here = {"sessionId": chat.id}
    found = await stage.client.request("_pilotfish/edits/checkpoints", here)
    back = {**here, "turnId": found["turns"][0]["turnId"], "what": "conversation"}
    await stage.client.request("_pilotfish/edits/rewind", back)


async def close(stage: Stage, chat: Chat) -> None:
    await stage.client.request("session/close", {"sessionId": chat.id})


async def delete(stage: Stage, chat: Chat) -> None:
    await stage.client.request("session/delete", {"sessionId": chat.id})


@pytest.mark.parametrize("end", [clear, rewind, close, delete])
async def test_what_a_conversation_had_opened_is_closed_when_it_is_forgotten(
    stage: Stage, end: Callable[[Stage, Chat], Awaitable[None]]
) -> None:
    more = Turn([ToolUse("Read", {"file_path": "more.py"})])
    stage.write("more.py", "y: int = 0\n")
    stage.play([READ, "Read.", more, "Read.", READ, "Read."])
    one, other = await stage.chat(), await stage.chat()
    assert await one.ask("Read them") == "end_turn"
    await until_answer(lambda: has_open(stage, 1))
    assert await other.ask("Read more") == "end_turn"
    await until_answer(lambda: has_open(stage, 2))
    await end(stage, one)
    await until_answer(lambda: has_open(stage, 1))
    assert await other.ask("Read them, too") == "end_turn"
    await until_answer(lambda: has_open(stage, 2))


async def test_what_an_agent_had_opened_is_closed_when_it_has_ended(stage: Stage) -> None:
    held = Turn("Read.", faults=[Stall(before_headers=True, gate="ada")])
    stage.play(cast([Turn([agent("ada: read them")]), "Done."], ada=[READ, held]))
    chat = await stage.chat()
    prompt = chat.send("Let them be read")
    await until_answer(lambda: has_open(stage, 1))
    stage.fake.release("ada")
    assert await prompt.stop_reason() == "end_turn"
    await until_answer(lambda: has_open(stage, 0))


async def has_open(stage: Stage, documents: int) -> bool:
    wanted = f" runs for {stage.project.resolve()}; documents open: {documents}"
    return any(
        one["value"].startswith("ty ") and f"{wanted};" in f"{one['value']};"
        for one in await rows(stage)
    )
