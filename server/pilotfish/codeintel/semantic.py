"""Telling the model what language servers say of its edits.

Owns: what was known before a batch of edits, what is new or gone after it, how long to wait.
Does not own: who knows (``ports.diagnostics``), syntax errors (``codeintel.after_edit``), the report
(``codeintel.edit_report``).
See also: design §6.

A source that says nothing about a file costs one wait; from then on it is not waited for until it has
spoken of that file again. What arrives later is told with the next news, once. VS Code's client ends such
waits itself (``judgements.ts``): it knows which documents are in tabs and who has spoken since. What is
remembered here serves sources that cannot tell, such as other editors.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from pilotfish.codeintel.line_map import LineKey, LineMap
from pilotfish.codeintel.note_text import MAX_PER_FILE, Section, TurnRoom
from pilotfish.ports.diagnostics import DiagnosticsSource, Failure, Problem, ProblemReport
from pilotfish.ports.editing import EditRecord
from pilotfish.util.records import dataclass
from pilotfish.util.text_span import shortened

WAIT_S = 2.0
"""Longest wait for a judgement (design §6.3)."""

SHORT_WAIT_S = 0.3
"""Longest wait for a file of a kind that the source has been silent about: it may look at none of them."""

MAX_MESSAGE_CHARS = 300
"""Longest message of one diagnostic; type errors can fill a screen."""

Place = tuple[Path, int]
"""A file and a line of it, from 1."""

ToldProblems = dict[tuple[Path, int, str], object]
"""Problems by file, line and message, with who has told them: two servers may find the same."""

_Key = tuple[str, str, str]
"""What makes a problem the same one in another place: source, code, message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SemanticLimits:
    """What the settings say of it."""

    wait_s: float = WAIT_S
    """Longest wait for a judgement, in seconds."""
    is_quiet: Callable[[Path], bool] = lambda _: False
    """Tells whether the user wants nothing said of a file's diagnostics."""


@dataclass(kw_only=True)
class _Batch:
    """Edits since the last note."""

    before: ProblemReport
    texts: dict[Path, tuple[str, str]]
    """What each file was before the first edit, and what it is now."""


class Change(NamedTuple):
    """What became of a file's problems."""

    path: Path
    added: Sequence[Problem]
    gone: int
    unsure: int = 0
    """Of what was found, how much may be older than the edit."""


class _News(NamedTuple):
    """What the model has to hear of a file."""

    path: Path
    problems: Sequence[Problem]


