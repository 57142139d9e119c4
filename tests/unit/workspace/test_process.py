"""The governor: groups, limits, cancel, leftovers, and what happens when we are killed."""

import asyncio
import os
import signal
import sys
import textwrap
from collections.abc import AsyncGenerator
from pathlib import Path

import psutil
import pytest
from pilotfish.core.errors import ProcessError
from pilotfish.ports.processes import ProcessPurpose, ProcessSpec
from pilotfish.util.clock import SystemClock
from pilotfish.workspace import process
from pilotfish.workspace.guard import GroupGuard
from pilotfish.workspace.marks import carriers
from pilotfish.workspace.process import Governor

from tests.support.waiting import WAIT_S, under_way, until

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


@pytest.fixture
async def governor() -> AsyncGenerator[Governor]:
    governor = Governor(SystemClock(), kill_after_s=0.3)
    yield governor
    await governor.close()
    assert governor.list() == ()


def shell(
    script: str,
    cwd: Path,
    *,
    max_output_bytes: int = 1_000_000,
    merge_stderr: bool = True,
    purpose: ProcessPurpose = "shell",
    gone_on_cancel: bool = False,
) -> ProcessSpec:
    return ProcessSpec(
        argv=["bash", "-c", script],
        cwd=cwd,
        purpose=purpose,
        label=script[:20],
        env=ENV,
        max_output_bytes=max_output_bytes,
        merge_stderr=merge_stderr,
        gone_on_cancel=gone_on_cancel,
    )


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def until_gone(*pids: int) -> None:
    await until(lambda: not any(is_running(pid) for pid in pids))


def complete_text(path: Path) -> str:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return text.strip() if text.endswith("\n") else ""


async def until_file(path: Path) -> str:
    await until(lambda: complete_text(path) != "")
    return complete_text(path)


def open_descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


async def test_merged_output_keeps_its_order_and_the_exit_code(
    governor: Governor, tmp_path: Path
) -> None:
    result = await governor.run(
        shell("echo a; echo b >&2; echo c; exit 3", tmp_path), timeout_s=WAIT_S
    )
    assert (result.output, result.exit_code, result.signal) == (b"a\nb\nc\n", 3, None)
    assert result.ended_by == "itself"


async def test_standard_error_can_be_kept_apart(governor: Governor, tmp_path: Path) -> None:
    spec = shell("echo a; echo b >&2", tmp_path, merge_stderr=False)
    result = await governor.run(spec, timeout_s=WAIT_S)
    assert (result.output, result.error_output) == (b"a\n", b"b\n")


async def test_standard_input_is_closed(governor: Governor, tmp_path: Path) -> None:
    result = await governor.run(shell("cat; echo done", tmp_path), timeout_s=WAIT_S)
    assert result.output == b"done\n"


async def test_output_larger_than_a_pipe_arrives_whole(governor: Governor, tmp_path: Path) -> None:
    result = await governor.run(shell("head -c 700000 /dev/zero", tmp_path), timeout_s=WAIT_S)
    assert len(result.output) == 700_000


async def test_callback_gets_what_the_result_holds(governor: Governor, tmp_path: Path) -> None:
    chunks: list[bytes] = []
    spec = ProcessSpec(
        argv=["bash", "-c", "echo one; echo two"],
        cwd=tmp_path,
        purpose="shell",
        label="x",
        env=ENV,
        max_output_bytes=100,
        on_output=chunks.append,
        keep_output=False,
    )
    result = await governor.run(spec, timeout_s=WAIT_S)
    assert b"".join(chunks) == b"one\ntwo\n"
    assert result.output == b""


async def test_too_much_output_ends_the_child_at_the_cap(
    governor: Governor, tmp_path: Path
) -> None:
    result = await governor.run(shell("yes", tmp_path, max_output_bytes=5000), timeout_s=WAIT_S)
    assert result.ended_by == "output_limit"
    assert len(result.output) == 5000


async def test_time_limit_ends_the_whole_group_and_keeps_the_output(
    governor: Governor, tmp_path: Path
) -> None:
    spec = shell("sleep 300 & echo $! > pid; echo partial; wait", tmp_path)
    result = await under_way(
        lambda limit_s: governor.run(spec, timeout_s=limit_s), lambda result: bool(result.output)
    )
    assert (result.ended_by, result.output) == ("timeout", b"partial\n")
    await until_gone(int(await until_file(tmp_path / "pid")))


async def test_child_that_ignores_term_is_killed(governor: Governor, tmp_path: Path) -> None:
    spec = shell("trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done", tmp_path)
    result = await under_way(
        lambda limit_s: governor.run(spec, timeout_s=limit_s), lambda _: (tmp_path / "pid").exists()
    )
    assert result.signal == signal.SIGKILL
    await until_gone(int(await until_file(tmp_path / "pid")))


async def test_cancel_returns_when_a_stubborn_child_is_gone_where_that_is_wanted(
    governor: Governor, tmp_path: Path
) -> None:
    script = "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done"
    spec = shell(script, tmp_path, purpose="hook", gone_on_cancel=True)
    task = asyncio.create_task(governor.run(spec, timeout_s=60))
    pid = int(await until_file(tmp_path / "pid"))
    assert is_running(pid)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not is_running(pid)
    assert governor.list() == ()


