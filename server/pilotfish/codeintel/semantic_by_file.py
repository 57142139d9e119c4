"""Telling the model what its edits broke, each file judged by whoever looks at it.

Owns: which of two sources hears of an edit: the editor's language servers where they look at such
files, ours where they do not.
Does not own: what is new (``codeintel.semantic``), who looks at what (``ports.editor``).
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from pilotfish.codeintel.semantic import SemanticDiagnostics
from pilotfish.core.events import NoteAdded
from pilotfish.ports.editing import EditRecord


class SemanticByFile:
    """Hears of edits; one per agent. Used like ``SemanticDiagnostics``."""

    def __init__(
        self,
        editor: SemanticDiagnostics,
        own: SemanticDiagnostics,
        serves: Callable[[Path], Awaitable[bool]],
    ) -> None:
        """Set it up.

        Args:
            editor: Tells what the editor finds.
            own: Tells what our servers find.
            serves: Tells whether the editor looks at files like this one.
        """
        self._editor = editor
        self._own = own
        self._serves = serves
        self._source_of: dict[Path, SemanticDiagnostics] = {}
        """Who judges the files of this batch; the same one before the edit and after it."""

    def work_in(self, root: Path) -> None:
        """Show paths relative to another folder from now on."""
        self._editor.work_in(root)
        self._own.work_in(root)

    def begin_turn(self) -> None:
        """Expect nothing more of earlier edits."""
        self._editor.begin_turn()
        self._own.begin_turn()

    async def before_edit(self, path: Path, old_text: str | None) -> None:
        """Take down what is known before a write."""
        source = self._source_of.get(path)
        if source is None:
            source = self._editor if await self._serves(path) else self._own
            self._source_of[path] = source
        await source.before_edit(path, old_text)

    def edited(self, record: EditRecord) -> None:
        """Take note of a write."""
        self._source_of.get(record.path, self._editor).edited(record)

    async def collect(self) -> list[NoteAdded]:
        """Return notes about what is new since the last ones; both are waited for together."""
        self._source_of.clear()
        notes = await asyncio.gather(self._editor.collect(), self._own.collect())
        return [note for several in notes for note in several]
