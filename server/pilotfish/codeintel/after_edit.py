"""Telling the model what its edits broke in the syntax, before it asks.

Owns: the text before and after a batch of edits, what is new and what is repaired.
Does not own: finding problems (``codeintel.syntax``), what language servers say
(``codeintel.semantic``), the report (``codeintel.edit_report``).
See also: design §6.
"""

from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path

from pilotfish.codeintel.note_text import Section, TurnRoom
from pilotfish.codeintel.syntax import SyntaxProblem, check_syntax, new_problems
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


@dataclass(kw_only=True, slots=True)
class _Reported:
    """What was reported of a file and is not repaired yet."""

    count: int
    lines: frozenset[int]
    """Where the file's syntax is broken now."""


@dataclass(kw_only=True, slots=True)
class _Found:
    """What there is to tell of the edits since the last report."""

    broken: list[str] = field(default_factory=list[str])
    remarks: list[str] = field(default_factory=list[str])
    repaired: list[str] = field(default_factory=list[str])

    def sections(self) -> list[Section]:
        """Return it as parts of a report."""
        sections: list[Section] = []
        if self.broken or self.remarks:
            new = (
                f"; these diagnostics are new (fresh, from the {_SOURCE}):" if self.broken else "."
            )
            head = f"The edit was applied{new}"
            sections.append(Section(head=head, lines=self.broken, remarks=self.remarks))
        if self.repaired:
            head = f"Fixed since they were reported (fresh, from the {_SOURCE}):"
            sections.append(Section(head=head, lines=self.repaired))
        return sections


class DiagnosticsAfterEdit:
    """Hears of edits and tells what they broke in the syntax; one per agent.

    Implements ``ports.editing.EditObserver``.
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
        self._found = _Found()
        self._reported: dict[Path, _Reported] = {}

    def work_in(self, root: Path) -> None:
        """Show paths relative to another folder from now on."""
        self._root = root

    @property
    def told_places(self) -> frozenset[tuple[Path, int]]:
        """File and line of what was told and is still broken, so that no other source tells it again."""
        return frozenset(
            (path, line) for path, known in self._reported.items() for line in known.lines
        )

    def edited(self, record: EditRecord) -> None:
        """Take note of a write."""
        if self._is_quiet(record.path):
            return
        self.room.begin(record.turn_id)
        self._note(record.path, record.old_text or "", record.new_text)

    def _note(self, path: Path, old_text: str, new_text: str) -> None:
        known = self._edited.setdefault(path, _Edited(old_text=old_text, new_text=new_text))
        known.new_text = new_text

    async def sections(self) -> Sequence[Section]:
        """Return what the edits since the last call broke or repaired, for a report.

        A call that is cancelled has not been: the next one tells all of it.
        """
        unchecked, self._edited = self._edited, {}
        try:
            while unchecked:
                path = next(iter(unchecked))
                await self._check(path, unchecked[path], self._found)
                del unchecked[path]
        finally:
            later, self._edited = self._edited, unchecked
            for path, texts in later.items():
                self._note(path, texts.old_text, texts.new_text)
        found, self._found = self._found, _Found()
        return found.sections()

    async def _check(self, path: Path, texts: _Edited, found: _Found) -> None:
        # In this order: the tree of the old text may be known, that of the new one is kept for the next edit.
        before = await check_syntax(path, texts.old_text)
        after = await check_syntax(path, texts.new_text)
        if before is None or after is None:
            return
        name = str(path.relative_to(self._root) if path.is_relative_to(self._root) else path)
        if before.timed_out or after.timed_out:
            found.remarks.append(f"{name}: not checked, parsing took too long (timed out)")
            return
        added, fixed = new_problems(before, after, texts.old_text, texts.new_text)
        self._tell(name, added, found)
        known = self._reported.pop(path, None)
        reported = 0 if known is None else known.count
        told_fixed = min(reported, len(fixed)) if after.problems else reported
        if told_fixed:
            left = f"{len(after.problems)} left" if after.problems else "none left"
            found.repaired.append(f"{name}: {told_fixed} fixed, {left}")
        still = reported - told_fixed + len(added)
        if still:
            lines = frozenset(one.line for one in after.problems)
            self._reported[path] = _Reported(count=still, lines=lines)
        while len(self._reported) > MAX_REMEMBERED_FILES:
            del self._reported[next(iter(self._reported))]

    def _tell(self, name: str, added: tuple[SyntaxProblem, ...], found: _Found) -> None:
        shown = added[: self.room.take(len(added))]
        found.broken += [
            f"{name}:{each.line}:{each.column}: {each.message}\n    {each.context}"
            for each in shown
        ]
        if len(added) > len(shown):
            found.remarks.append(f"{name}: {len(added) - len(shown)} more errors, not shown")
