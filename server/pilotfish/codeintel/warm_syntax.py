"""Having the tree of a file ready before it is edited: what an agent reads, it may change next.

Owns: parsing in the background what was read, so that an edit costs the parsing of its change alone.
Does not own: the trees (``codeintel.recent_trees``), what comes of an edit (``codeintel.after_edit``).
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

from pilotfish.codeintel.latest_first import LatestFirst
from pilotfish.codeintel.symbols import MAX_TREE_BYTES
from pilotfish.codeintel.syntax import check_syntax, checked_language
from pilotfish.util.tasks import TaskScope

PAUSE_S = 0.05
"""The model call that follows a read goes first: parsing and it would share a processor."""


class SyntaxWarmUp:
    """One per session."""

    def __init__(self, read: Callable[[Path], str | None], tasks: TaskScope) -> None:
        """Set it up.

        Args:
            read: Returns a file's text, None when it has none. Called in a thread.
            tasks: Who owns the work in the background.
        """
        self._read = read
        self._queue = LatestFirst(self._look, tasks, name="warm up syntax", pause_s=PAUSE_S)

    def seen(self, path: Path) -> None:
        """Take note of a file that was read. Costs nothing."""
        if checked_language(path) is not None:
            self._queue.add(path)

    async def _look(self, path: Path) -> None:
        text = await asyncio.to_thread(self._read, path)
        if text is not None and len(text) <= MAX_TREE_BYTES:
            await check_syntax(path, text)
