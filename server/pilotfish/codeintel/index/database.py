"""The connections of this process to an index.

Owns: who may write (one process per folder, by a lock), one connection for writing and one for reading,
each used by one thread at a time.
Does not own: what is written and read (``rows``).
"""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from filelock import FileLock, Timeout

from pilotfish.codeintel.index import layout

T = TypeVar("T")


class Database:
    """An index's database. Everything blocks."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = FileLock(file.with_suffix(".lock"), thread_local=False)
        self._writer: sqlite3.Connection | None = None
        self._reader: sqlite3.Connection | None = None
        self._reading = threading.Lock()
        self._writing = threading.Lock()

    @property
    def may_write(self) -> bool:
        """Whether this process keeps the index."""
        return self._writer is not None

    def open(self) -> bool:
        """Open the database; returns whether this process may write. Reading works if it exists.

        Raises:
            OSError: The state folder cannot be written.
            sqlite3.Error: There is no usable database and none can be made.
        """
        self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._writer is not None:
            return True
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        try:
            layout.forget_jobs(self.file)
            with self._writing:
                self._writer = layout.open_for_writing(self.file)
                layout.mark_in_use(self._writer)
        except (OSError, sqlite3.Error):
            self._lock.release()
            raise
        return True

    def write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Change the database.

        Raises:
            sqlite3.Error: It cannot be changed.
        """
        with self._writing:
            if self._writer is None:
                raise sqlite3.OperationalError("the index is not open for writing")
            return change(self._writer)

    def read(self, question: Callable[[sqlite3.Connection], T]) -> T | None:
        """Ask the database; None when there is none yet.

        Raises:
            sqlite3.Error: It is damaged.
        """
        with self._reading:
            if self._reader is None:
                if not self.file.exists():
                    return None
                reader = layout.connect(self.file, read_only=True)
                if not _is_ours(reader):
                    reader.close()
                    return None
                self._reader = reader
            return question(self._reader)

    def change_count(self) -> int:
        """Return a number that is another one after somebody else changed the database."""
        return self.read(lambda reader: reader.execute("PRAGMA data_version").fetchone()[0]) or 0

    def discard(self) -> None:
        """Throw the database away and begin a new one.

        Raises:
            OSError: It cannot be deleted.
            sqlite3.Error: No new one can be made.
        """
        with self._reading, self._writing:
            self._close_connections()
            layout.remove(self.file)
            self._writer = layout.open_for_writing(self.file)
            layout.mark_in_use(self._writer)

    def close(self) -> None:
        """Close it; somebody else may write then."""
        with self._reading, self._writing:
            if self._writer is not None:
                # Where it fails, nothing says that it was closed: it is checked at the next start.
                with suppress(sqlite3.Error):
                    layout.mark_closed(self._writer)
            self._close_connections()
        self._lock.release()

    def _close_connections(self) -> None:
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()
        self._reader = self._writer = None


def _is_ours(connection: sqlite3.Connection) -> bool:
    return connection.execute("PRAGMA user_version").fetchone()[0] == layout.SCHEMA_VERSION
