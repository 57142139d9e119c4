"""Having the tree of a file ready before it is edited: what an agent reads, it may change next.

Owns: parsing in the background what was read, so that an edit costs the parsing of its change alone.
Does not own: the trees (``codeintel.recent_trees``), what comes of an edit (``codeintel.after_edit``).
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

from pilotfish.codeintel.languages import language_of
from pilotfish.codeintel.symbols import MAX_TREE_BYTES
from pilotfish.codeintel.syntax import check_syntax
from pilotfish.util.tasks import TaskScope

PAUSE_S = 0.05
"""The model call that follows a read goes first: parsing and it would share a processor."""

MAX_WAITING = 10
"""Files that wait for their turn; of more, those read last are taken."""


class SyntaxWarmUp:
    """One per session."""

    def __init__(self, read: Callable[[Path], str | None], tasks: TaskScope) -> None:
        """Set it up.

        Args:
            read: Returns a file's text, None when it has none. Called in a thread.
            tasks: Who owns the work in the background.
        """
        self._read = read
        self._tasks = tasks
        self._waiting: dict[Path, None] = {}
        self._working: asyncio.Task[None] | None = None

    def seen(self, path: Path) -> None:
        """Take note of a file that was read. Costs nothing."""
        if language_of(path) is None:
            return
        self._waiting.pop(path, None)
        self._waiting[path] = None
        if len(self._waiting) > MAX_WAITING:
            del self._waiting[next(iter(self._waiting))]
        if self._working is None or self._working.done():
            self._working = self._tasks.start(self._work(), name="warm up syntax")

    async def _work(self) -> None:
        await asyncio.sleep(PAUSE_S)
        while self._waiting:
            path, _ = self._waiting.popitem()
            text = await asyncio.to_thread(self._read, path)
            if text is not None and len(text) <= MAX_TREE_BYTES:
                await check_syntax(path, text)