class SemanticDiagnostics:
    """Hears of edits; one per agent and source."""

    def __init__(
        self,
        root: Path,
        source: DiagnosticsSource,
        told_elsewhere: Callable[[], frozenset[Place]],
        limits: Callable[[], SemanticLimits] = SemanticLimits,
        room: TurnRoom | None = None,
        told: ToldProblems | None = None,
    ) -> None:
        """Set it up.

        Args:
            root: The project's root; paths below it are shown relative to it.
            source: Who knows the problems.
            told_elsewhere: Returns the places that a syntax error was told for.
            limits: Returns what the settings say now.
            room: What may still be told; None: as usual.
            told: What it has told and others tell, too; what one tells the others do not.
        """
        self._told_by = told
        self._root = root
        self._source = source
        self._told_elsewhere = told_elsewhere
        self._limits = limits
        self._batch: _Batch | None = None
        self._late: _Batch | None = None
        """The last batch: more may arrive about it."""
        self._arrived: list[_News] = []
        """What came late, found when the next batch began."""
        self._told: Counter[tuple[Path, _Key]] = Counter()
        self._benched: set[Path] = set()
        """Files that the source has kept us waiting for, and has not spoken of since."""
        self._silent_kinds: set[str] = set()
        """Suffixes of such files; gone when the source speaks of any file of that kind."""
        self._failed: frozenset[tuple[str, frozenset[Path]]] = frozenset()
        """Who could not judge the last batch; each is told of once, until it can again."""
        self._room = room or TurnRoom()

    def work_in(self, root: Path) -> None:
        """Show paths relative to another folder from now on."""
        self._root = root

    def begin_turn(self) -> None:
        """Expect nothing more of earlier edits: what is new from here on may be the user's own.

        What had arrived by the end of the last turn is told: a stop may have come before the model heard of it.
        """
        self._late = None

    async def before_edit(self, path: Path, old_text: str | None) -> None:
        """Take down what is known before the first write of a batch, and of a file."""
        if self._limits().is_quiet(path):
            return
        if self._batch is None:
            await self._begin_batch()
        if self._batch is not None:
            await self._source.expect(path, old_text)

    async def _begin_batch(self) -> None:
        late = self._late
        if late is None:
            before = await self._source.now()
        else:
            before = await self._now_of(late)
        if before is None:
            return
        if self._late is not None and before.pending:
            # What the last batch broke is not known yet: the two are judged as one.
            self._batch, self._late = self._late, None
            return
        if self._late is not None:
            self._arrived += self._news(await self._compare(self._late, before))
            self._late = None
        self._told.clear()  # what was told is part of the new beginning
        self._source.begin_batch()
        self._batch = _Batch(before=before, texts={})

    def edited(self, record: EditRecord) -> None:
        """Take note of a write."""
        self._room.begin(record.turn_id)
        if self._batch is not None and not self._limits().is_quiet(record.path):
            first, _ = self._batch.texts.get(record.path, (record.old_text or "", ""))
            self._batch.texts[record.path] = first, record.new_text
            self._source.written(record.path, record.new_text)

    async def sections(self) -> Sequence[Section]:
        """Return what is new since the last call, for a report.

        A call that is cancelled has not been: the next one judges the batch, and tells what had arrived.
        """
        batch, self._batch = self._batch, None
        if batch is not None and batch.texts:
            try:
                return await self._judge(batch)
            except asyncio.CancelledError:
                self._batch, self._late = batch, None
                raise
        late = self._late
        report = None
        if late is not None:
            report = await self._now_of(late)
        if late is not None and report is not None:
            judged = report.published | report.watched
            self._note_silence([path for path in late.texts if path in judged], judged)
            self._arrived += self._news(await self._compare(late, report))
        return self._section(self._take_arrived(), "after the last note")

    def _take_arrived(self) -> list[_News]:
        arrived, self._arrived = self._arrived, []
        return arrived

    async def _now_of(self, batch: _Batch) -> ProblemReport | None:
        """Return what is known now, and of a batch's files whether they were judged."""
        since = batch.before.revision
        return await self._source.after(list(batch.texts), since=since, limit_s=0)

    async def _judge(self, batch: _Batch) -> Sequence[Section]:
        paths = list(batch.texts)
        report = await self._report(batch, paths)
        if report is None:
            self._note_silence(paths, frozenset())
            return self._section(self._take_arrived(), "timed out")
        if report.baseline is None:  # else it knows by itself whom it need not wait for
            self._note_silence(paths, report.published | report.watched)
        # Also what was judged may be judged again: syntax often comes first, meaning later.
        self._late = batch
        changes = await self._compare(batch, report)
        news = self._news(changes)
        label = _label(batch, report, changes, any_news=bool(news))
        gone = sum(change.gone for change in changes)
        more = self._more(report, changes)
        return self._section([*self._take_arrived(), *news], label, gone, more)

    async def _report(self, batch: _Batch, paths: Sequence[Path]) -> ProblemReport | None:
        """Return what the source says of a batch; benched files are not waited for."""
        since = batch.before.revision
        awaited = [path for path in paths if path not in self._benched]
        if awaited:
            wait_s = self._limits().wait_s
            if all(path.suffix in self._silent_kinds for path in awaited):
                wait_s = min(SHORT_WAIT_S, wait_s)
            report = await self._source.after(awaited, since=since, limit_s=wait_s)
            if report is None or len(awaited) == len(paths):
                return report
        return await self._source.after(paths, since=since, limit_s=0)

    def _note_silence(self, paths: Sequence[Path], published: frozenset[Path]) -> None:
        for path in paths:
            if path in published:
                self._benched.discard(path)
                self._silent_kinds.discard(path.suffix)
            else:
                self._benched.add(path)
                self._silent_kinds.add(path.suffix)

    def _more(self, report: ProblemReport, changes: Sequence[Change]) -> list[str]:
        """Return what else has to be said of a batch."""
        lines = [
            f"({change.unsure} more in {self._name_of(change.path)}, not on lines of the edit: they may "
            "be older, the file was not judged before.)"
            for change in changes
            if change.unsure
        ]
        if report.pending:
            lines.append(
                f"Not judged in time (timed out): {self._names_of(report.pending)}. "
                "What is found comes with a later message."
            )
        lines += [self._failure(one) for one in report.failures if one.whose not in self._failed]
        self._failed = frozenset(one.whose for one in report.failures)
        return lines

    def _failure(self, failure: Failure) -> str:
        why = shortened(" ".join(failure.why.split()), MAX_MESSAGE_CHARS)
        names = self._names_of(failure.paths)
        return f"Not judged by {failure.name}{f' ({names})' if names else ''}: {why}."

    async def _compare(self, batch: _Batch, report: ProblemReport) -> list[Change]:
        return await asyncio.to_thread(self._changes, batch, report)

    def _changes(self, batch: _Batch, report: ProblemReport) -> list[Change]:
        found: list[Change] = []
        others = [path for path in report.problems if path not in batch.texts]
        known = batch.before.problems if report.baseline is None else report.baseline
        for path in [*batch.texts, *sorted(others)]:
            # A file that was not edited has not moved: as from one empty text to another.
            texts = batch.texts.get(path, ("", ""))
            change = compare(path, known.get(path, ()), report.problems.get(path, ()), texts)
            # What is not among the many that were told before may have been there all the same.
            if path in report.unseen or (batch.before.cut and path not in known):
                change = _on_lines_of(change, LineMap(*texts))
            if change.added or change.gone or (change.unsure and path in batch.texts):
                found.append(change)
        return found

    def _news(self, changes: Sequence[Change]) -> list[_News]:
        """Return what has not been told yet, here or as a syntax error."""
        elsewhere = self._told_elsewhere()
        news: list[_News] = []
        for path, added, *_ in changes:
            seen: Counter[_Key] = Counter()
            fresh: list[Problem] = []
            for one in added:
                key = _key_of(one)
                seen[key] += 1
                syntax = one.severity == "error" and (path, one.line) in elsewhere
                if seen[key] > self._told[path, key] and not syntax and self._is_mine(path, one):
                    fresh.append(one)
            for key, count in seen.items():
                self._told[path, key] = max(count, self._told[path, key])
            if fresh:
                news.append(_News(path, fresh))
        return news

    def _is_mine(self, path: Path, problem: Problem) -> bool:
        """Tell whether nobody else has told a problem; from now on it is told."""
        if self._told_by is None:
            return True
        return self._told_by.setdefault((path, problem.line, problem.message), self) is self

    def _section(
        self, news: Sequence[_News], label: str, gone: int = 0, more: Sequence[str] = ()
    ) -> Sequence[Section]:
        lines, hidden = self._lines(news)
        source = self._source.name
        if lines or hidden:
            what = f"; these diagnostics are new ({label}, from {source}):"
        elif gone:
            what = f"; no diagnostics are new ({label}, from {source})."
        elif more:
            what = "."
        else:
            return ()
        remarks = [f"({gone} earlier diagnostics are gone.)", *more] if gone else more
        head = f"The edit was applied{what}"
        return [Section(head=head, lines=lines, hidden=hidden, remarks=remarks)]

    def _lines(self, news: Sequence[_News]) -> tuple[list[str], int]:
        """Return a line for each that may be told, errors of all files first; and how many may not."""
        found = [(path, one) for path, problems in news for one in problems]
        order = {path: at for at, (path, _) in enumerate(news)}
        found.sort(key=lambda each: (each[1].severity, order[each[0]], each[1].line))
        picked = self._room.pick(path for path, _ in found)
        return [self._line(*found[place]) for place in picked], len(found) - len(picked)

    def _line(self, path: Path, problem: Problem) -> str:
        name = self._name_of(path)
        origin = " ".join(part for part in (problem.source, problem.code) if part)
        message = shortened(" ".join(problem.message.split()), MAX_MESSAGE_CHARS)
        mark = f" [{origin}]" if origin else ""
        return f"{name}:{problem.line}:{problem.column}: {problem.severity}: {message}{mark}"

    def _names_of(self, paths: Collection[Path]) -> str:
        names = sorted(str(self._name_of(path)) for path in paths)
        more = len(names) - MAX_PER_FILE
        return ", ".join(names[:MAX_PER_FILE]) + (f" and {more} more" if more > 0 else "")

    def _name_of(self, path: Path) -> Path:
        return path.relative_to(self._root) if path.is_relative_to(self._root) else path


