"""Telling the model what language servers say of its edits.

Owns: what was known before a batch of edits, what is new or gone after it, how long to wait, the note.
Does not own: who knows (``ports.diagnostics``), syntax errors (``codeintel.after_edit``).
See also: design §6.

A source that says nothing about a kind of file costs one long wait; from then on only a short one,
until it speaks again. What arrives later is told with the next news, once.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pilotfish.codeintel.line_map import LineMap
from pilotfish.codeintel.note_text import MAX_PER_FILE, MAX_PER_TURN, cut_note
from pilotfish.core.events import NoteAdded
from pilotfish.core.ids import TurnId
from pilotfish.ports.diagnostics import DiagnosticsSource, Problem, ProblemReport
from pilotfish.ports.editing import EditRecord

WAIT_S = 2.0
"""Longest wait for a judgement (design §6.3)."""

SHORT_WAIT_S = 0.3
"""Longest wait where the source has not answered before."""

MAX_MESSAGE_CHARS = 300
"""Longest message of one diagnostic; type errors can fill a screen."""

Place = tuple[Path, int]
"""A file and a line of it, from 1."""

_Key = tuple[str, str, str]
"""What makes a problem the same one in another place: source, code, message."""


@dataclass(kw_only=True)
class _Batch:
    """Edits since the last note."""

    before: ProblemReport
    texts: dict[Path, tuple[str, str]]
    """What each file was before the first edit, and what it is now."""


class _Change(NamedTuple):
    """What became of a file's problems."""

    path: Path
    added: Sequence[Problem]
    gone: int


class _News(NamedTuple):
    """What the model has to hear of a file."""

    path: Path
    problems: Sequence[Problem]


