"""The names of the files below folders, kept for whoever looks for one.

Owns: listing (without what ignore files hide), when it is done anew, how many folders are kept.
Does not own: the search (``session.path_table``).

While somebody types, an old table answers at once and a new one is made beside.
"""

import asyncio
import os
import time
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from pilotfish.session.path_table import PathTable
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope
from pilotfish.workspace.search import FileQuery, Ripgrep

MAX_FOLDERS = 8
"""Folders whose names are kept; the one not asked about for longest goes first."""

MAX_FILES = 200_000
"""Files of one folder that can be found by name; those nearest to it are taken."""

FRESH_S = 3.0
"""A table is made anew when somebody asks and it is older."""

AT_ONCE_S = 0.3
"""A table that is older is waited for when nothing was found: the file may be new."""

MOST_OF_TIME = 10
"""A table that took long to make is kept for this many times as long."""


@dataclass
class _Kept:
    """What is known of one folder."""

    table: PathTable | None = None
    made_at_s: float = 0.0
    took_s: float = 0.0
    making: asyncio.Task[None] | None = None


class FileNames:
    """The tables of one process."""

    def __init__(self, search: Ripgrep) -> None:
        self._search = search
        self._kept: OrderedDict[Path, _Kept] = OrderedDict()
        self._tasks = TaskScope("file names")

    async def search(self, folder: Path, query: str, limit: int) -> list[str]:
        """Return relative paths of files and folders that answer a query, the best first.

        Raises:
            WorkspaceError: The folder cannot be listed.
        """
        kept = self._kept.setdefault(folder, _Kept())
        self._kept.move_to_end(folder)
        while len(self._kept) > MAX_FOLDERS:
            self._drop()
        age_s = time.monotonic() - kept.made_at_s
        if kept.table is None:
            await asyncio.shield(self._make(folder, kept))
        elif age_s > max(FRESH_S, MOST_OF_TIME * kept.took_s):
            self._make(folder, kept)
        found = await self._in_table(kept, query, limit)
        if not found and age_s > AT_ONCE_S:
            await asyncio.shield(self._make(folder, kept))
            found = await self._in_table(kept, query, limit)
        return found

    async def close(self) -> None:
        """End listing."""
        await self._tasks.close()

    async def _in_table(self, kept: _Kept, query: str, limit: int) -> list[str]:
        table = kept.table
        return [] if table is None else await asyncio.to_thread(table.search, query, limit)

    def _drop(self) -> None:
        _, kept = self._kept.popitem(last=False)
        if kept.making is not None:
            kept.making.cancel()

    def _make(self, folder: Path, kept: _Kept) -> asyncio.Task[None]:
        if kept.making is None or kept.making.done():
            kept.making = self._tasks.start(self._remake(folder, kept), name="list", awaited=True)
        return kept.making

    async def _remake(self, folder: Path, kept: _Kept) -> None:
        began = time.monotonic()
        found = await self._search.files(FileQuery(folder=folder, respect_ignore=True))
        kept.table = await asyncio.to_thread(_table_of, found.files, folder, kept.table)
        kept.made_at_s = time.monotonic()
        kept.took_s = kept.made_at_s - began


def _table_of(files: Sequence[Path], folder: Path, known: PathTable | None) -> PathTable:
    """Return the table of some files: the known one, brought up to date, where that is less work."""
    skip = len(str(folder)) + 1
    names = [str(file)[skip:].replace(os.sep, "/") for file in files]
    if len(names) > MAX_FILES:
        names.sort(key=lambda name: (name.count("/"), name))
    names = names[:MAX_FILES]
    return known if known is not None and known.update(names) else PathTable(names)
