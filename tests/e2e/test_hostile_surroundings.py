"""The server in surroundings that are broken or set up against it."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from tests.support.chat import Chat
from tests.support.command_line import pilotfish
from tests.support.stage import environment
from tests.support.wire_client import WAIT_S, WireClient
from tools.fake_model import FakeModel

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_without_a_home_folder_the_server_says_so_and_ends(tmp_path: Path) -> None:
    surroundings = environment(tmp_path / "home")
    del surroundings["HOME"], surroundings["PILOTFISH_HOME"]
    client = await WireClient.start(surroundings, cwd=tmp_path)
    client.send_request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert await client.wait_for_exit() == 1
    assert client.stderr == [
        "Pilotfish cannot start. The home folder is not known. "
        "Set HOME (or USERPROFILE) to an absolute path."
    ]


@pytest.mark.parametrize("command", [("doctor",), ("run", "Hi")], ids=lambda one: one[0])
async def test_settings_of_a_project_do_nothing_to_the_terminal(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    folder = tmp_path / ".pilotfish"
    folder.mkdir()
    hostile = {"\x1b]0;owned\x07": 1, "permissions": {"allow": ["B\x9b("]}}
    (folder / "settings.json").write_text(json.dumps(hostile), encoding="utf-8")
    ended = await pilotfish(*command, env=environment(tmp_path / "home"), cwd=tmp_path)
    assert not {"\x1b", "\x07", "\x9b"} & set(ended.stdout + ended.stderr)
    assert "\\x1b]0;owned\\x07 is not a setting" in ended.stdout + ended.stderr


async def test_what_is_kept_is_closed_to_other_users(tmp_path: Path) -> None:
    async with FakeModel(["Hello."]) as fake:
        client = await WireClient.start(environment(tmp_path / "home", fake.url), cwd=tmp_path)
        await client.initialize(tmp_path)
        answer = await client.request("session/new", {"cwd": str(tmp_path), "mcpServers": []})
        assert await Chat(client, answer["sessionId"], tmp_path).ask("Hi") == "end_turn"
        assert await client.stop() == 0
    state = tmp_path / "home/.pilotfish"
    assert state.stat().st_mode & 0o077 == 0
    assert list(state.rglob("*.jsonl"))


async def test_a_message_nested_without_end_ends_no_connection(tmp_path: Path) -> None:
    client = await WireClient.start(environment(tmp_path / "home"), cwd=tmp_path)
    await client.initialize(tmp_path)
    head = b'{"jsonrpc":"2.0","id":7,"method":"session/new","params":'
    client.send_bytes(head + b"[" * 300_000 + b"]" * 300_000 + b"}")
    client.send_bytes(head + b'{"a":' * 300_000 + b"1" + b"}" * 300_000 + b"}")
    await client.settle()
    assert await client.stop() == 0


async def test_a_line_nested_without_end_ends_no_acp_connection(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pilotfish", "acp"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=environment(tmp_path / "home"),
        cwd=tmp_path,
    )
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}
    lines = b"[" * 300_000 + b"\n" + json.dumps(hello).encode() + b"\n"
    output, _ = await asyncio.wait_for(process.communicate(lines), WAIT_S)
    refused, answered = [json.loads(line) for line in output.splitlines()]
    assert refused["error"]["code"] == -32700
    assert answered["id"] == 1
    assert process.returncode == 0


async def test_a_pipe_in_place_of_a_settings_file_holds_up_nobody(tmp_path: Path) -> None:
    client = await WireClient.start(environment(tmp_path / "home"), cwd=tmp_path)
    await client.initialize(tmp_path)
    folder = tmp_path / "project/.pilotfish"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "settings.json")
    await client.request("session/new", {"cwd": str(folder.parent), "mcpServers": []})
    told = await client.wait_for("window/showMessage")
    assert "not a regular file" in told["message"]
    assert await client.stop() == 0
