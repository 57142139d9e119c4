"""The governor on Windows and macOS, as far as that can be told on Linux.

Not run here: Windows and macOS. What is decided for them is tested with the system's calls in memory,
what is portable with the real ones of Linux; the calls of Windows themselves are not tested at all.
"""

import asyncio
import fcntl
import os
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from pilotfish.ports.processes import MAX_STDIN_BYTES, ProcessSpec
from pilotfish.workspace.guard import GroupGuard
from pilotfish.workspace.marks import MARK_NAME, from_system
from pilotfish.workspace.output_pipe import PolledPipe
from pilotfish.workspace.posix_group import PosixGroup
from pilotfish.workspace.process_group import group_kind
from pilotfish.workspace.process_tree import end_tree
from pilotfish.workspace.resource_watch import usage_of
from pilotfish.workspace.start_child import input_of
from pilotfish.workspace.windows_group import put_into_job

from tests.support.waiting import WAIT_S, until

JOB = 77


class JobsInMemory:
    """Does what Windows does, and writes down what was asked of it."""

    def __init__(self, *, refuses: str = "") -> None:
        self.asked: list[str] = []
        self.members: set[int] = set()
        self.refuses = refuses

    def create(self) -> int:
        self._note("create")
        return JOB

    def assign(self, job: int, pid: int) -> None:
        assert job == JOB
        self._note("assign")
        self.members.add(pid)

    def count(self, job: int) -> int:
        assert job == JOB
        self._note("count")
        return len(self.members)

    def terminate(self, job: int) -> None:
        assert job == JOB
        self._note("terminate")
        self.members.clear()

    def close(self, job: int) -> None:
        assert job == JOB
        self._note("close")

    def resume(self, pid: int) -> None:
        self._note("resume")

    def _note(self, what: str) -> None:
        self.asked.append(what)
        if what == self.refuses:
            raise OSError(5, "Access is denied")


@contextmanager
def sleeper(*argv: str, **variables: str) -> Generator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        argv or ("sleep", "1000"), env={**os.environ, **variables}, start_new_session=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


# --- Windows: jobs ---


def test_a_child_runs_only_once_it_is_in_its_job() -> None:
    jobs = JobsInMemory()
    put_into_job(4711, jobs, jobs.resume)
    assert jobs.asked == ["create", "assign", "resume"]
    assert group_kind("win32").options["creationflags"] & 0x4  # started suspended


@pytest.mark.parametrize("refuses", ["assign", "resume"])
def test_a_child_that_cannot_be_held_is_ended(refuses: str) -> None:
    jobs = JobsInMemory(refuses=refuses)
    with sleeper() as process:
        with pytest.raises(OSError, match="Access is denied"):
            put_into_job(process.pid, jobs, jobs.resume)
        assert process.wait(WAIT_S) != 0
    assert jobs.asked[-1] == "close"


def test_a_job_lives_while_any_process_of_it_does() -> None:
    jobs = JobsInMemory()
    group = put_into_job(1, jobs, jobs.resume)
    jobs.members = {1, 2}
    assert group.lives(leader_ended=False)
    jobs.members = {2}
    assert group.lives(leader_ended=True)
    jobs.members = set()
    assert not group.lives(leader_ended=True)


def test_a_job_that_cannot_be_counted_lives_as_long_as_the_child_itself() -> None:
    jobs = JobsInMemory(refuses="count")
    group = put_into_job(1, jobs, jobs.resume)
    assert group.lives(leader_ended=False)
    assert not group.lives(leader_ended=True)


def test_ending_a_job_ends_it_whole_and_closing_lets_go_of_it_once() -> None:
    jobs = JobsInMemory()
    group = put_into_job(1, jobs, jobs.resume)
    group.end(by_force=False)
    assert jobs.members == set()
    group.close()
    group.close()
    group.end(by_force=True)
    assert not group.lives(leader_ended=False)
    assert jobs.asked == ["create", "assign", "resume", "terminate", "close"]


def test_a_job_that_cannot_be_ended_is_no_fault_of_the_caller(
    caplog: pytest.LogCaptureFixture,
) -> None:
    jobs = JobsInMemory(refuses="terminate")
    put_into_job(1, jobs, jobs.resume).end(by_force=True)
    assert "a job could not be ended" in caplog.text


# --- Windows: pipes that the event loop cannot watch ---


