"""Kill -9 at every step of a turn; the next process goes on from whatever was left.

One server holds a session for each step: its model is silent from there on, or its command runs. All are
killed together, and the next server must make every one of them whole.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.chat import Chat
from tests.support.stage import Stage, alive, assert_paired, environment, family, text_of
from tests.support.waiting import until
from tests.support.wire_client import WireClient
from tests.support.wire_editor import WireEditor
from tools.fake_model import FakeModel, Scenario, Script, Stall, ToolUse, Turn, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIRST_REPLY_EVENTS = 14
"""A text and two calls; the next event tells the end, and the model is not waited for any more."""

LAST_REPLY_EVENTS = 6
"""A text; the next event tells the end."""

STEPS: dict[str, tuple[int, Stall]] = {
    "first request": (0, Stall(before_headers=True)),
    **{
        f"first reply, event {number:02}": (0, Stall(after_events=number))
        for number in range(FIRST_REPLY_EVENTS)
    },
    "last request": (1, Stall(before_headers=True)),
    **{
        f"last reply, event {number:02}": (1, Stall(after_events=number))
        for number in range(LAST_REPLY_EVENTS)
    },
}
"""At which reply of the turn, and where in it, the model falls silent."""

ENDS: dict[str, tuple[int, Stall]] = {
    "first reply, end told": (0, Stall(after_events=FIRST_REPLY_EVENTS)),
    "first reply, whole": (0, Stall(after_events=FIRST_REPLY_EVENTS + 1)),
    "last reply, end told": (1, Stall(after_events=LAST_REPLY_EVENTS)),
}
"""The same for replies that count as whole: the turn goes on, or ends, within a moment."""


def script(number: int, name: str, at: int, stall: Stall) -> Script:
    write = ToolUse("Write", {"file_path": f"{number}.txt", "content": f"{name}\n"})
    run = ToolUse("Bash", {"command": f"echo ran >> {number}.log"})
    first = Turn(["I write.", write, run], faults=[stall] if at == 0 else [])
    last = Turn("All is done.", faults=[stall] if at == 1 else [])
    # What an earlier process had no answer to is asked again only if the user says so.
    turns = [first, *([last] if at == 1 else []), Turn("I go on.", repeat="forever")]
    return Script(when=When(first_user_text=f"<{name}>"), turns=turns)


def lines_of(stage: Stage, session_id: str) -> list[dict[str, Any]]:
    """What its transcript holds; a file that is not there yet and a line half written hold nothing."""
    paths = [*(stage.home / ".pilotfish" / "projects").glob(f"*/{session_id}.jsonl")]
    assert len(paths) <= 1
    written = b"".join(path.read_bytes() for path in paths)
    whole, _, _ = written.rpartition(b"\n")
    return [json.loads(line)["event"] for line in whole.splitlines() if line]


async def start(fake: FakeModel, folder: Path) -> Stage:
    project = folder / "project"
    project.mkdir(exist_ok=True)
    client = await WireClient.start(environment(folder / "home", fake.url), cwd=folder)
    await client.initialize(project)
    return Stage(fake, client, WireEditor(client), folder / "home", project)


def types_of(stage: Stage, session_id: str) -> list[str]:
    return [one["type"] for one in lines_of(stage, session_id)]


async def test_every_step_of_a_turn_survives_kill_9(tmp_path: Path) -> None:
    async with FakeModel(Scenario(scripts=scripts_of(STEPS))) as fake:
        stage = await start(fake, tmp_path)
        chats = await chats_of(STEPS, stage)
        await stage.stalled(len(STEPS))
        await stage.client.settle()
        await kill(stage)
        await check_after_restart(fake, tmp_path, chats, may_have_ended=False)


async def test_the_end_of_a_reply_survives_kill_9(tmp_path: Path) -> None:
    async with FakeModel(Scenario(scripts=scripts_of(ENDS))) as fake:
        stage = await start(fake, tmp_path)
        chats = await chats_of(ENDS, stage)
        for name, chat in chats.items():
            replies = ENDS[name][0] + 1
            await until(
                lambda id=chat.id, count=replies: (
                    types_of(stage, id).count("reply_finished") >= count
                )
            )
        await kill(stage)
        await check_after_restart(fake, tmp_path, chats, may_have_ended=True)


def scripts_of(steps: dict[str, tuple[int, Stall]]) -> list[Script]:
    return [
        script(number, name, at, stall) for number, (name, (at, stall)) in enumerate(steps.items())
    ]


async def chats_of(steps: dict[str, tuple[int, Stall]], stage: Stage) -> dict[str, Chat]:
    """Begin a chat for each step."""
    chats: dict[str, Chat] = {}
    for name in steps:
        chat = chats[name] = await stage.chat(allowedTools=["Write", "Bash"])
        chat.send(f"<{name}>")
    return chats


async def kill(stage: Stage) -> None:
    processes = family(stage.client.process.pid)
    stage.client.process.kill()
    await stage.client.wait_for_exit()
    await until(lambda: not alive(processes))


async def check_after_restart(
    fake: FakeModel, folder: Path, chats: dict[str, Chat], *, may_have_ended: bool
) -> None:
    """Fail unless a new server finds each chat as its transcript tells, and goes on with it."""
    stage = await start(fake, folder)
    try:
        for number, (name, chat) in enumerate(chats.items()):
            has_ended = types_of(stage, chat.id)[-1] == "turn_ended"
            assert may_have_ended or not has_ended, name
            before = len(fake.requests)
            view, _ = await stage.reload(chat.id, "resume")
            snapshot = await view.snapshot()
            assert snapshot["state"] == "idle", name
            assert snapshot["canResume"] is not has_ended, name
            check_files(stage, number, name, lines_of(stage, chat.id))
            assert await view.ask("Go on") == "end_turn", name
            assert len(fake.requests) == before + 1, name
            assert_paired(stage.body())
            assert f"<{name}>" in text_of(stage.body()["messages"][0]), name
            # The end of a turn is told before it is on the disk.
            await until(lambda id=chat.id: types_of(stage, id)[-1] == "turn_ended")
            check_sums((await view.snapshot())["status"], lines_of(stage, chat.id), name)
        assert fake.problems == []
    finally:
        assert await stage.client.stop() == 0
    await asyncio.sleep(0)


def check_files(stage: Stage, number: int, name: str, events: list[dict[str, Any]]) -> None:
    """The files are as the transcript tells; where it tells nothing, nothing was done."""
    calls = {
        one["block"]["id"]: one["block"]["name"]
        for one in events
        if one["type"] == "block_finished" and one["block"]["type"] == "tool_use"
    }
    status = {
        calls[one["tool_use_id"]]: one["status"] for one in events if one["type"] == "tool_finished"
    }
    started = {one["tool"] for one in events if one["type"] == "tool_started"}
    for tool, file, content in (
        ("Write", f"{number}.txt", f"{name}\n"),
        ("Bash", f"{number}.log", "ran\n"),
    ):
        path = stage.project / file
        if status.get(tool) == "completed":
            assert path.read_text(encoding="utf-8") == content, name
        elif tool not in started:
            assert not path.exists(), name


def check_sums(status: dict[str, Any], events: list[dict[str, Any]], name: str) -> None:
    """Tokens and cost are the sums over the replies that ended."""
    replies = [one for one in events if one["type"] == "reply_finished"]
    output = sum(one["usage"]["output_tokens"] for one in replies)
    given = sum(
        one["usage"][key]
        for one in replies
        for key in ("input_tokens", "cache_read_tokens", "cache_write_tokens")
    )
    assert (status["inputTokens"], status["outputTokens"]) == (given, output), name
    costs = [one["cost_usd"] for one in replies if one["cost_usd"] is not None]
    assert status["costUsd"] == pytest.approx(sum(costs)), name
