"""``pilotfish sessions`` and ``pilotfish doctor``: what was, and what is needed."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from tests.support.command_line import Finished, pilotfish
from tests.support.stage import environment
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def run(tmp_path: Path, *arguments: str) -> Finished:
    return await pilotfish(*arguments, env=environment(tmp_path / "home"), cwd=tmp_path)


async def test_a_past_session_can_be_listed_shown_and_exported(tmp_path: Path) -> None:
    assert (await run(tmp_path, "run", "Say hello")).code == 0
    listed = await run(tmp_path, "sessions", "list")
    [line] = listed.stdout.splitlines()
    session_id = line.split()[0]
    assert line.endswith("Say hello")

    shown = await run(tmp_path, "sessions", "show", session_id)
    assert "> Say hello" in shown.stdout
    assert "built-in demo" in shown.stdout

    exported = await run(tmp_path, "sessions", "export", session_id)
    kinds = [one["event"]["type"] for one in exported.lines]
    assert kinds[0] == "session_created"
    assert kinds[-1] == "turn_ended"


@pytest.mark.parametrize("command", ["show", "export"])
async def test_an_unknown_session_is_named(tmp_path: Path, command: str) -> None:
    ended = await run(tmp_path, "sessions", command, "0a1b2c3d-0000")
    assert ended.code == 1
    assert "0a1b2c3d-0000" in ended.stderr


async def test_doctor_finds_nothing_wrong_and_then_what_is(tmp_path: Path) -> None:
    healthy = await run(tmp_path, "doctor", "--json")
    assert healthy.code == 0, healthy.stdout
    report = json.loads(healthy.stdout)
    assert report["problems"] == []
    assert "built-in demo" in report["checks"]["model"]

    settings = tmp_path / ".pilotfish" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  "permissions": {"alow": []},\n}', encoding="utf-8")
    ended = await run(tmp_path, "doctor")
    assert ended.code == 1
    assert f"{settings}:" in ended.stdout


async def test_a_reader_that_leaves_ends_the_run(tmp_path: Path) -> None:
    """``pilotfish run … 2>&1 | head -1`` must not hang."""
    read_end, write_end = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pilotfish", "run", "Say hello", "--output-format", "stream-json"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=write_end,
        stderr=write_end,
        env=environment(tmp_path / "home"),
        cwd=tmp_path,
    )
    os.close(write_end)
    assert await asyncio.to_thread(os.read, read_end, 1)
    os.close(read_end)
    assert await asyncio.wait_for(process.wait(), WAIT_S) != 0


async def test_broken_settings_are_shown_before_the_run(tmp_path: Path) -> None:
    settings = tmp_path / ".pilotfish" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"permissions": {"deny": ["Read(.env)"],}}', encoding="utf-8")
    ended = await run(tmp_path, "run", "Say hello")
    assert f"Warning: {settings}" in ended.stderr