class SemanticDiagnostics:
    """Hears of edits; one per agent. Implements ``ports.attachments.AttachmentSource``."""

    def __init__(
        self,
        root: Path,
        source: DiagnosticsSource,
        told_elsewhere: Callable[[], frozenset[Place]],
    ) -> None:
        """Set it up.

        Args:
            root: The project's root; paths below it are shown relative to it.
            source: Who knows the problems.
            told_elsewhere: Returns the places that a syntax error was told for.
        """
        self._root = root
        self._source = source
        self._told_elsewhere = told_elsewhere
        self._batch: _Batch | None = None
        self._late: _Batch | None = None
        """The last batch: more may arrive about it."""
        self._arrived: list[_News] = []
        """What came late, found when the next batch began."""
        self._told: Counter[tuple[Path, _Key]] = Counter()
        self._silent: set[str] = set()
        """Suffixes of files that the source says nothing about."""
        self._turn: TurnId | None = None
        self._told_in_turn = 0

    def begin_turn(self) -> None:
        """Expect nothing more of earlier edits: what is new from here on may be the user's own."""
        self._late = None
        self._arrived.clear()

    async def before_edit(self) -> None:
        """Take down what is known before the first write of a batch."""
        if self._batch is not None:
            return
        before = await self._source.now()
        if before is None:
            return
        if self._late is not None:
            self._arrived += self._news(self._changes(self._late, before))
            self._late = None
        self._told.clear()  # what was told is part of the new beginning
        self._batch = _Batch(before=before, texts={})

    def edited(self, record: EditRecord) -> None:
        """Take note of a write."""
        if record.turn_id != self._turn:
            self._turn, self._told_in_turn = record.turn_id, 0
        if self._batch is not None:
            first, _ = self._batch.texts.get(record.path, (record.old_text or "", ""))
            self._batch.texts[record.path] = first, record.new_text

    async def collect(self) -> list[NoteAdded]:
        """Return a note about what is new since the last one, or none."""
        batch, self._batch = self._batch, None
        arrived, self._arrived = self._arrived, []
        if batch is not None and batch.texts:
            return await self._judge(batch, arrived)
        late = self._late
        report = await self._source.now() if late is not None else None
        if late is not None and report is not None:
            arrived += self._news(self._changes(late, report))
        return self._note(arrived, "after the last note")

    async def _judge(self, batch: _Batch, arrived: Sequence[_News]) -> list[NoteAdded]:
        paths = list(batch.texts)
        quick = all(path.suffix in self._silent for path in paths)
        limit = SHORT_WAIT_S if quick else WAIT_S
        report = await self._source.after(paths, since=batch.before.revision, limit_s=limit)
        if report is None:
            return self._note(arrived, "timed out")
        for path in paths:
            if path in report.published:
                self._silent.discard(path.suffix)
            else:
                self._silent.add(path.suffix)
        missing = [path for path in paths if path not in report.published]
        # Also what was judged may be judged again: syntax often comes first, meaning later.
        self._late = batch
        label = "fresh" if not missing else "partial" if report.published else "timed out"
        changes = await asyncio.to_thread(self._changes, batch, report)
        gone = sum(change.gone for change in changes)
        return self._note([*arrived, *self._news(changes)], label, gone)

    def _changes(self, batch: _Batch, report: ProblemReport) -> list[_Change]:
        found: list[_Change] = []
        others = [path for path in report.problems if path not in batch.texts]
        for path in [*batch.texts, *sorted(others)]:
            before = batch.before.problems.get(path, ())
            after = report.problems.get(path, ())
            # A file that was not edited has not moved: as from one empty text to another.
            change = _compare(path, before, after, batch.texts.get(path, ("", "")))
            if change.added or change.gone:
                found.append(change)
        return found

    def _news(self, changes: Sequence[_Change]) -> list[_News]:
        """Return what has not been told yet, here or as a syntax error."""
        elsewhere = self._told_elsewhere()
        news: list[_News] = []
        for path, added, _ in changes:
            seen: Counter[_Key] = Counter()
            fresh: list[Problem] = []
            for one in added:
                key = _key_of(one)
                seen[key] += 1
                syntax = one.severity == "error" and (path, one.line) in elsewhere
                if seen[key] > self._told[path, key] and not syntax:
                    fresh.append(one)
            for key, count in seen.items():
                self._told[path, key] = max(count, self._told[path, key])
            if fresh:
                news.append(_News(path, fresh))
        return news

    def _note(self, news: Sequence[_News], label: str, gone: int = 0) -> list[NoteAdded]:
        lines: list[str] = []
        hidden = 0
        for path, fresh in news:
            room = min(MAX_PER_FILE, max(0, MAX_PER_TURN - self._told_in_turn))
            shown = sorted(fresh, key=lambda one: (one.severity, one.line))[:room]
            self._told_in_turn += len(shown)
            hidden += len(fresh) - len(shown)
            lines += [self._line(path, one) for one in shown]
        if not lines:
            return []
        if hidden:
            lines.append(f"({hidden} more, not shown)")
        source = self._source.name
        head = f"The edit was applied; these diagnostics are new ({label}, from {source}):"
        tail = [f"({gone} earlier diagnostics are gone.)"] if gone else []
        return [NoteAdded(text=cut_note([head, *lines, *tail]), origin="diagnostics")]

    def _line(self, path: Path, problem: Problem) -> str:
        name = path.relative_to(self._root) if path.is_relative_to(self._root) else path
        origin = " ".join(part for part in (problem.source, problem.code) if part)
        message = " ".join(problem.message.split())
        if len(message) > MAX_MESSAGE_CHARS:
            message = message[: MAX_MESSAGE_CHARS - 1] + "…"
        mark = f" [{origin}]" if origin else ""
        return f"{name}:{problem.line}:{problem.column}: {problem.severity}: {message}{mark}"


def _key_of(problem: Problem) -> _Key:
    return problem.source, problem.code, problem.message


def _compare(
    path: Path,
    before: Sequence[Problem],
    after: Sequence[Problem],
    texts: tuple[str, str],
) -> _Change:
    """Tell what is new and what is gone; lines count where the edit has moved them to."""
    lines = LineMap(*texts)
    known = Counter((_key_of(one), lines.old_key(one.line)) for one in before)
    added: list[Problem] = []
    for one in after:
        place = _key_of(one), lines.new_key(one.line)
        if known[place] > 0:
            known[place] -= 1
        else:
            added.append(one)
    return _Change(path, added, known.total())
