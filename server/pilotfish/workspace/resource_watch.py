"""Ends children that take too much memory or start too many processes.

Owns: looking, every few seconds, at what the children with limits take, all in one walk over the table
of processes.
Does not own: the end (``workspace.process``).
"""

import asyncio
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import psutil

from pilotfish.ports.processes import NO_LIMITS, ResourceLimits
from pilotfish.util.tasks import TaskScope
from pilotfish.workspace.child import Child

LOOK_EVERY_S = 2.0
"""Pause between two looks: short enough that a runaway does not fill a machine unseen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """What a child and all that it started take."""

    memory_bytes: int = 0
    """Resident memory; what processes share counts for each."""
    processes: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class _Watched:
    limits: ResourceLimits
    too_much: Callable[[str], None]

    def complaint(self, usage: Usage) -> str:
        """Return what is too much, in words; empty when nothing is."""
        memory, count = self.limits.memory_bytes, self.limits.processes
        if memory is not None and usage.memory_bytes > memory:
            return (
                f"it took {usage.memory_bytes >> 20} MiB of memory; the limit is {memory >> 20} MiB"
            )
        if count is not None and usage.processes > count:
            return f"it had {usage.processes:,} processes; the limit is {count:,}"
        return ""


class ResourceWatch:
    """Looks at children while there are any to look at."""

    def __init__(self, scope: TaskScope, *, every_s: float) -> None:
        """Set it up.

        Args:
            scope: Where the looking lives.
            every_s: Pause between two looks, in seconds.
        """
        self._scope = scope
        self._every_s = every_s
        self._watched: dict[int, _Watched] = {}
        self._looking = False

    def add(
        self,
        child: Child,
        *,
        limits: ResourceLimits,
        too_much: Callable[[str], None],
    ) -> None:
        """Watch a child until it and its group are forgotten.

        Args:
            child: What is watched, with everything below it.
            limits: What it may take.
            too_much: Called once, with the reason, when there is more; nothing is looked at afterwards.
        """
        if limits == NO_LIMITS:
            return
        self._watched[child.group] = _Watched(limits=limits, too_much=too_much)
        if not self._looking:
            self._looking = True
            self._scope.start(self._look(), name="resources")

    def remove(self, group: int) -> None:
        """Watch a child no more."""
        self._watched.pop(group, None)

    async def _look(self) -> None:
        try:
            while self._watched:
                await asyncio.sleep(self._every_s)
                taken = await asyncio.to_thread(usage_of, tuple(self._watched))
                self._judge(taken)
        finally:
            self._looking = False

    def _judge(self, taken: Mapping[int, Usage]) -> None:
        for group, usage in taken.items():
            watched = self._watched.get(group)
            complaint = "" if watched is None else watched.complaint(usage)
            if watched is not None and complaint:
                del self._watched[group]
                watched.too_much(complaint)


def usage_of(leaders: Collection[int]) -> dict[int, Usage]:
    """Return what some children take; each leads a session of its own. Blocking.

    Descendants that began a session of their own count while their parents live.
    """
    parents = _parents()
    memory = dict.fromkeys(leaders, 0)
    counts = dict.fromkeys(leaders, 0)
    for pid in parents:
        leader = _leader_of(pid, parents, memory)
        if leader is None:
            continue
        counts[leader] += 1
        try:
            memory[leader] += psutil.Process(pid).memory_info().rss
        except psutil.Error:
            continue
    return {
        leader: Usage(memory_bytes=memory[leader], processes=counts[leader]) for leader in leaders
    }


def _parents() -> dict[int, int]:
    return {process.pid: process.info["ppid"] or 0 for process in psutil.process_iter(["ppid"])}


def _leader_of(pid: int, parents: Mapping[int, int], leaders: Mapping[int, int]) -> int | None:
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
