"""Telling the model what its edits broke, before it asks.

Owns: the text before and after a batch of edits, the note about what is new, its limits.
Does not own: finding problems (``codeintel.syntax``), what language servers say
(``codeintel.semantic``).
See also: design §6.
"""

from collections.abc import Callable
from pathlib import Path

from pilotfish.codeintel.note_text import TurnRoom, cut_note
from pilotfish.codeintel.syntax import SyntaxProblem, check_syntax, new_problems
from pilotfish.core.events import NoteAdded
from pilotfish.ports.editing import EditRecord
from pilotfish.util.records import dataclass

MAX_REMEMBERED_FILES = 200
"""Files whose reported problems are remembered, so that their end can be told."""

_SOURCE = "syntax check (tree-sitter)"


@dataclass(kw_only=True, slots=True)
class _Edited:
    """A file that the batch changed."""

    old_text: str
    """Before the first edit of the batch; empty for a new file."""
    new_text: str


class DiagnosticsAfterEdit:
    """Hears of edits and has a note about what they broke; one per agent.

    Implements ``ports.editing.EditObserver`` and ``ports.attachments.AttachmentSource``.
    """

    def __init__(
        self,
        root: Path,
        is_quiet: Callable[[Path], bool] = lambda _: False,
        room: TurnRoom | None = None,
    ) -> None:
        """Set it up.

        Args:
            root: The project's root; paths below it are shown relative to it.
            is_quiet: Tells whether the user wants nothing said of a file's diagnostics.
            room: What may still be told; None: as usual.
        """
        self.room = room or TurnRoom()
        """Shared with others that tell the same agent of diagnostics."""
        self._root = root
        self._is_quiet = is_quiet
        self._edited: dict[Path, _Edited] = {}
        self._outstanding: dict[Path, int] = {}
        """How many reported problems of a file are not fixed yet."""
        self._told_places: set[tuple[Path, int]] = set()

    def work_in(self, root: Path) -> None:
        """Show paths relative to another folder from now on."""
        self._root = root

    @property
    def told_places(self) -> frozenset[tuple[Path, int]]:
        """File and line of what the last note told, so that no other source tells it again."""
        return frozenset(self._told_places)

    def edited(self, record: EditRecord) -> None:
        """Take note of a write."""
        if self._is_quiet(record.path):
            return
        self.room.begin(record.turn_id)
        known = self._edited.get(record.path)
        if known is None:
            self._edited[record.path] = _Edited(
                old_text=record.old_text or "", new_text=record.new_text
            )
        else:
            known.new_text = record.new_text

    async def collect(self) -> list[NoteAdded]:
        """Return one note about what the edits since the last call broke or repaired, or none."""
        edited, self._edited = self._edited, {}
        self._told_places.clear()
        broken: list[str] = []
        repaired: list[str] = []
        for path, texts in edited.items():
            await self._check(path, texts, broken, repaired)
        parts: list[str] = []
        if broken:
            parts.append(
                f"The edit was applied; these diagnostics are new (fresh, from the {_SOURCE}):"
            )
            parts += broken
        if repaired:
            parts.append(f"Fixed since they were reported (fresh, from the {_SOURCE}):")
            parts += repaired
        return [NoteAdded(text=cut_note(parts), origin="diagnostics")] if parts else []

    async def _check(
        self, path: Path, texts: _Edited, broken: list[str], repaired: list[str]
    ) -> None:
        # In this order: the tree of the old text may be known, that of the new one is kept for the next edit.
        before = await check_syntax(path, texts.old_text)
        after = await check_syntax(path, texts.new_text)
        if before is None or after is None:
            return
        name = str(path.relative_to(self._root) if path.is_relative_to(self._root) else path)
        if before.timed_out or after.timed_out:
            broken.append(f"{name}: not checked, parsing took too long (timed out)")
            return
        added, fixed = new_problems(before, after, texts.old_text, texts.new_text)
        broken += self._lines(name, added)
        self._told_places.update((path, each.line) for each in added)
        outstanding = self._outstanding.pop(path, 0)
        told_fixed = min(outstanding, len(fixed)) if after.problems else outstanding
        if told_fixed:
            left = f"{len(after.problems)} left" if after.problems else "none left"
            repaired.append(f"{name}: {told_fixed} fixed, {left}")
        still = outstanding - told_fixed + len(added)
        if still:
            self._outstanding[path] = still
        while len(self._outstanding) > MAX_REMEMBERED_FILES:
            del self._outstanding[next(iter(self._outstanding))]

    def _lines(self, name: str, added: tuple[SyntaxProblem, ...]) -> list[str]:
        shown = added[: self.room.take(len(added))]
        lines = [
            f"{name}:{each.line}:{each.column}: {each.message}\n    {each.context}"
            for each in shown
        ]
        if len(added) > len(shown):
            lines.append(f"{name}: {len(added) - len(shown)} more errors, not shown")
        return lines
