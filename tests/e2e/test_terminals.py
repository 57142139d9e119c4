"""Commands in terminals of the client, driven by the ACP library with real processes behind them."""

import asyncio
import json
import os
import re
import signal
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from acp import schema

from tests.e2e.test_acp import Acp, EditorClient, connect
from tests.support.stage import alive, body_of
from tests.support.waiting import under_way, until
from tools.fake_model import FakeModel, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


@dataclass
class OneTerminal:
    """A terminal of the editor: a process and what it wrote."""

    process: asyncio.subprocess.Process
    reading: "asyncio.Task[None]"
    output: bytearray = field(default_factory=bytearray)


@dataclass
class TerminalEditor(EditorClient):
    """An editor that runs commands itself."""

    terminals: dict[str, OneTerminal] = field(default_factory=dict[str, OneTerminal])
    created: list[Any] = field(default_factory=list[Any])
    released: list[str] = field(default_factory=list[str])
    refuse: bool = False

    async def create_terminal(
        self, session_id: str, command: str, **more: Any
    ) -> schema.CreateTerminalResponse:
        if self.refuse:
            raise RuntimeError("no terminals today")
        self.created.append((session_id, command, more))
        process = await asyncio.create_subprocess_exec(
            command,
            *more["args"],
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=more["cwd"],
            env={each.name: each.value for each in more["env"]},
            start_new_session=True,
        )
        name = f"terminal-{len(self.created)}"
        terminal = OneTerminal(process, asyncio.create_task(self._read(name, process)))
        self.terminals[name] = terminal
        return schema.CreateTerminalResponse(terminal_id=name)

    async def _read(self, name: str, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while chunk := await process.stdout.read(65_536):
            await until(lambda: name in self.terminals)
            self.terminals[name].output += chunk

    async def terminal_output(
        self, session_id: str, terminal_id: str, **_: Any
    ) -> schema.TerminalOutputResponse:
        del session_id
        text = self.terminals[terminal_id].output.decode(errors="replace")
        return schema.TerminalOutputResponse(output=text[-100_000:], truncated=len(text) > 100_000)

    async def wait_for_terminal_exit(
        self, session_id: str, terminal_id: str, **_: Any
    ) -> schema.WaitForTerminalExitResponse:
        del session_id
        terminal = self.terminals[terminal_id]
        code = await terminal.process.wait()
        await terminal.reading
        if code < 0:
            return schema.WaitForTerminalExitResponse(signal=signal.Signals(-code).name)
        return schema.WaitForTerminalExitResponse(exit_code=code)

    async def kill_terminal(self, session_id: str, terminal_id: str, **_: Any) -> None:
        del session_id
        try:
            os.killpg(self.terminals[terminal_id].process.pid, signal.SIGTERM)
        except ProcessLookupError:
            return

    async def release_terminal(self, session_id: str, terminal_id: str, **_: Any) -> None:
        del session_id
        self.released.append(terminal_id)


@pytest_asyncio.fixture(loop_scope="session")
async def editor(tmp_path: Path) -> AsyncGenerator[Acp]:
    settings = tmp_path / "home" / ".pilotfish" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(
        '{"shell": {"terminal": true}, "permissions": {"allow": ["Bash"]}}', encoding="utf-8"
    )
    capabilities = schema.ClientCapabilities(terminal=True)
    async with (
        FakeModel() as fake,
        connect(fake, tmp_path, capabilities, client=TerminalEditor()) as found,
    ):
        yield found


def terminals_of(editor: Acp) -> TerminalEditor:
    client: Any = editor.client
    assert isinstance(client, TerminalEditor)
    return client


def bash(command: str, **more: Any) -> Turn:
    return Turn([ToolUse("Bash", {"command": command, **more}, id="toolu_1")])


def result_of(fake: FakeModel) -> str:
    """Return the text of the last tool result that the model got."""
    messages: list[Any] = body_of(fake)["messages"]
    found = [
        block
        for message in messages
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    content: Any = found[-1]["content"]
    return content if isinstance(content, str) else "".join(str(one["text"]) for one in content)


async def test_a_command_runs_in_sight_and_its_result_is_the_same(
    editor: Acp, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    (project / "sub").mkdir(parents=True)
    editor.fake.play([bash("echo out; echo err >&2; cd sub; exit 3"), "I see.", bash("pwd"), "Ok."])
    session = await editor.new(project)
    assert await editor.prompt(session, "Run it") == "end_turn"
    client = terminals_of(editor)
    [(of_session, command, more)] = client.created
    assert of_session == session
    assert (Path(command).name, more["cwd"]) == ("bash", str(project))
    assert client.released == ["terminal-1"]
    assert result_of(editor.fake) == "out\nerr\n[exit code 3]"
    updates: list[Any] = client.of(session, "tool_call_update")
    parts: list[Any] = []
    for update in updates:
        parts += update.content or []
    assert [part.terminal_id for part in parts if part.type == "terminal"] == ["terminal-1"]

    assert await editor.prompt(session, "Where are we?") == "end_turn"
    assert result_of(editor.fake) == str(project / "sub")


async def test_a_stop_ends_the_command_in_its_terminal(editor: Acp, tmp_path: Path) -> None:
    editor.fake.play([bash("echo begun; sleep 300")])
    session = await editor.new(tmp_path)
    prompt = asyncio.ensure_future(editor.prompt(session, "Run it"))
    client = terminals_of(editor)
    await until(lambda: bool(client.terminals) and bool(client.terminals["terminal-1"].output))
    pid = client.terminals["terminal-1"].process.pid
    await editor.agent.cancel(session_id=session)
    assert await prompt == "cancelled"
    await until(lambda: not alive({pid}))
    await until(lambda: client.released == ["terminal-1"])


async def test_the_time_limit_holds_in_a_terminal(editor: Acp, tmp_path: Path) -> None:
    session = await editor.new(tmp_path)

    async def shown(limit_s: float) -> str:
        limit_ms = int(limit_s * 1000)
        editor.fake.play([bash("echo begun; sleep 300", timeout=limit_ms), "Too slow."])
        assert await editor.prompt(session, "Run it") == "end_turn"
        assert f"[ended after {limit_ms:,} ms, its time limit" in result_of(editor.fake)
        return result_of(editor.fake)

    await under_way(shown, lambda text: text.startswith("begun\n[ended after "))


async def test_the_limit_in_number_holds_in_a_terminal(editor: Acp, tmp_path: Path) -> None:
    settings = {
        "shell": {"terminal": True, "maxProcesses": 20},
        "permissions": {"allow": ["Bash"]},
    }
    file = tmp_path / "home" / ".pilotfish" / "settings.json"
    file.write_text(json.dumps(settings), encoding="utf-8")
    script = "for i in $(seq 30); do sleep 300 & done; echo begun; wait"
    editor.fake.play([bash(script), "Too many."])
    session = await editor.new(tmp_path)
    assert await editor.prompt(session, "Run it") == "end_turn"
    shown = result_of(editor.fake)
    assert re.fullmatch(r"begun\n\[ended: it had \d+ processes; the limit is 20\]", shown)
    pid = terminals_of(editor).terminals["terminal-1"].process.pid
    await until(lambda: not alive({pid}))


async def test_a_client_that_cannot_start_one_is_told_of(editor: Acp, tmp_path: Path) -> None:
    terminals_of(editor).refuse = True
    editor.fake.play([bash("echo out"), "I see."])
    session = await editor.new(tmp_path)
    assert await editor.prompt(session, "Run it") == "end_turn"
    assert "was not started in a terminal" in result_of(editor.fake)


async def test_long_output_comes_whole_though_the_client_forgets_its_beginning(
    editor: Acp, tmp_path: Path
) -> None:
    script = "for i in $(seq 1 40000); do echo line-$i; done; sleep 1.2; echo end"
    editor.fake.play([bash(script), "I see."])
    session = await editor.new(tmp_path)
    assert await editor.prompt(session, "Run it") == "end_turn"
    shown = result_of(editor.fake)
    assert shown.endswith("line-40000\nend")
    assert shown.count("line-40000") == 1
