"""Public reports about language servers in agent sessions, each as it happened to somebody."""

import json
import signal
from pathlib import Path

import pytest

from tests.support.agent_scripts import agent, cast
from tests.support.servers import FakeScript
from tests.support.stage import Stage, alive, all_text, environment, family, text_of
from tests.support.waiting import until
from tests.support.wire_client import WireClient
from tests.support.wire_editor import WireEditor
from tools.fake_model import FakeModel, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

WAITS = {"preflightWaitMs": 60_000, "diagnosticsWaitMs": 30_000}
"""Long: what is told must not depend on how busy the machine is."""


def configured(folder: Path) -> FakeScript:
    """Have a scripted server judge files of one kind, as the user's settings say."""
    script = FakeScript(folder / "script")
    server = {"command": [*script.definition.argv], "languages": {"fk": "fake"}}
    settings = folder / "home" / ".pilotfish" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"codeIntelligence": {**WAITS, "servers": {"fake": server}}}))
    return script


async def servers(stage: Stage) -> set[int]:
    return {one["pid"] for one in await stage.children() if one["purpose"] == "language_server"}


def edit(name: str, old: str, new: str) -> ToolUse:
    return ToolUse("Edit", {"file_path": name, "old_string": old, "new_string": new})


def read(name: str) -> ToolUse:
    return ToolUse("Read", {"file_path": name})


async def test_al38_agents_and_sessions_share_one_server_which_ends_as_it_should(
    tmp_path: Path,
) -> None:
    script = configured(tmp_path)
    async with Stage.open(tmp_path) as stage:
        names = ("scout", "diver", "pilot")
        for name in names:
            stage.write(f"{name}.fk", "fine\n")
        work = {
            name: [Turn([read(f"{name}.fk")]), Turn([edit(f"{name}.fk", "fine", "good")]), "Done."]
            for name in names
        }
        calls = [agent(f"{name}: edit", call=f"toolu_{name}") for name in names]
        stage.play(cast([Turn(calls), "All are back."], **work))
        chat = await stage.chat(permissionMode="acceptEdits")
        assert await chat.ask("Go") == "end_turn"
        assert [(stage.project / f"{name}.fk").read_text() for name in names] == ["good\n"] * 3
        assert len(await servers(stage)) == 1
        await stage.client.request("session/close", {"sessionId": chat.id})
        stage.play([Turn([read("scout.fk")]), Turn([edit("scout.fk", "good", "fine")]), "Done."])
        again = await stage.chat(permissionMode="acceptEdits")
        assert await again.ask("Go") == "end_turn"
        [pid] = await servers(stage)
        assert len(script.heard("initialize")) == 1
    # The server has left, as an editor ends it.
    assert not alive({pid})
    assert [name for name, _ in script.messages()][-2:] == ["shutdown", "exit"]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
async def test_al38_no_server_is_left_when_the_backend_is_killed(
    tmp_path: Path, how: signal.Signals
) -> None:
    configured(tmp_path)
    project = tmp_path / "project"
    project.mkdir()
    async with FakeModel() as fake:
        client = await WireClient.start(environment(tmp_path / "home", fake.url), cwd=tmp_path)
        await client.initialize(project)
        stage = Stage(fake, client, WireEditor(client), tmp_path / "home", project)
        stage.write("a.fk", "fine\n")
        stage.play([Turn([read("a.fk")]), Turn([edit("a.fk", "fine", "good")]), "Done."])
        chat = await stage.chat(permissionMode="acceptEdits")
        assert await chat.ask("Go") == "end_turn"
        left = await servers(stage)
        assert len(left) == 1
        processes = family(client.process.pid)
        assert left <= processes
        client.process.send_signal(how)
        await client.wait_for_exit()
        await until(lambda: not alive(processes))


async def test_al40_a_list_of_an_older_version_is_never_told(tmp_path: Path) -> None:
    script = configured(tmp_path)
    async with Stage.open(tmp_path) as stage:
        script.set(stale=True)
        stage.write("a.fk", "fine\nERR(old)\n")
        stage.play(
            [
                Turn([read("a.fk")]),
                Turn([edit("a.fk", "fine", "ERR(new)")]),
                Turn([edit("a.fk", "ERR(new)", "fine")]),
                "Done.",
            ]
        )
        chat = await stage.chat(permissionMode="acceptEdits")
        assert await chat.ask("Go") == "end_turn"
        first = all_text(stage.body(2))
        assert "a.fk:1:1: error: new [fake E1]" in first
        assert "error: old" not in first
        assert "a lie" not in all_text(stage.body())
        last = text_of(stage.said()[-1])
        assert "no diagnostics are new (fresh, from fake)" in last
        assert "(1 earlier diagnostics are gone.)" in last
