"""One writer per file.

Owns: the locks that put edits of one file in order, across all agents of the process.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path


class PathLocks:
    """A lock for each real path that is in use; free ones are forgotten."""

    def __init__(self) -> None:
        self._locks: dict[Path, asyncio.Lock] = {}
        self._users: dict[Path, int] = {}

    def __len__(self) -> int:
        return len(self._locks)

    @asynccontextmanager
    async def hold(self, real_path: Path) -> AsyncGenerator[None]:
        """Hold the lock of a file; those who wait get it in the order they came."""
        lock = self._locks.setdefault(real_path, asyncio.Lock())
        self._users[real_path] = self._users.get(real_path, 0) + 1
        try:
            async with lock:
                yield
        finally:
            self._users[real_path] -= 1
            if self._users[real_path] == 0:
                del self._users[real_path]
                del self._locks[real_path]
