"""Children that stay and are talked to."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import psutil
import pytest
from pilotfish.core.errors import ProcessError
from pilotfish.ports.processes import OpenChild, OpenSpec
from pilotfish.util.clock import SystemClock
from pilotfish.workspace.process import Governor

from tests.support.waiting import WAIT_S, until

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
MEBIBYTE = 1 << 20


@pytest.fixture
async def governor() -> AsyncGenerator[Governor]:
    governor = Governor(SystemClock(), kill_after_s=0.3, look_every_s=0.05)
    yield governor
    await governor.close()
    assert governor.list() == ()


def spec(cwd: Path, *argv: str, max_memory_bytes: int | None = None) -> OpenSpec:
    return OpenSpec(
        argv=argv,
        cwd=cwd,
        purpose="language_server",
        label="echo",
        env=ENV,
        max_memory_bytes=max_memory_bytes,
    )


def bash(script: str, cwd: Path) -> OpenSpec:
    return spec(cwd, "bash", "-c", script)


async def read_until_end(child: OpenChild) -> bytes:
    found = b""
    async with asyncio.timeout(WAIT_S):
        while chunk := await child.read(65_536):
            found += chunk
    return found


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def test_what_is_written_comes_back_and_the_child_stays_in_the_table(
    governor: Governor, tmp_path: Path
) -> None:
    child = await governor.open(bash("exec cat", tmp_path))
    await child.write(b"one\n")
    assert await child.read(100) == b"one\n"
    await child.write(b"two\n")
    assert await child.read(100) == b"two\n"
    (row,) = governor.list()
    assert (row.pid, row.purpose, row.label) == (child.pid, "language_server", "echo")
    assert (child.has_ended, child.how_it_ended) == (False, "")
    await child.stop()
    assert is_gone(child.pid)
    assert governor.list() == ()
    await child.stop()


async def test_more_than_a_pipe_holds_passes_both_ways(governor: Governor, tmp_path: Path) -> None:
    child = await governor.open(bash("exec cat", tmp_path))
    data = b"x" * (3 * MEBIBYTE)
    writing = asyncio.create_task(child.write(data))
    got = 0
    async with asyncio.timeout(WAIT_S):
        while got < len(data):
            got += len(await child.read(65_536))
    await writing
    assert got == len(data)


async def test_a_child_that_ends_by_itself_tells_how_and_keeps_the_end_of_its_errors(
    governor: Governor, tmp_path: Path
) -> None:
    script = "for i in $(seq 5000); do echo line $i >&2; done; echo last >&2; exit 7"
    child = await governor.open(bash(script, tmp_path))
    assert await read_until_end(child) == b""
    async with asyncio.timeout(WAIT_S):
        await child.wait()
    await until(lambda: child.error_tail.endswith("last"))
    assert child.how_it_ended == "exit code 7"
    assert child.error_tail.startswith("line ")
    assert len(child.error_tail) <= 8192
    with pytest.raises(ProcessError):
        await child.write(b"x")
    await child.stop()
    assert governor.list() == ()


async def test_a_stubborn_child_and_its_own_children_are_killed(
    governor: Governor, tmp_path: Path
) -> None:
    script = "trap '' TERM; sleep 300 & echo $!; while :; do sleep 0.05; done"
    child = await governor.open(bash(script, tmp_path))
    grandchild = int(await child.read(100))
    await child.stop()
    assert is_gone(child.pid)
    assert is_gone(grandchild)
    assert child.how_it_ended == "signal 9"


async def test_too_much_memory_ends_the_child_and_is_named(
    governor: Governor, tmp_path: Path
) -> None:
    script = "import time; kept = bytearray(200 << 20); print('up', flush=True); time.sleep(300)"
    child = await governor.open(
        spec(tmp_path, sys.executable, "-c", script, max_memory_bytes=100 * MEBIBYTE)
    )
    await read_until_end(child)
    await until(lambda: child.has_ended)
    assert "the limit is 100 MiB" in child.how_it_ended


async def test_closing_the_governor_ends_open_children(tmp_path: Path) -> None:
    governor = Governor(SystemClock(), kill_after_s=0.3)
    child = await governor.open(bash("exec cat", tmp_path))
    await governor.close()
    assert is_gone(child.pid)
    with pytest.raises(ProcessError):
        await governor.open(bash("exec cat", tmp_path))


async def test_a_program_that_is_not_there_says_so(governor: Governor, tmp_path: Path) -> None:
    with pytest.raises(ProcessError, match="was not started"):
        await governor.open(spec(tmp_path, "/no/such/program"))
    assert governor.list() == ()
