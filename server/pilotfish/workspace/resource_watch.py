"""Ends children that take too much memory, start too many processes, or do nothing for too long.

Owns: looking, every few seconds, at what the children with limits take, all in one walk over the table
of processes.
Does not own: the end (``workspace.process``).
"""

import asyncio
import os
import time
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

import psutil

from pilotfish.ports.processes import NO_LIMITS, ResourceLimits
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope
from pilotfish.workspace.child import Child
from pilotfish.workspace.marks import carriers

K = TypeVar("K", int, str)

LOOK_EVERY_S = 2.0
"""Pause between two looks: short enough that a runaway does not fill a machine unseen."""


ACTIVE_SHARE = 0.01
"""Share of one processor below which a command counts as idle."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """What a child and all that it started take."""

    memory_bytes: int = 0
    """Resident memory; what processes share counts for each."""
    processes: int = 0
    cpu_s: float = 0.0
    """Processor time of those that run."""


class _Watched:
    def __init__(
        self,
        limits: ResourceLimits,
        too_much: Callable[[str], None],
        written: Callable[[], int],
        now_s: float,
    ) -> None:
        self.too_much = too_much
        self._limits = limits
        self._written = written
        self._seen: tuple[int, Usage] = (-1, Usage())
        self._active_s = self._looked_s = now_s

    def complaint(self, usage: Usage, now_s: float) -> str:
        """Return what is too much, in words; empty when nothing is."""
        memory, count = self._limits.memory_bytes, self._limits.processes
        if memory is not None and usage.memory_bytes > memory:
            return (
                f"it took {usage.memory_bytes >> 20} MiB of memory; the limit is {memory >> 20} MiB"
            )
        if count is not None and usage.processes > count:
            return f"it had {usage.processes:,} processes; the limit is {count:,}"
        idle = self._limits.idle_s
        if idle is not None and self._idle_for(usage, now_s) > idle:
            return f"it neither wrote nor computed for {idle / 60:,.0f} min"
        return ""

    def _idle_for(self, usage: Usage, now_s: float) -> float:
        written, before = self._seen
        elapsed = now_s - self._looked_s
        # Time that went with processes which have ended shows as less; their end is activity, too.
        computed = abs(usage.cpu_s - before.cpu_s) > ACTIVE_SHARE * elapsed
        # What is not to be seen (it runs on another machine) is not judged.
        changed = usage.processes == 0 or usage.processes != before.processes
        if self._written() != written or computed or changed:
            self._active_s = now_s
        self._seen, self._looked_s = (self._written(), usage), now_s
        return now_s - self._active_s


class ResourceWatch:
    """Looks at children while there are any to look at."""

    def __init__(
        self, scope: TaskScope, *, every_s: float, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        """Set it up.

        Args:
            scope: Where the looking lives.
            every_s: Pause between two looks, in seconds.
            now_s: The time, in seconds.
        """
        self._scope = scope
        self._every_s = every_s
        self._now_s = now_s
        self._groups: dict[int, _Watched] = {}
        self._marks: dict[str, _Watched] = {}
        self._looking = False

    def add(
        self,
        child: Child,
        *,
        limits: ResourceLimits,
        too_much: Callable[[str], None],
        written: Callable[[], int] = int,
    ) -> None:
        """Watch a child until it and its group are forgotten.

        Args:
            child: What is watched, with everything below it.
            limits: What it may take.
            too_much: Called once, with the reason, when there is more; nothing is looked at afterwards.
            written: Returns how many bytes it has written.
        """
        if limits != NO_LIMITS:
            self._groups[child.group] = self._begin(limits, too_much, written)

    def add_marked(
        self,
        mark: str,
        *,
        limits: ResourceLimits,
        too_much: Callable[[str], None],
        written: Callable[[], int],
    ) -> None:
        """Watch what carries a mark, until ``remove_marked``; see ``add``."""
        if limits != NO_LIMITS:
            self._marks[mark] = self._begin(limits, too_much, written)

    def remove(self, group: int) -> None:
        """Watch a child no more."""
        self._groups.pop(group, None)

    def remove_marked(self, mark: str) -> None:
        """Watch what carries a mark no more."""
        self._marks.pop(mark, None)

    def _begin(
        self,
        limits: ResourceLimits,
        too_much: Callable[[str], None],
        written: Callable[[], int],
    ) -> _Watched:
        if not self._looking:
            self._looking = True
            self._scope.start(self._look(), name="resources")
        return _Watched(limits, too_much, written, self._now_s())

    async def _look(self) -> None:
        try:
            while self._groups or self._marks:
                await asyncio.sleep(self._every_s)
                _judge(
                    self._groups,
                    await asyncio.to_thread(usage_of, tuple(self._groups)),
                    self._now_s(),
                )
                if self._marks:
                    taken = await asyncio.to_thread(usage_of_marked, tuple(self._marks))
                    _judge(self._marks, taken, self._now_s())
        finally:
            self._looking = False


def _judge(watched: dict[K, _Watched], taken: Mapping[K, Usage], now_s: float) -> None:
    for key, usage in taken.items():
        one = watched.get(key)
        complaint = "" if one is None else one.complaint(usage, now_s)
        if one is not None and complaint:
            del watched[key]
            one.too_much(complaint)


def usage_of_marked(marks: Collection[str]) -> dict[str, Usage]:
    """Return what the processes take whose environment carries a mark. Blocking."""
    found: dict[str, list[int]] = {mark: carriers(mark) for mark in marks}
    return {mark: _sum(pids) for mark, pids in found.items()}


def usage_of(leaders: Collection[int]) -> dict[int, Usage]:
    """Return what some children take; each leads a session of its own. Blocking.

    Descendants that began a session of their own count while their parents live.
    """
    parents = _parents()
    members: dict[int, list[int]] = {leader: [] for leader in leaders}
    for pid in parents:
        leader = _leader_of(pid, parents, members)
        if leader is not None:
            members[leader].append(pid)
    return {leader: _sum(pids) for leader, pids in members.items()}


def _sum(pids: Collection[int]) -> Usage:
    memory, cpu = 0, 0.0
    for pid in pids:
        try:
            process = psutil.Process(pid)
            memory += process.memory_info().rss
            times = process.cpu_times()
            cpu += times.user + times.system
        except psutil.Error:
            continue
    return Usage(memory_bytes=memory, processes=len(pids), cpu_s=cpu)


def _parents() -> dict[int, int]:
    return {process.pid: process.info["ppid"] or 0 for process in psutil.process_iter(["ppid"])}


def _leader_of(pid: int, parents: Mapping[int, int], leaders: Collection[int]) -> int | None:
    try:
        session = _session_of(pid)
    except (ProcessLookupError, PermissionError):
        return None
    if session in leaders:
        return session
    seen = 0
    while pid not in leaders:
        pid = parents.get(pid, 0)
        seen += 1
        if pid <= 1 or seen > len(parents):
            return None
    return pid


def _session_of(pid: int) -> int:
    """Return the leader of a process's session; 0 on Windows, where parents alone tell."""
    return os.getsid(pid) if hasattr(os, "getsid") else 0
