"""Ends children that take too much memory.

Owns: looking, every few seconds, at what the children with a limit take, their own children included.
Does not own: the end (``workspace.process``).
"""

import asyncio
from collections.abc import Callable

import psutil

from pilotfish.workspace.child import Child

LOOK_EVERY_S = 2.0
"""Pause between two looks: short enough that a runaway does not fill a machine unseen."""


async def watch_memory(
    child: Child, limit_bytes: int, too_much: Callable[[int], None], *, every_s: float
) -> None:
    """Look at a child until it ends.

    Args:
        child: Whose memory counts, with everything below it.
        limit_bytes: Resident memory that is permitted.
        too_much: Called once, with what was found, when it is more; nothing is looked at afterwards.
        every_s: Pause between two looks, in seconds.
    """
    while not child.has_exited:
        taken = await asyncio.to_thread(resident_bytes, child.group)
        if taken > limit_bytes:
            too_much(taken)
            return
        await asyncio.sleep(every_s)


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process and all below it; 0 when it is gone."""
    try:
        leader = psutil.Process(pid)
        family = [leader, *leader.children(recursive=True)]
    except psutil.Error:
        return 0
    total = 0
    for process in family:
        try:
            total += process.memory_info().rss
        except psutil.Error:
            continue
    return total
