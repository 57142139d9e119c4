"""A lock for each thing that is in use.

Owns: locks that come and go with their users, so that they never pile up.
"""

import asyncio
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)


class KeyedLocks(Generic[KeyT]):
    """A lock for each key that is in use; free ones are forgotten."""

    def __init__(self) -> None:
        self._locks: dict[KeyT, asyncio.Lock] = {}
        self._users: dict[KeyT, int] = {}

    def __len__(self) -> int:
        return len(self._locks)

    @asynccontextmanager
    async def hold(self, key: KeyT) -> AsyncGenerator[None]:
        """Hold the lock of a key; those who wait get it in the order they came."""
        lock = self._locks.setdefault(key, asyncio.Lock())
        self._users[key] = self._users.get(key, 0) + 1
        try:
            async with lock:
                yield
        finally:
            self._users[key] -= 1
            if self._users[key] == 0:
                del self._users[key]
                del self._locks[key]
