"""Searching the names of an index.

Owns: the table of names in memory, and when it is made anew from the database.
Does not own: the search (``names``).

Making the table of a large index takes a while; meanwhile the old one answers.
"""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Iterable, Sequence

from pilotfish.codeintel.index.database import Database
from pilotfish.codeintel.index.names import NameTable
from pilotfish.codeintel.index.rows import all_names, names_in
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

MAX_NAMES = 600_000
"""Names that are held at most."""

QUICK_S = 0.1
"""A table that was made within this time is waited for when it is made anew."""


class NameSearch:
    """The names of one index."""

    def __init__(self, database: Database, tasks: TaskScope) -> None:
        self._database = database
        self._tasks = tasks
        self._table: NameTable | None = None
        self._making: asyncio.Task[None] | None = None
        self._fresh_for: int | None = None
        """The state of the database that the table shows; None when it is known to be another."""
        self._took_s = 0.0

    def forget(self) -> None:
        """Note that much has changed: the next question has the table made anew."""
        self._fresh_for = None

    async def took_in(self, paths: Sequence[str]) -> None:
        """Take in the names of a few files that were read again."""
        if self._table is None or self._fresh_for is None:
            return
        table = self._table
        names, state = await asyncio.to_thread(self._names_of, paths)
        table.add(names)
        self._fresh_for = None if table.is_stale else state

    async def search(self, query: str, limit: int) -> list[str]:
        """Return the names that answer a query best, the best first.

        Raises:
            sqlite3.Error: The database cannot be read.
        """
        state = await asyncio.to_thread(self._database.change_count)
        if self._table is None or state != self._fresh_for:
            making = self._make()
            if self._table is None or self._took_s < QUICK_S:
                await asyncio.shield(making)
        table = self._table
        return [] if table is None else await asyncio.to_thread(table.search, query, limit)

    def _make(self) -> asyncio.Task[None]:
        if self._making is None or self._making.done():
            self._making = self._tasks.start(self._remake(), name="names", awaited=True)
        return self._making

    async def _remake(self) -> None:
        began = time.monotonic()
        try:
            self._table, self._fresh_for = await asyncio.to_thread(self._load)
        except sqlite3.Error as error:
            logger.warning("the names of the index cannot be read: %s", error)
            return
        self._took_s = time.monotonic() - began

    def _load(self) -> tuple[NameTable, int]:
        # First the number, then the names: what comes in between makes the table old, not wrong.
        state = self._database.change_count()
        names = self._database.read(lambda reader: all_names(reader, MAX_NAMES))
        return NameTable(names or ()), state

    def _names_of(self, paths: Iterable[str]) -> tuple[list[str], int]:
        state = self._database.change_count()
        names = self._database.read(lambda reader: names_in(reader, paths))
        return names or [], state