async def test_a_second_cancel_waits_for_no_child(tmp_path: Path) -> None:
    governor = Governor(SystemClock(), kill_after_s=60.0)
    script = "trap 'echo > told' TERM; echo $$ > pid; while :; do sleep 0.05; done"
    spec = shell(script, tmp_path, purpose="hook", gone_on_cancel=True)
    task = asyncio.create_task(governor.run(spec, timeout_s=60))
    pid = int(await until_file(tmp_path / "pid"))
    task.cancel()
    await until((tmp_path / "told").exists)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert is_running(pid)
    os.killpg(pid, signal.SIGKILL)
    async with asyncio.timeout(WAIT_S):
        await governor.close()


async def test_cancel_returns_before_a_stubborn_child_is_gone(tmp_path: Path) -> None:
    governor = Governor(SystemClock(), kill_after_s=60.0)
    script = "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done"
    task = asyncio.create_task(governor.run(shell(script, tmp_path), timeout_s=WAIT_S))
    pid = int(await until_file(tmp_path / "pid"))
    task.cancel()
    async with asyncio.timeout(WAIT_S):
        with pytest.raises(asyncio.CancelledError):
            await task
    assert is_running(pid)
    assert [row.pid for row in governor.list()] == [pid]
    os.killpg(pid, signal.SIGKILL)
    async with asyncio.timeout(WAIT_S):
        await governor.close()


async def test_cancelled_child_is_killed_in_the_background(
    governor: Governor, tmp_path: Path
) -> None:
    script = "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done"
    task = asyncio.create_task(governor.run(shell(script, tmp_path), timeout_s=WAIT_S))
    pid = int(await until_file(tmp_path / "pid"))
    task.cancel()
    await asyncio.wait({task})
    await until_gone(pid)


async def test_grandchild_holding_the_pipe_does_not_hold_the_call(
    governor: Governor, tmp_path: Path
) -> None:
    script = "sleep 300 & echo $! > pid; echo started"
    async with asyncio.timeout(WAIT_S):
        result = await governor.run(shell(script, tmp_path), timeout_s=60)
    pid = int(await until_file(tmp_path / "pid"))
    assert (result.output, result.ended_by) == (b"started\n", "itself")
    assert is_running(pid)
    assert [(row.purpose, row.leftover) for row in governor.list()] == [("shell", True)]
    await governor.close()
    await until_gone(pid)


async def test_leftover_of_a_shell_may_go_on_writing(governor: Governor, tmp_path: Path) -> None:
    script = "(while [ ! -e go ]; do sleep 0.02; done; echo x && echo wrote > done) & echo started"
    result = await governor.run(shell(script, tmp_path), timeout_s=WAIT_S)
    assert result.output == b"started\n"
    (tmp_path / "go").touch()
    assert await until_file(tmp_path / "done") == "wrote"


async def test_leftovers_of_other_purposes_are_ended(governor: Governor, tmp_path: Path) -> None:
    script = "sleep 300 & echo $! > pid"
    await governor.run(shell(script, tmp_path, purpose="search"), timeout_s=WAIT_S)
    await until_gone(int(await until_file(tmp_path / "pid")))
    assert governor.list() == ()


STUBBORN = (
    "(trap '' TERM; touch held; while :; do sleep 0.02; done) & until [ -e held ]; do :; done"
)


async def test_what_another_child_leaves_is_no_leftover_while_it_is_ended(
    governor: Governor, tmp_path: Path
) -> None:
    running = asyncio.create_task(
        governor.run(shell(STUBBORN, tmp_path, purpose="search"), timeout_s=WAIT_S)
    )
    await until((tmp_path / "held").exists)

    def is_gone() -> bool:
        rows = governor.list()
        assert [row.leftover for row in rows] == [False] * len(rows)
        return not rows

    await until(is_gone)
    await running


async def test_a_leftover_that_was_told_to_end_is_none(governor: Governor, tmp_path: Path) -> None:
    await governor.run(shell(STUBBORN, tmp_path), timeout_s=WAIT_S)
    [row] = governor.list()
    assert row.leftover
    assert governor.stop(row.pid)
    assert [row.leftover for row in governor.list()] == [False]
    await until(lambda: governor.list() == ())


async def test_table_shows_running_children(governor: Governor, tmp_path: Path) -> None:
    before_ms = SystemClock().now_ms()
    task = asyncio.create_task(
        governor.run(shell("echo $$ > pid; sleep 300", tmp_path), timeout_s=60)
    )
    pid = int(await until_file(tmp_path / "pid"))
    (row,) = governor.list()
    assert (row.pid, row.purpose, row.leftover) == (pid, "shell", False)
    assert before_ms <= row.started_ms <= SystemClock().now_ms()
    task.cancel()
    await asyncio.wait({task})


