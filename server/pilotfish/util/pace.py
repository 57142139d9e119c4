"""Letting many take turns on the event loop.

Owns: that of those who each have some milliseconds of work at the same moment, one after the other does
it, and whatever else is ready runs between them.
"""

import asyncio


class Pace:
    """One step at a time, in the order in which they were asked for."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def step(self) -> None:
        """Wait for one's turn; do the work right after, without waiting for anything first."""
        async with self._lock:
            await asyncio.sleep(0)
