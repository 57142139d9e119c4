"""Programs that try to outlive their command: sessions of their own, double forks, ignored signals."""

import asyncio
import json
import os
import re
import signal
import sys
import textwrap
from collections.abc import AsyncGenerator
from pathlib import Path

import psutil
import pytest
from pilotfish.ports.processes import ProcessSpec, ResourceLimits
from pilotfish.util.clock import SystemClock
from pilotfish.workspace.process import Governor
from pilotfish.workspace.process_ledger import ProcessLedger, read_ledgers, sweep_orphans

from tests.support.waiting import WAIT_S, until

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}

SERVER = Path(__file__).parents[3] / "server"

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="marks are found by /proc")

ESCAPES = {
    "setsid": "setsid sh -c 'echo $$ > pid; exec sleep 300' &",
    "nohup": "nohup sh -c 'echo $$ > pid; exec sleep 300' >/dev/null 2>&1 &",
    "double fork": "( ( echo $BASHPID > pid; exec sleep 300 ) & ) &",
    "double fork in a session of its own": (
        "( setsid bash -c '( echo $BASHPID > pid; exec sleep 300 ) &' & ) &"
    ),
    "deaf to TERM": "setsid bash -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 300; done' &",
}


@pytest.fixture
async def governor() -> AsyncGenerator[Governor]:
    governor = Governor(SystemClock(), kill_after_s=0.3, look_every_s=0.05)
    yield governor
    await governor.close()


def shell(script: str, cwd: Path, limits: ResourceLimits | None = None) -> ProcessSpec:
    return ProcessSpec(
        argv=["bash", "-c", script],
        cwd=cwd,
        purpose="shell",
        label=script[:20],
        env=ENV,
        max_output_bytes=1_000_000,
        limits=limits or ResourceLimits(),
    )


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def pid_in(folder: Path) -> int:
    file = folder / "pid"
    await until(lambda: file.exists() and file.read_text(encoding="utf-8").strip() != "")
    return int(file.read_text(encoding="utf-8"))


@linux_only
@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES.keys())
async def test_nothing_outlives_a_cancelled_command(
    governor: Governor, tmp_path: Path, escape: str
) -> None:
    task = asyncio.create_task(
        governor.run(shell(f"{escape} sleep 300", tmp_path), timeout_s=WAIT_S)
    )
    pid = await pid_in(tmp_path)
    task.cancel()
    await asyncio.wait({task})
    await until(lambda: not is_running(pid))


@linux_only
@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES.keys())
async def test_what_a_command_leaves_running_ends_with_the_governor(
    tmp_path: Path, escape: str
) -> None:
    governor = Governor(SystemClock(), kill_after_s=0.3)
    result = await governor.run(shell(f"{escape} exit 0", tmp_path), timeout_s=WAIT_S)
    assert result.exit_code == 0
    pid = await pid_in(tmp_path)
    assert is_running(pid)
    await governor.close()
    await until(lambda: not is_running(pid))


async def test_ending_one_command_leaves_the_others_alone(
    governor: Governor, tmp_path: Path
) -> None:
    tasks: list[asyncio.Task[object]] = []
    pids: list[int] = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        run = governor.run(shell(f"{ESCAPES['setsid']} sleep 300", folder), timeout_s=WAIT_S)
        tasks.append(asyncio.create_task(run))
        pids.append(await pid_in(folder))
    tasks[0].cancel()
    await until(lambda: not is_running(pids[0]))
    assert is_running(pids[1])
    assert len(governor.list()) == 1


async def test_a_thousand_children_end_together(governor: Governor, tmp_path: Path) -> None:
    script = "for i in $(seq 1000); do sleep 300 & done; touch all; wait"
    task = asyncio.create_task(governor.run(shell(script, tmp_path), timeout_s=WAIT_S))
    await until((tmp_path / "all").exists)
    [row] = governor.list()
    family = psutil.Process(row.pid).children(recursive=True)
    assert len(family) >= 1000
    task.cancel()
    await asyncio.wait({task})
    await until(lambda: not any(is_running(each.pid) for each in family))


async def test_too_many_processes_end_a_command(governor: Governor, tmp_path: Path) -> None:
    script = "for i in $(seq 60); do sleep 300 & done; wait"
    spec = shell(script, tmp_path, ResourceLimits(processes=40))
    result = await governor.run(spec, timeout_s=WAIT_S)
    assert result.ended_by == "resource_limit"
    # A look may come while some are still being started.
    assert re.fullmatch(r"it had (4[1-9]|5\d|6[01]) processes; the limit is 40", result.reason)


async def test_too_much_memory_ends_a_command(governor: Governor, tmp_path: Path) -> None:
    hungry = f"{sys.executable} -c 'kept = bytearray(200 << 20); input()' < <(sleep 300)"
    spec = shell(hungry, tmp_path, ResourceLimits(memory_bytes=100 << 20))
    result = await governor.run(spec, timeout_s=WAIT_S)
    assert result.ended_by == "resource_limit"
    assert "the limit is 100 MiB" in result.reason


