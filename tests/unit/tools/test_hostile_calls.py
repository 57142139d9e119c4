"""Calls and folders that are made to deceive or to stall."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.tooling.spec import ToolInputError
from pilotfish.tools import read as read_module
from pilotfish.tools.bash import BashTool
from pilotfish.tools.read import ReadArgs, ReadTool
from pilotfish.tools.shell_environment import shell_environment
from pilotfish.tools.shell_tool import ShellArgs

from tests.support.tool_context import ENVIRONMENT, ToolBench, text_of, tool_bench
from tests.support.waiting import WAIT_S


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


@pytest.mark.parametrize(
    "command", ["ls \u202e# gr -mr", "evil\rls", "ls\x1b[8m; evil", "l\u200bs", "ls \U000e0041"]
)
async def test_a_command_that_hides_something_is_refused(bench: ToolBench, command: str) -> None:
    with pytest.raises(ToolInputError, match=r"do not show \(U\+[0-9A-F]+\)"):
        await BashTool(ENVIRONMENT).effects(ShellArgs(command=command), bench.context)


async def test_what_the_refusal_advises_works(bench: ToolBench) -> None:
    result = await bench.call(BashTool(ENVIRONMENT), command="printf %s $'a\\u200bb' | wc -m")
    assert text_of(result).strip() == "3"


@pytest.mark.parametrize(
    "leave", ["mkfifo $f", "ln -s /dev/zero $f", "mkdir $f && touch $f/x", "truncate -s 20G $f"]
)
async def test_a_command_that_spoils_our_side_file_ends_all_the_same(
    bench: ToolBench, leave: str
) -> None:
    command = f"f=$__pilotfish_folder_file; trap - EXIT; {leave}; echo left"
    async with asyncio.timeout(WAIT_S):
        result = await bench.call(BashTool(ENVIRONMENT), command=command)
    assert text_of(result) == "left"
    assert bench.context.cwd == bench.root


def test_commands_get_no_address_with_a_password() -> None:
    given = {"ANTHROPIC_BASE_URL": "http://ann:secret@host/", "ANTHROPIC_MODEL": "m", "A": "b@c"}
    kept = shell_environment(given)
    assert "secret" not in str(kept)
    assert (kept["ANTHROPIC_MODEL"], kept["A"]) == ("m", "b@c")


@pytest.mark.parametrize("name", ["a.png", "a.txt"])
async def test_a_file_that_became_a_pipe_does_not_stall_a_read(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = bench.root / name
    path.write_bytes(b"x" * 100)
    monkeypatch.setattr(read_module, "MAX_LOADED_BYTES", -1)
    tool, args = ReadTool(), ReadArgs(file_path=name)
    await tool.effects(args, bench.context)
    _become_a_pipe(path)
    result = await tool.run(args, bench.call_context())
    assert result.is_error
    assert "not a regular file" in text_of(result)


def _become_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)
