"""Named gates where scripted stalls wait.

Owns: waiting, releasing, counting. A release is a permit: it frees one stall, also one that comes
later, so a test need not know whether the stall is already there.
"""

import asyncio
from collections import defaultdict


class Gates:
    """All gates of a server; a gate exists as soon as it is named."""

    def __init__(self) -> None:
        self._permits: defaultdict[str, asyncio.Semaphore] = defaultdict(_closed_gate)
        self._waiting: defaultdict[str, int] = defaultdict(int)

    def waiting(self, gate: str) -> int:
        """How many stalls are at the gate now."""
        return self._waiting[gate]

    def release(self, gate: str, count: int = 1) -> None:
        """Give ``count`` permits."""
        for _ in range(count):
            self._permits[gate].release()

    async def wait(self, gate: str, max_s: float) -> bool:
        """Wait for a permit.

        Returns:
            False when ``max_s`` seconds passed without one.
        """
        self._waiting[gate] += 1
        try:
            async with asyncio.timeout(max_s):
                await self._permits[gate].acquire()
        except TimeoutError:
            return False
        finally:
            self._waiting[gate] -= 1
        return True

    def reset(self) -> None:
        """Drop unused permits; stalls that wait now go on waiting for a release."""
        for gate in [gate for gate in self._permits if not self._waiting[gate]]:
            del self._permits[gate]


def _closed_gate() -> asyncio.Semaphore:
    return asyncio.Semaphore(0)
