"""What an agent did to one file, as hunks that a person accepts or takes back.

Owns: the baseline (the file without the agent's changes that nobody has looked at), the hunks between
it and the file as it is, and who wrote each line.
Does not own: where the texts come from, what is written (``session.edit_review``). Pure.
See also: design §5.

A file's life is a row of steps. Steps of the agent lead away from the baseline. All others — the
user's own edits, and edits that the user agreed to — go into it, too, by a three-way merge; where one
hits lines that the agent changed, it becomes part of that hunk.
"""

import hashlib
from collections.abc import Callable
from dataclasses import field

from pilotfish.core.ids import CheckpointId
from pilotfish.util.line_diff import line_changes
from pilotfish.util.merge3 import keep_lines, merge
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One change of a file. None stands for "does not exist"."""

    before: str | None
    after: str | None
    checkpoint_id: CheckpointId | None = None
    """The write; None when the change came from outside."""
    to_review: bool = False
    """Whether the agent made it and nobody has looked at it yet."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hunk:
    """A run of lines that differs from the baseline. Line indexes from 0."""

    id: str
    """The same as long as the hunk's lines are."""
    old_start: int
    old_lines: tuple[str, ...]
    """With their endings."""
    new_start: int
    new_lines: tuple[str, ...]
    checkpoints: tuple[CheckpointId, ...]
    """The writes that it comes from, oldest first; empty when that cannot be told."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileReview:
    """What waits for review in one file."""

    baseline: str | None
    current: str | None
    hunks: tuple[Hunk, ...]

    @property
    def is_settled(self) -> bool:
        """Whether nothing waits."""
        return self.baseline == self.current


@dataclass
class LineOrigins:
    """Which write each line of a text comes from."""

    lines: list[CheckpointId | None] = field(default_factory=list[CheckpointId | None])
    """None: it was there before, or came from outside."""
    gaps: list[CheckpointId | None] = field(default_factory=lambda: [None])
    """The write that deleted lines before each line, and at the end; one more than lines."""

    @classmethod
    def of(cls, text: str | None) -> "LineOrigins":
        """Return origins of a text that no write has touched."""
        count = len(keep_lines(text or ""))
        return cls(lines=[None] * count, gaps=[None] * (count + 1))

    def apply(self, step: Step) -> None:
        """Take one step into account."""
        old, new = keep_lines(step.before or ""), keep_lines(step.after or "")
        lines: list[CheckpointId | None] = []
        gaps: list[CheckpointId | None] = []
        at = 0
        for change in line_changes(old, new):
            lines += self.lines[at : change.old_start]
            gaps += self.gaps[at : change.old_start]
            count = change.new_end - change.new_start
            if count:
                lines += [step.checkpoint_id] * count
                gaps += [self.gaps[change.old_start], *([None] * (count - 1))]
            else:
                self.gaps[change.old_end] = step.checkpoint_id
            at = change.old_end
        self.lines = lines + self.lines[at:]
        self.gaps = gaps + self.gaps[at:]


class FileFold:
    """A file's life, folded step by step."""

    def __init__(self, start: str | None) -> None:
        self._baseline = start
        self._text = start
        self._origins = LineOrigins.of(start)

    def change(
        self,
        before: str | None,
        after: str | None,
        *,
        checkpoint_id: CheckpointId,
        to_review: bool,
    ) -> None:
        """Take a write into account, and what happened to the file before it from outside."""
        self._take(Step(before=self._text, after=before))
        self._take(
            Step(before=before, after=after, checkpoint_id=checkpoint_id, to_review=to_review)
        )

    def looked_at(self, baseline: str | None, current: str | None) -> None:
        """Take into account that a person looked at the file as it was then."""
        self._take(Step(before=self._text, after=current))
        self._baseline = baseline

    def now(self, current: str | None) -> tuple[FileReview, LineOrigins]:
        """Return what waits for review in the file as it is, and where its lines come from."""
        last = Step(before=self._text, after=current)
        baseline, origins = self._baseline, self._origins
        if last.before != last.after:
            baseline = _take_over(baseline, last)
            origins = LineOrigins(lines=list(origins.lines), gaps=list(origins.gaps))
            origins.apply(last)
        hunks = _hunks(baseline, current, origins)
        return FileReview(baseline=baseline, current=current, hunks=hunks), origins

    def _take(self, step: Step) -> None:
        if step.before == step.after:
            return
        self._origins.apply(step)
        if not step.to_review:
            self._baseline = _take_over(self._baseline, step)
        self._text = step.after


