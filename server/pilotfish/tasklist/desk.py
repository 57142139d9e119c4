"""The task list as the agents of a session use it.

Owns: one change after the other, off the event loop, and telling the session of each.
Does not own: the files (``tasklist.store``), what views make of the list (``session.task_list``).
"""

import asyncio
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from pilotfish.tasklist.model import Entries, Entry, EntryChange, EntryId, NewEntry
from pilotfish.tasklist.store import TaskStore

Result = TypeVar("Result")

Announce: TypeAlias = Callable[[Entries], None]
"""Hears the whole list after each change."""


class TaskDesk:
    """Where a session's agents find, take and finish tasks. All of them use the same one."""

    def __init__(self, store: TaskStore, announce: Announce) -> None:
        self._store = store
        self._announce = announce
        self._turn = asyncio.Lock()
        """Whoever came first goes first, so that tasks have the order of their calls."""

    async def entries(self) -> Entries:
        """Return the list as it is on disk, and tell the session of it."""
        async with self._turn:
            return await self._look()

    async def create(self, new: NewEntry) -> Entry:
        """Add a task.

        Raises:
            WorkspaceError: It is refused, or cannot be written.
        """
        async with self._turn:
            entry = await _whole(self._store.create, new)
            await self._look()
        return entry

    async def update(
        self, entry_id: EntryId, change: EntryChange, agent: str
    ) -> tuple[Entry, Entries]:
        """Change a task; returns it and the list.

        Raises:
            WorkspaceError: It is refused, or cannot be written.
        """
        async with self._turn:
            entry = await _whole(self._store.update, entry_id, change, agent)
            return entry, await self._look()

    async def delete(self, entry_id: EntryId) -> Entry:
        """Take a task out.

        Raises:
            WorkspaceError: It is refused, or cannot be written.
        """
        async with self._turn:
            entry = await _whole(self._store.delete, entry_id)
            await self._look()
        return entry

    async def release(self, owners: frozenset[str]) -> None:
        """Free the unfinished tasks of agents that have ended.

        Raises:
            WorkspaceError: The list cannot be written.
        """
        async with self._turn:
            if await _whole(self._store.release, owners):
                await self._look()

    async def _look(self) -> Entries:
        entries = await asyncio.to_thread(self._store.entries)
        self._announce(entries)
        return entries


async def _whole(change: Callable[..., Result], *args: object) -> Result:
    """Make a change in a thread; whoever is cancelled goes only when it is made.

    A thread cannot be stopped: without this, what an agent takes as it is stopped could be taken
    after its tasks were freed.
    """
    making = asyncio.get_running_loop().run_in_executor(None, change, *args)
    try:
        return await asyncio.shield(making)
    except asyncio.CancelledError:
        await asyncio.wait([making])
        raise
