"""The events of a transcript that nobody writes, for views of agents that have ended.

Owns: reading a page of it; nothing is kept in memory between two pages.
Does not own: what a page is (``session.event_pages``), the form of the file
(``session.transcript_reader``).
"""

import asyncio
from pathlib import Path

from pilotfish.core.errors import SessionError
from pilotfish.core.events import TodosChanged
from pilotfish.core.todos import TodoItem
from pilotfish.session import codec
from pilotfish.session.event_pages import PAGE_BYTES, Page, page_of
from pilotfish.session.transcript_reader import (
    index_of,
    last_line_of_kind,
    last_seq,
    place_before_end,
    read_page,
)
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredPage:
    """A page, and what a view shows beside it."""

    page: Page
    last_seq: int
    """The place of the last event in the transcript; 0 when there is none."""
    todos: tuple[TodoItem, ...]
    """The todo list as it was left."""


class StoredEvents:
    """Reads one transcript."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def page(
        self, *, after: int = 0, before: int | None = None, max_bytes: int = PAGE_BYTES
    ) -> StoredPage:
        """Return the latest events of a range, as many as fit a page; see ``EventLog.page``.

        Raises:
            SessionError: There is no such transcript, or it cannot be read.
        """
        try:
            return await asyncio.to_thread(self._read, after, before, max_bytes)
        except FileNotFoundError as error:
            raise SessionError(
                "What this agent did is not on disk any more.",
                hint="Its output file may still have its last words.",
            ) from error
        except OSError as error:
            raise SessionError(
                f"The transcript {self._path} cannot be read: {error.strerror or error}."
            ) from error

    def _read(self, after: int, before: int | None, max_bytes: int) -> StoredPage:
        if before is None:
            # The latest page is what a look begins with: the rest of the file is not gone through.
            latest = last_seq(self._path)
            start, end = place_before_end(self._path, max_bytes), latest + 1
        else:
            index, latest, _ = index_of(self._path)
            start, end = index.place_before(index.place_of(before), max_bytes), before
        records = read_page(self._path, start, end)
        return StoredPage(
            page=page_of(records, after=after, max_bytes=max_bytes),
            last_seq=latest,
            todos=self._todos(),
        )

    def _todos(self) -> tuple[TodoItem, ...]:
        with self._path.open("rb") as file:
            line = last_line_of_kind(file, b"todos_changed")
        record = None if line is None else codec.from_line(line)
        return record.event.todos if record and isinstance(record.event, TodosChanged) else ()
