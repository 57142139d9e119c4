"""The governor: owner of every child process.

Owns: starting children in groups of their own, limits in time and output, ending whole groups, the
table of what runs.
Does not own: what is run (callers), ending children after this process was killed
(``workspace.guard``).
See also: design §10, ``ports.processes``.

A child of purpose ``shell`` may leave programs behind when it ends by itself (``server &``). They
stay in the table, keep a reader for their output so that it does not break their pipe, and end with
the governor. What any other child leaves behind is ended at once.
"""

import asyncio
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable, Mapping

from pilotfish.core.errors import ProcessError
from pilotfish.ports.clock import ClockPort
from pilotfish.ports.processes import (
    EndedBy,
    OpenSpec,
    OutsideWatch,
    ProcessPurpose,
    ProcessResult,
    ProcessSpec,
    ResourceLimits,
)
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope
from pilotfish.workspace.child import Child, ChildOutput, KeptOutput
from pilotfish.workspace.guard import GroupGuard
from pilotfish.workspace.marks import carriers, end_carriers
from pilotfish.workspace.piped_child import ErrorTail, PipedChild
from pilotfish.workspace.process_group import ProcessGroup, group_kind
from pilotfish.workspace.process_ledger import ProcessLedger
from pilotfish.workspace.resource_watch import LOOK_EVERY_S, ResourceWatch
from pilotfish.workspace.start_child import not_started, spawn, spawn_open

KILL_AFTER_S = 5.0
"""How long a group has between TERM and KILL (design §10)."""

ESCAPEE_S = 2.0
"""What is no member of the group has the rest of that time, and this at least: all that a killed editor leaves
is to be gone within ten seconds (design §10)."""

REAP_WAIT_S = 5.0
"""How long to wait for the end of a group after KILL; only the kernel can delay it then."""

POLL_S = 0.02
"""First pause before looking whether a group is gone: nothing reports the end of a grandchild."""