def without_hunks(found: FileReview, ids: frozenset[str]) -> str | None:
    """Return the file with some hunks taken back."""
    if found.baseline is None or found.current is None:
        return found.baseline if ids else found.current  # the whole file is one hunk
    return _mixed(found, lambda hunk: hunk.old_lines if hunk.id in ids else hunk.new_lines)


def baseline_with_hunks(found: FileReview, ids: frozenset[str]) -> str | None:
    """Return the baseline with some hunks accepted."""
    if found.baseline is None or found.current is None:
        return found.current if ids else found.baseline
    return _mixed(found, lambda hunk: hunk.new_lines if hunk.id in ids else hunk.old_lines)


def undo(before: str | None, after: str | None, current: str | None) -> str | None:
    """Take a change back from a text that has changed since.

    Args:
        before: The text before the change.
        after: The text after it.
        current: The text now.

    Returns:
        What it would be without that change.

    Raises:
        UndoConflict: The same lines were changed since, or the file came or went.
    """
    if current == after:
        return before
    if before is None or after is None or current is None:
        raise UndoConflict
    found = merge(keep_lines(after), keep_lines(current), keep_lines(before))
    if found.conflicts:
        raise UndoConflict
    return "".join(found.lines)


class UndoConflict(Exception):  # noqa: N818 - not a fault of the program
    """A change cannot be taken back without losing a later one."""


def _take_over(baseline: str | None, step: Step) -> str | None:
    """Bring a change that needs no review into the baseline, too."""
    if baseline == step.before:
        return step.after
    if step.before is None or step.after is None:
        return step.after
    if baseline is None:
        return None  # the agent's own new file stays to be looked at as a whole
    found = merge(keep_lines(step.before), keep_lines(baseline), keep_lines(step.after))
    return "".join(found.lines)


def _hunks(baseline: str | None, current: str | None, origins: LineOrigins) -> tuple[Hunk, ...]:
    if baseline == current:
        return ()
    old, new = keep_lines(baseline or ""), keep_lines(current or "")
    changes = line_changes(old, new)
    hunks: list[Hunk] = []
    seen: dict[str, int] = {}
    for change in changes:
        old_lines = tuple(old[change.old_start : change.old_end])
        new_lines = tuple(new[change.new_start : change.new_end])
        name = _name(old_lines, new_lines)
        number = seen[name] = seen.get(name, 0) + 1
        hunks.append(
            Hunk(
                id=name if number == 1 else f"{name}-{number}",
                old_start=change.old_start,
                old_lines=old_lines,
                new_start=change.new_start,
                new_lines=new_lines,
                checkpoints=_writers(origins, change.new_start, change.new_end),
            )
        )
    if not hunks:  # an empty file that was created or deleted
        hunks.append(
            Hunk(
                id=_name((), ()),
                old_start=0,
                old_lines=(),
                new_start=0,
                new_lines=(),
                checkpoints=(),
            )
        )
    return tuple(hunks)


def _writers(origins: LineOrigins, start: int, end: int) -> tuple[CheckpointId, ...]:
    if start == end:
        gap = origins.gaps[start] if start < len(origins.gaps) else None
        return () if gap is None else (gap,)
    return tuple(dict.fromkeys(line for line in origins.lines[start:end] if line is not None))


def _name(old_lines: tuple[str, ...], new_lines: tuple[str, ...]) -> str:
    text = "".join(old_lines) + "\0" + "".join(new_lines)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _mixed(found: FileReview, lines_of: Callable[[Hunk], tuple[str, ...]]) -> str:
    new = keep_lines(found.current or "")
    parts: list[str] = []
    at = 0
    for hunk in found.hunks:
        parts += new[at : hunk.new_start]
        parts += lines_of(hunk)
        at = hunk.new_start + len(hunk.new_lines)
    return "".join(parts + new[at:])
