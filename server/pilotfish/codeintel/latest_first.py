"""Files that are looked at in the background, one at a time, those that were named last first.

Owns: the queue, its cap, and the one task that works on it.
Does not own: what is done with a file.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from pilotfish.util.tasks import TaskScope

MAX_WAITING = 10
"""Files that wait for their turn; of more, those named last are taken."""


class LatestFirst:
    """Works only while something waits."""

    def __init__(
        self,
        look: Callable[[Path], Awaitable[None]],
        tasks: TaskScope,
        *,
        name: str,
        pause_s: float = 0.0,
    ) -> None:
        """Set it up.

        Args:
            look: Looks at one file.
            tasks: Who owns the work.
            name: For the log.
            pause_s: How long the work waits before it begins, in seconds.
        """
        self._look = look
        self._tasks = tasks
        self._name = name
        self._pause_s = pause_s
        self._waiting: dict[Path, None] = {}
        self._working: asyncio.Task[None] | None = None

    def add(self, path: Path) -> None:
        """Let a file be looked at. Costs nothing."""
        self._waiting.pop(path, None)
        self._waiting[path] = None
        if len(self._waiting) > MAX_WAITING:
            del self._waiting[next(iter(self._waiting))]
        if self._working is None or self._working.done():
            self._working = self._tasks.start(self._work(), name=self._name)

    async def _work(self) -> None:
        await asyncio.sleep(self._pause_s)
        while self._waiting:
            path, _ = self._waiting.popitem()
            await self._look(path)