async def test_the_ledger_holds_what_runs_and_goes_with_the_governor(tmp_path: Path) -> None:
    records = tmp_path / "processes"
    governor = Governor(SystemClock(), kill_after_s=0.3, ledger=ProcessLedger(records))
    assert not records.exists()
    await governor.run(shell("true", tmp_path), timeout_s=WAIT_S)
    task = asyncio.create_task(governor.run(shell("sleep 300", tmp_path), timeout_s=WAIT_S))
    await until(lambda: len(governor.list()) == 1)
    [record] = read_ledgers(records)
    assert record.server_lives
    assert [(each.pid, each.purpose, each.label) for each in record.children] == [
        (governor.list()[0].pid, "shell", "sleep 300")
    ]
    assert sweep_orphans(records) == 0
    assert len(governor.list()) == 1
    await governor.close()
    await task
    assert read_ledgers(records) == []


_SERVER = """
import asyncio, pathlib, sys
from pilotfish.ports.processes import ProcessSpec
from pilotfish.util.clock import SystemClock
from pilotfish.workspace.process import Governor
from pilotfish.workspace.process_ledger import ProcessLedger

async def main():
    folder = pathlib.Path(sys.argv[1])
    governor = Governor(SystemClock(), ledger=ProcessLedger(folder / "processes"))
    script = "echo $$ >> pids; setsid bash -c 'echo $$ >> pids; sleep 300' & sleep 300"
    await governor.run(ProcessSpec(
        argv=["bash", "-c", script], cwd=folder, purpose="shell", label="it",
        env={"PATH": "/usr/bin:/bin"}, max_output_bytes=1000), timeout_s=300)

asyncio.run(main())
"""


@linux_only
async def test_orphans_of_a_server_and_guard_that_were_killed_end_at_the_next_start(
    tmp_path: Path,
) -> None:
    server = tmp_path / "server.py"
    server.write_text(textwrap.dedent(_SERVER), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(server), str(tmp_path), env={**ENV, "PYTHONPATH": str(SERVER)}
    )
    pids_file = tmp_path / "pids"
    await until(
        lambda: pids_file.exists() and len(pids_file.read_text(encoding="utf-8").split()) == 2
    )
    orphans = [int(word) for word in pids_file.read_text(encoding="utf-8").split()]
    guards = [
        child
        for child in psutil.Process(process.pid).children()
        if child.pid not in orphans and child.name() == "sh"
    ]
    assert len(guards) == 1
    guards[0].kill()
    process.kill()
    await process.wait()
    assert all(is_running(pid) for pid in orphans)

    assert await asyncio.to_thread(sweep_orphans, tmp_path / "processes") >= 2
    await until(lambda: not any(is_running(pid) for pid in orphans))
    assert read_ledgers(tmp_path / "processes") == []


async def test_a_number_that_names_another_process_by_now_is_left_alone(tmp_path: Path) -> None:
    stranger = await asyncio.create_subprocess_exec("sleep", "300", start_new_session=True)
    lines = [
        {"pid": 2**22 - 3, "since_boot_s": 1.0, "mark": "0123456789abcdef-"},
        {"pid": stranger.pid, "since_boot_s": 1.0, "purpose": "shell", "label": "was ours"},
    ]
    records = tmp_path / "processes"
    records.mkdir()
    text = "\n".join(json.dumps(line) for line in lines)
    (records / "1.jsonl").write_text(text + '\n{"torn', encoding="utf-8")
    assert await asyncio.to_thread(sweep_orphans, records) == 0
    assert is_running(stranger.pid)
    os.kill(stranger.pid, signal.SIGKILL)
    await stranger.wait()


@pytest.mark.parametrize("text", ["", "not json\n", '{"pid": "x"}\n', "\x00\xff"])
async def test_files_that_are_none_of_ours_are_left_where_they_are(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "1.jsonl").write_text(text, encoding="utf-8")
    assert read_ledgers(tmp_path) == []
    assert sweep_orphans(tmp_path) == 0
    assert (tmp_path / "1.jsonl").exists()


async def test_a_clock_that_is_set_costs_no_living_server_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    governor = Governor(SystemClock(), ledger=ProcessLedger(tmp_path))
    running = asyncio.ensure_future(governor.run(shell("sleep 300", tmp_path), timeout_s=60))
    await until(lambda: len(governor.list()) == 1)
    boot, created = psutil.boot_time(), psutil.Process.create_time
    monkeypatch.setattr(psutil, "boot_time", lambda: boot + 1)

    def created_later(process: psutil.Process) -> float:
        return created(process) + 1

    monkeypatch.setattr(psutil.Process, "create_time", created_later)
    assert await asyncio.to_thread(sweep_orphans, tmp_path) == 0
    assert [record.server_lives for record in read_ledgers(tmp_path)] == [True]
    assert is_running(governor.list()[0].pid)
    running.cancel()
    await governor.close()
