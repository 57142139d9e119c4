"""What ends a child that takes too much or does nothing, with the time and the table of processes made up."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.ports.processes import ProcessResult, ProcessSpec, ResourceLimits
from pilotfish.util.clock import SystemClock
from pilotfish.util.tasks import TaskScope
from pilotfish.workspace import resource_watch
from pilotfish.workspace.process import Governor
from pilotfish.workspace.resource_watch import ResourceWatch, Usage, usage_of_marked

from tests.support.tool_context import ENVIRONMENT
from tests.support.waiting import WAIT_S, under_way, until

IDLE_S = 60.0


class Ground:
    """A marked command, one look every ten seconds of a made-up clock."""

    def __init__(self, usages: list[Usage], written: list[int]) -> None:
        self.usages = iter(usages)
        self.written = written
        self.now_s = 0.0
        self.looks = 0
        self.complaints: list[str] = []

    def look(self, marks: object) -> dict[str, Usage]:
        self.now_s += 10
        self.looks += 1
        return {"mark": next(self.usages)}

    def bytes_written(self) -> int:
        return self.written[min(self.looks, len(self.written)) - 1]


@pytest.fixture
async def scope() -> AsyncGenerator[TaskScope]:
    scope = TaskScope("test")
    yield scope
    await scope.close()


async def complaints(
    monkeypatch: pytest.MonkeyPatch, scope: TaskScope, usages: list[Usage], written: list[int]
) -> tuple[list[str], int]:
    ground = Ground(usages, written)
    monkeypatch.setattr(resource_watch, "usage_of_marked", ground.look)
    watch = ResourceWatch(scope, every_s=0.001, now_s=lambda: ground.now_s)
    watch.add_marked(
        "mark",
        limits=ResourceLimits(idle_s=IDLE_S),
        too_much=ground.complaints.append,
        written=ground.bytes_written,
    )
    await until(lambda: ground.looks == len(usages) or bool(ground.complaints))
    watch.remove_marked("mark")
    return ground.complaints, ground.looks


def still(cpu_s: float = 1.0, processes: int = 2) -> Usage:
    return Usage(memory_bytes=1, processes=processes, cpu_s=cpu_s)


async def test_a_command_that_does_nothing_ends_after_its_idle_time(
    monkeypatch: pytest.MonkeyPatch, scope: TaskScope
) -> None:
    found, looks = await complaints(monkeypatch, scope, [still()] * 30, [5])
    assert found == ["it neither wrote nor computed for 1 min"]
    assert looks == 8  # the first look is the first to know it, then more than 60 seconds


@pytest.mark.parametrize(
    ("usages", "written"),
    [
        ([still()] * 20, list(range(20))),  # it writes
        ([still(cpu_s=number * 0.2) for number in range(20)], [5]),  # it computes
        ([still(processes=2 + number % 2) for number in range(20)], [5]),  # it starts others
        ([Usage()] * 20, [5]),  # it is not to be seen
    ],
)
async def test_whatever_does_something_goes_on(
    monkeypatch: pytest.MonkeyPatch, scope: TaskScope, usages: list[Usage], written: list[int]
) -> None:
    assert await complaints(monkeypatch, scope, usages, written) == ([], 20)


async def test_a_tick_now_and_then_is_no_work(
    monkeypatch: pytest.MonkeyPatch, scope: TaskScope
) -> None:
    ticking = [still(cpu_s=number * 0.01) for number in range(30)]
    found, _ = await complaints(monkeypatch, scope, ticking, [5])
    assert len(found) == 1


@pytest.fixture
async def governor() -> AsyncGenerator[Governor]:
    governor = Governor(SystemClock(), kill_after_s=0.3, look_every_s=0.05)
    yield governor
    await governor.close()


def shell(script: str, cwd: Path, limits: ResourceLimits) -> ProcessSpec:
    return ProcessSpec(
        argv=["bash", "-c", script],
        cwd=cwd,
        purpose="shell",
        label=script[:20],
        env=ENVIRONMENT,
        max_output_bytes=1_000_000,
        limits=limits,
    )


async def test_an_idle_shell_is_ended_with_the_reason(governor: Governor, tmp_path: Path) -> None:
    async def run(idle_s: float) -> ProcessResult:
        spec = shell("echo begun; sleep 300", tmp_path, ResourceLimits(idle_s=idle_s))
        return await governor.run(spec, timeout_s=2 * WAIT_S)

    result = await under_way(run, lambda result: bool(result.output))
    assert (result.ended_by, result.output) == ("resource_limit", b"begun\n")
    assert result.reason.startswith("it neither wrote nor computed")


async def test_a_command_that_somebody_else_started_is_seen_by_its_mark(
    governor: Governor, tmp_path: Path
) -> None:
    reasons: list[str] = []
    watch = governor.watch_outside(ResourceLimits(processes=3), reasons.append, int)
    process = await asyncio.create_subprocess_exec(
        *("bash", "-c", "for i in 1 2 3 4 5; do sleep 300 & done; wait"),
        env={**ENVIRONMENT, **watch.variables},
        start_new_session=True,
    )
    await until(lambda: bool(reasons))
    assert "processes; the limit is 3" in reasons[0]
    (mark,) = watch.variables.values()
    assert usage_of_marked([mark])[mark].processes >= 4
    watch.close()
    await governor.close()  # what carries a mark ends with its governor
    assert await asyncio.wait_for(process.wait(), WAIT_S) != 0
