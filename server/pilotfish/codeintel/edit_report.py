"""The report that the model gets on its edits.

Owns: one note with each call of the model that there is news for, whoever has found it.
Does not own: what is new (``after_edit`` for syntax, ``semantic`` for language servers), how long it
may be (``note_text``).
See also: design §6.5.
"""

from pathlib import Path

from pilotfish.codeintel.after_edit import DiagnosticsAfterEdit
from pilotfish.codeintel.note_text import Section, report_of
from pilotfish.codeintel.semantic import SemanticDiagnostics
from pilotfish.codeintel.semantic_by_file import SemanticByFile
from pilotfish.core.events import NoteAdded
from pilotfish.ports.editing import EditRecord


class EditReport:
    """Hears of edits; one per agent.

    Implements ``ports.editing.EditObserver`` and ``ports.attachments.AttachmentSource``.
    """

    def __init__(
        self, syntax: DiagnosticsAfterEdit, semantic: SemanticDiagnostics | SemanticByFile
    ) -> None:
        """Set it up.

        Args:
            syntax: Tells at once what no longer parses.
            semantic: Tells what language servers find, and nothing that ``syntax`` has told.
        """
        self._syntax = syntax
        self._semantic = semantic
        self._untold: list[Section] = []
        """What was found when the user stopped the agent, before it could hear of it."""

    def work_in(self, root: Path) -> None:
        """Show paths relative to another folder from now on."""
        self._syntax.work_in(root)
        self._semantic.work_in(root)

    def begin_turn(self) -> None:
        """Expect nothing more of earlier edits."""
        self._semantic.begin_turn()

    async def before_edit(self, path: Path, old_text: str | None) -> None:
        """Take down what is known before a write."""
        await self._semantic.before_edit(path, old_text)

    def edited(self, record: EditRecord) -> None:
        """Take note of a write."""
        self._syntax.edited(record)
        self._semantic.edited(record)

    async def collect(self) -> list[NoteAdded]:
        """Return one note about what is new since the last one, or none."""
        # In this order: what the syntax check has told, nobody else tells.
        self._untold.extend(await self._syntax.sections())
        self._untold.extend(await self._semantic.sections())
        sections, self._untold = self._untold, []
        return [NoteAdded(text=report_of(sections), origin="diagnostics")] if sections else []