MAX_POLL_S = 0.25
"""Longest such pause; it grows, since looking costs a walk over the table of processes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunningProcess:
    """A line of the table of children."""

    pid: int
    purpose: ProcessPurpose
    label: str
    started_ms: int
    """Wall clock, milliseconds since the epoch."""
    leftover: bool
    """True when a command has ended and programs that it started go on. What is being ended is none."""


class Governor:
    """Runs children; implements ``ports.processes.ProcessPort``. The app owns one and closes it."""

    def __init__(
        self,
        clock: ClockPort,
        *,
        kill_after_s: float = KILL_AFTER_S,
        look_every_s: float = LOOK_EVERY_S,
        ledger: ProcessLedger | None = None,
    ) -> None:
        """Set it up.

        Args:
            clock: For the times.
            kill_after_s: How long a group has between TERM and KILL, in seconds.
            look_every_s: Pause between two looks at what children with limits take, in seconds.
            ledger: Where children are noted; None: nowhere.
        """
        self._clock = clock
        self._kill_after_s = kill_after_s
        self._children: dict[int, Child] = {}
        self._guard = GroupGuard()
        self._scope = TaskScope("processes")
        self._watch = ResourceWatch(self._scope, every_s=look_every_s)
        self._ledger = ledger
        if ledger is not None:
            ledger.begin(self._guard.prefix)
        self._kind = group_kind()
        self._closed = False

    def list(self) -> tuple[RunningProcess, ...]:
        """Return what runs now, oldest first."""
        self._forget_ended()
        return tuple(
            RunningProcess(
                pid=child.group,
                purpose=child.spec.purpose,
                label=child.spec.label,
                started_ms=child.started_ms,
                leftover=child.is_left_over,
            )
            for child in self._children.values()
        )

    def stop(self, pid: int) -> bool:
        """Begin to end a child and what it started; False when there is none of that number."""
        child = self._children.get(pid)
        if child is None:
            return False
        self._start_ending(child)
        return True

    def watch_outside(
        self,
        limits: ResourceLimits,
        too_much: Callable[[str], None],
        written: Callable[[], int],
    ) -> OutsideWatch:
        """Watch a command that somebody else starts; see ``ports.processes.WatchOutside``."""
        mark = self._guard.next_mark()
        self._watch.add_marked(mark, limits=limits, too_much=too_much, written=written)
        return OutsideWatch(
            variables=self._guard.variables(mark), close=lambda: self._watch.remove_marked(mark)
        )

    async def run(self, spec: ProcessSpec, *, timeout_s: float) -> ProcessResult:
        """Run a child; see ``ProcessPort.run``.

        On cancel the child gets TERM at once and the caller gets control at once, unless the spec says
        otherwise: waiting for a stubborn child and killing it goes on in the background.
        """
        settled = asyncio.Event()
        kept = ChildOutput(spec, settled)
        child = await self._start(
            spec, kept, settled, lambda env: spawn(spec, kept, env, self._kind)
        )
        ended_by: EndedBy = "itself"
        complaints: list[str] = []

        def too_much(complaint: str) -> None:
            complaints.append(complaint)
            settled.set()

        self._watch.add(child, limits=spec.limits, too_much=too_much, written=lambda: kept.total)
        try:
            ended_by = await _until_done(child, timeout_s)
            if complaints:
                ended_by = "resource_limit"
            leftovers = not child.may_leave_programs and child.group_lives()
            if ended_by != "itself" or leftovers:
                await asyncio.shield(self._start_ending(child))
        except asyncio.CancelledError:
            ending = self._start_ending(child)
            if spec.gone_on_cancel:
                await asyncio.shield(ending)
            raise
        output, error_output = child.output.finish()
        if not child.group_lives() and not self._keeps_reading(child):
            self._forget(child)
        code = child.process.returncode
        return ProcessResult(
            exit_code=code if code is None or code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            output=output,
            error_output=error_output,
            ended_by=ended_by,
            reason="".join(complaints),
        )

    async def open(self, spec: OpenSpec) -> PipedChild:
        """Start a child that stays; see ``ProcessPort.open``."""
        tail = ErrorTail()
        settled = asyncio.Event()
        child = await self._start(
            spec, tail, settled, lambda env: spawn_open(spec, tail, env, self._kind)
        )
        reasons: list[str] = []

        def too_much(reason: str) -> None:
            reasons.append(reason)
            self._start_ending(child)

        limits = ResourceLimits(memory_bytes=spec.max_memory_bytes)
        self._watch.add(child, limits=limits, too_much=too_much)

        async def stop() -> None:
            if self._children.get(child.group) is child:
                await asyncio.shield(self._start_ending(child))

        return PipedChild(child, tail, stop, lambda: reasons[0] if reasons else "")

    async def close(self) -> None:
        """End all children and wait until they are gone. Nothing can be started afterwards."""
        self._closed = True
        endings = [self._start_ending(child) for child in self._children.values()]
        await asyncio.gather(*endings)
        await self._scope.close()
        await asyncio.to_thread(self._guard.close)
        if self._ledger is not None:
            self._ledger.close()

    async def _start(
        self,
        spec: ProcessSpec | OpenSpec,
        output: KeptOutput,
        settled: asyncio.Event,
        spawn: Callable[[Mapping[str, str]], Awaitable[Process]],
    ) -> Child:
        if self._closed:
            output.close()
            raise ProcessError(f"{spec.label} was not started: Pilotfish is shutting down.")
        self._forget_ended()
        mark = self._guard.next_mark()
        try:
            process = await spawn(self._guard.variables(mark))
        except BaseException:  # a stop included
            output.close()
            raise
        for pipe in output.pipes:
            pipe.close_write_end()
        child = Child(spec, process, output, settled, mark, self._hold(spec, process, output))
        child.started_ms = self._clock.now_ms()
        self._children[child.group] = child
        self._guard.add(child.group)
        if self._ledger is not None:
            self._ledger.add(child.group, spec.purpose, spec.label)
        self._scope.start(_reap(child), name=f"watch {spec.label}")
        return child

    def _hold(
        self, spec: ProcessSpec | OpenSpec, process: Process, output: KeptOutput
    ) -> ProcessGroup:
        try:
            return self._kind.hold(process.pid)
        except OSError as error:
            output.close()
            raise not_started(spec, error) from error

    def _start_ending(self, child: Child) -> asyncio.Task[None]:
        child.is_ending = True
        child.end_group()
        return self._scope.start(self._end(child), name=f"end {child.spec.label}")

    async def _end(self, child: Child) -> None:
        """Wait for a group that got TERM, kill what is left, and clean up."""
        loop = asyncio.get_running_loop()
        due = loop.time() + self._kill_after_s
        if not await _gone(child, self._kill_after_s):
            child.end_group(by_force=True)
            await _gone(child, REAP_WAIT_S)
        least = loop.time() + min(self._kill_after_s, ESCAPEE_S)
        await self._end_escapees(child, max(due, least))
        for pipe in child.output.pipes:
            pipe.drain()
        self._forget(child)

    async def _end_escapees(self, child: Child, due: float) -> None:
        """End what began a session of its own: it is not in the group, but carries the mark."""
        if not await asyncio.to_thread(end_carriers, child.mark):
            return
        while await asyncio.to_thread(carriers, child.mark):
            if asyncio.get_running_loop().time() >= due:
                await asyncio.to_thread(end_carriers, child.mark, by_force=True)
                return
            await asyncio.sleep(POLL_S)

    def _keeps_reading(self, child: Child) -> bool:
        """Tell whether a program outside the group still holds the output of a shell."""
        return child.may_leave_programs and any(pipe.is_open for pipe in child.output.pipes)

    def _forget_ended(self) -> None:
        for child in list(self._children.values()):
            if not child.group_lives() and not self._keeps_reading(child):
                self._forget(child)

    def _forget(self, child: Child) -> None:
        child.output.close()
        if self._children.get(child.group) is child:
            del self._children[child.group]
            child.tree.close()
            self._guard.remove(child.group)
            self._watch.remove(child.group)
            if self._ledger is not None:
                self._ledger.remove(child.group)


async def _until_done(child: Child, timeout_s: float) -> EndedBy:
    """Wait for the end of the child, the time limit or the output limit."""
    try:
        async with asyncio.timeout(timeout_s):
            await child.settled.wait()
    except TimeoutError:
        return "itself" if child.has_exited else "timeout"
    return "itself" if child.has_exited else "output_limit"


async def _reap(child: Child) -> None:
    """Take note of the child's end."""
    await child.process.wait()
    child.settled.set()


async def _gone(child: Child, limit_s: float) -> bool:
    """Wait until nothing of the group runs; tell whether that came to be in time."""
    deadline = asyncio.get_running_loop().time() + limit_s
    pause = POLL_S
    while child.group_lives():
        if asyncio.get_running_loop().time() >= deadline:
            return False
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, MAX_POLL_S)
    return True