async def test_close_ends_running_children_and_refuses_new_ones(tmp_path: Path) -> None:
    governor = Governor(SystemClock(), kill_after_s=0.3)
    task = asyncio.create_task(
        governor.run(shell("echo $$ > pid; sleep 300", tmp_path), timeout_s=60)
    )
    pid = int(await until_file(tmp_path / "pid"))
    await governor.close()
    assert not is_running(pid)
    assert (await task).signal == signal.SIGTERM
    with pytest.raises(ProcessError, match="shutting down"):
        await governor.run(shell("true", tmp_path), timeout_s=1)


@pytest.mark.parametrize(
    ("argv", "folder", "message"),
    [(["no-such-program-anywhere"], ".", "No such file"), (["true"], "gone", "does not exist")],
)
async def test_failed_start_says_whether_program_or_folder_is_missing(
    governor: Governor, tmp_path: Path, argv: list[str], folder: str, message: str
) -> None:
    spec = ProcessSpec(
        argv=argv,
        cwd=tmp_path / folder,
        purpose="git",
        label="it",
        env=ENV,
        max_output_bytes=10,
    )
    with pytest.raises(ProcessError, match=message):
        await governor.run(spec, timeout_s=WAIT_S)
    assert governor.list() == ()


async def test_no_zombie_and_no_descriptor_is_left(governor: Governor, tmp_path: Path) -> None:
    await governor.run(shell("true", tmp_path), timeout_s=WAIT_S)
    before = open_descriptors()
    for _ in range(5):
        await governor.run(shell("echo x; false", tmp_path), timeout_s=WAIT_S)
    children = psutil.Process().children()
    assert [c.pid for c in children if c.status() == psutil.STATUS_ZOMBIE] == []
    assert open_descriptors() == before


async def test_children_and_grandchildren_end_when_we_are_killed(tmp_path: Path) -> None:
    server = tmp_path / "server.py"
    server.write_text(
        textwrap.dedent(
            """
            import asyncio, pathlib, sys
            from pilotfish.ports.processes import ProcessSpec
            from pilotfish.util.clock import SystemClock
            from pilotfish.workspace.process import Governor

            async def main():
                here = pathlib.Path(sys.argv[1])
                await Governor(SystemClock()).run(
                    ProcessSpec(
                        argv=["bash", "-c", "sleep 300 & echo $$ $! > pids; wait"],
                        cwd=here, purpose="shell", label="x",
                        env={"PATH": "/usr/bin:/bin"}, max_output_bytes=100),
                    timeout_s=300)

            asyncio.run(main())
            """
        ),
        encoding="utf-8",
    )
    root = Path(__file__).parents[3] / "server"
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(server), str(tmp_path), env={**ENV, "PYTHONPATH": str(root)}
    )
    pids = [int(word) for word in (await until_file(tmp_path / "pids")).split()]
    assert all(is_running(pid) for pid in pids)
    process.kill()
    await process.wait()
    await until_gone(*pids)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="marks are found by /proc")
async def test_child_whose_start_was_never_completed_ends_with_the_guard(tmp_path: Path) -> None:
    guard, other = GroupGuard(), GroupGuard()
    lost, kept = [
        await asyncio.create_subprocess_exec(
            "sleep", "300", env={**ENV, **each.variables(each.next_mark())}, start_new_session=True
        )
        for each in (guard, other)
    ]
    guard.close()
    # Reaped by the loop, not only dead: a loop that closes first leaves its transport open.
    await asyncio.wait_for(lost.wait(), WAIT_S)
    assert is_running(kept.pid)
    other.close()
    await asyncio.wait_for(kept.wait(), WAIT_S)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="marks are found by /proc")
async def test_what_left_a_group_that_had_to_be_killed_is_not_waited_for_as_long_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "ESCAPEE_S", 0.0)
    looks: list[str] = []

    def look(mark: str) -> list[int]:
        looks.append(mark)
        return carriers(mark)

    monkeypatch.setattr(process, "carriers", look)
    governor = Governor(SystemClock(), kill_after_s=2.0)
    script = "trap '' TERM; setsid sleep 300 & echo $! > pid; sleep 301"
    running = asyncio.create_task(governor.run(shell(script, tmp_path), timeout_s=WAIT_S))
    escapee = int(await until_file(tmp_path / "pid"))
    await until(lambda: os.getpgid(escapee) == escapee)
    await governor.close()
    assert (await running).signal == signal.SIGKILL
    await until_gone(escapee)
    assert len(looks) == 1


async def test_guard_that_died_is_replaced(governor: Governor, tmp_path: Path) -> None:
    others = children()
    await governor.run(shell("true", tmp_path), timeout_s=WAIT_S)
    guards = children() - others
    assert len(guards) == 1
    for pid in guards:
        os.kill(pid, signal.SIGKILL)
        psutil.Process(pid).wait(WAIT_S)
    result = await governor.run(shell("echo ok", tmp_path), timeout_s=WAIT_S)
    assert result.output == b"ok\n"
    assert len(children() - guards - others) == 1


def children() -> set[int]:
    """Ids of this process's children, those of earlier tests that still end included."""
    return {child.pid for child in psutil.Process().children()}
