"""Reading files into the index of a folder: a few here and at once, many by the workers.

Owns: what is few, trying a file again over which a worker came down, giving it up.
Does not own: which files and when (``workspace_index``), the workers (``build``), reading (``reading``).
"""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pilotfish.codeintel.index.build import Builder
from pilotfish.codeintel.index.database import Database
from pilotfish.codeintel.index.reading import read_files
from pilotfish.codeintel.index.rows import Depth, known_files, touch_files
from pilotfish.codeintel.index.selection import print_of

FEW_FILES = 20
"""So many changed files are read here, in a thread; more go to the workers."""

FEW_BYTES = 150_000
"""So much text is parsed here at most: parsing holds up other threads."""


class Intake:
    """Of one index."""

    def __init__(self, root: Path, database: Database, builder: Builder) -> None:
        self._root = root
        self._database = database
        self._builder = builder

    async def read_few(self, paths: Sequence[str]) -> bool:
        """Read files here, to the full; False when they are too many, or too long."""
        if len(paths) > FEW_FILES or not await asyncio.to_thread(self._are_short, paths):
            return False
        await asyncio.to_thread(
            self._database.write,
            lambda writer: read_files(writer, self._root, paths, depth=Depth.FULL),
        )
        return True

    async def read_many(
        self, paths: Sequence[str], depth: Depth, on_done: Callable[[int], None]
    ) -> int:
        """Have the workers read files; returns how many are settled.

        Args:
            paths: Relative to the root, those that matter most first.
            depth: How well they shall be known.
            on_done: Called with the number of files that are done so far.
        """
        result = await self._builder.read(paths, depth, on_done)
        for path in result.stumbled:
            await self._read_alone(path, depth)
        return result.done + len(result.stumbled)

    def _are_short(self, paths: Iterable[str]) -> bool:
        prints = (print_of(self._root, path) for path in paths)
        return sum(0 if one is None else one.size for one in prints) <= FEW_BYTES

    async def _read_alone(self, path: str, depth: Depth) -> None:
        """Try a file again that was being read when a worker ended; it may not have been its fault."""
        again = await self._builder.read([path], depth, lambda _: None)
        if again.stumbled:
            await asyncio.to_thread(
                self._database.write, lambda writer: _give_up(writer, again.stumbled)
            )


def _give_up(writer: sqlite3.Connection, paths: Iterable[str]) -> None:
    """Leave files alone that bring a worker down, until they change."""
    known = known_files(writer)
    touch_files(
        writer,
        [(path, known[path].seen) for path in paths if path in known],
        Depth.GIVEN_UP,
    )