def waiting(descriptor: int) -> int:
    """Do what the call of Windows does, on Linux: count what waits, complain at the end."""
    answer = fcntl.ioctl(descriptor, termios.FIONREAD, b"\0\0\0\0")
    (count,) = struct.unpack("i", answer)
    if count == 0 and not Path(f"/dev/fd/{descriptor}").exists():
        raise BrokenPipeError
    return count


class Taken:
    def __init__(self) -> None:
        self.data = bytearray()
        self.ended = asyncio.Event()

    def take(self, chunk: bytes, *, is_error: bool) -> None:
        assert not is_error
        self.data += chunk


async def test_a_polled_pipe_takes_all_in_order_and_what_is_left_at_the_end() -> None:
    taken = Taken()
    pipe = PolledPipe(taken, waiting, is_error=False)
    process = await asyncio.create_subprocess_exec("seq", "1", "200000", stdout=pipe.write_fd)
    pipe.close_write_end()
    assert await process.wait() == 0
    pipe.drain()
    expected = "".join(f"{number}\n" for number in range(1, 200_001)).encode()
    assert bytes(taken.data) == expected
    pipe.close()
    assert not pipe.is_open


async def test_a_polled_pipe_closes_at_its_end_and_stops_looking() -> None:
    looks: list[int] = []

    def ends(descriptor: int) -> int:
        looks.append(descriptor)
        raise BrokenPipeError

    pipe = PolledPipe(Taken(), ends, is_error=False)
    await until(lambda: not pipe.is_open)
    assert len(looks) == 1


@pytest.mark.parametrize("platform", ["win32", "linux"])
@pytest.mark.parametrize("size", [1, 5_000, MAX_STDIN_BYTES])
def test_input_is_there_at_once_and_ends(tmp_path: Path, platform: str, size: int) -> None:
    spec = ProcessSpec(
        argv=["cat"],
        cwd=tmp_path,
        purpose="hook",
        label="cat",
        env={},
        max_output_bytes=1,
        stdin=b"x" * size,
    )
    descriptor = input_of(spec, platform)
    done = subprocess.run(
        ["cat"], stdin=descriptor, capture_output=True, check=True, timeout=WAIT_S
    )
    os.close(descriptor)
    assert done.stdout == spec.stdin


# --- macOS, and Windows without a job ---


def test_macos_has_sessions_and_groups_like_linux() -> None:
    kind = group_kind("darwin")
    assert kind.options == {"start_new_session": True}
    assert kind.hold is PosixGroup


def _descendants(pid: int, count: int) -> list[psutil.Process]:
    """Return what a process has started, once the system lists that many: nothing announces it."""
    deadline = time.monotonic() + WAIT_S
    while len(found := psutil.Process(pid).children(recursive=True)) < count:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return found


def test_a_tree_ends_with_all_its_branches() -> None:
    # The inner shell is the last to start something: everybody is there once it speaks.
    script = "sleep 1000 & (sleep 1000 & echo ready; wait) & wait"
    with subprocess.Popen(["bash", "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        members = _descendants(process.pid, 3)
        assert end_tree(process.pid, by_force=True) == len(members) + 1
        process.wait(WAIT_S)
        psutil.wait_procs(members, timeout=WAIT_S)
    assert not any(one.is_running() and one.status() != "zombie" for one in members)
    assert end_tree(process.pid, by_force=True) == 0


def test_marks_are_found_by_the_systems_calls_alone() -> None:
    with sleeper(**{MARK_NAME: "some-mark-1."}) as process:
        needle = f"{MARK_NAME}=some-mark-1.".encode()
        assert [pid for pid, text in from_system() if needle in text] == [process.pid]


async def test_without_proc_the_guard_finds_by_ps_what_left_its_group(tmp_path: Path) -> None:
    guard = GroupGuard(processes=str(tmp_path / "no-proc"))
    with sleeper(**guard.variables(guard.next_mark())) as process:
        await asyncio.to_thread(guard.close)
        assert await asyncio.to_thread(process.wait, WAIT_S) == -15


def test_without_sessions_what_a_child_takes_is_told_by_its_descendants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "getsid")
    with subprocess.Popen(
        ["bash", "-c", "sleep 1000 & sleep 1000 & echo ready; wait"], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        _descendants(process.pid, 2)
        usage = usage_of([process.pid])[process.pid]
        end_tree(process.pid, by_force=True)
    assert usage.processes == 3
    assert usage.memory_bytes > 0


@pytest.mark.parametrize("module", ["windows_group", "windows_jobs", "output_pipe", "guard"])
def test_what_windows_needs_is_imported_without_windows(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import pilotfish.workspace.{module}"], check=False
    )
    assert done.returncode == 0