def _key_of(problem: Problem) -> _Key:
    return problem.source, problem.code, problem.message


def _label(
    batch: _Batch, report: ProblemReport, changes: Sequence[Change], *, any_news: bool
) -> str:
    is_part = report.cut or batch.before.cut or any(change.unsure for change in changes)
    judged = report.published | report.watched
    if all(path in judged for path in batch.texts):
        return "partial" if is_part else "fresh"
    return "partial" if judged or any_news else "timed out"


def compare(
    path: Path,
    before: Sequence[Problem],
    after: Sequence[Problem],
    texts: tuple[str, str],
) -> Change:
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
    return _without_moved(Change(path, added, known.total()), known, lines)


def _on_lines_of(change: Change, lines: LineMap) -> Change:
    """Leave in of a file that nobody had judged before what its edit must have brought."""
    added = [one for one in change.added if lines.new_key(one.line)[0] == "change"]
    return Change(change.path, added, 0, len(change.added) - len(added))


def _without_moved(change: Change, known: Counter[tuple[_Key, LineKey]], lines: LineMap) -> Change:
    """Leave out what went with its line from one changed place to another: it is no news."""
    left = Counter[_Key]()
    for (key, (kind, _)), count in known.items():
        if kind == "change":
            left[key] += count
    added: list[Problem] = []
    gone = change.gone
    for one in change.added:
        key = _key_of(one)
        if lines.new_key(one.line)[0] == "change" and left[key] > 0:
            left[key] -= 1
            gone -= 1
        else:
            added.append(one)
    return Change(change.path, added, gone)
