"""Three-way merge of lines.

Owns: putting two changes of one text together, and saying where they cannot be.
Does not own: what is done about a conflict.
"""

from collections.abc import Sequence
from typing import Literal

from pilotfish.util.line_diff import LineChange, line_changes
from pilotfish.util.records import dataclass

Prefer = Literal["ours", "theirs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Merged:
    """The outcome of a merge."""

    lines: list[str]
    conflicts: int
    """Regions that both sides changed, and differently; the preferred side was taken there."""


def keep_lines(text: str) -> list[str]:
    """Split a text into lines with their endings, so that joining them gives the text back."""
    end = "\r" if "\n" not in text and "\r" in text else "\n"
    parts = text.split(end)
    last = parts.pop()
    return [part + end for part in parts] + ([last] if last else [])


def merge(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str], *, prefer: Prefer = "ours"
) -> Merged:
    """Apply both changes of ``base``: that to ``ours`` and that to ``theirs``.

    Changes of neighbouring lines do not disturb each other. Where both sides did the same it is no
    conflict.
    """
    base_lines = list(base)
    mine = line_changes(base_lines, list(ours))
    other = line_changes(base_lines, list(theirs))
    lines: list[str] = []
    conflicts = at = 0
    while mine or other:
        first, last, own, foreign = _region(mine, other)
        lines += base_lines[at:first]
        our_lines = _side(own, ours, first, last)
        their_lines = _side(foreign, theirs, first, last)
        if not foreign or our_lines == their_lines:
            lines += our_lines
        elif not own:
            lines += their_lines
        else:
            conflicts += 1
            lines += our_lines if prefer == "ours" else their_lines
        at = last
    return Merged(lines=lines + base_lines[at:], conflicts=conflicts)


def _region(
    mine: list[LineChange], other: list[LineChange]
) -> tuple[int, int, list[LineChange], list[LineChange]]:
    """Take the first changes of both lists that overlap; returns their range of the base, too."""
    following = mine if not other or (mine and _key(mine[0]) <= _key(other[0])) else other
    change = following.pop(0)
    own, foreign = ([change], []) if following is mine else ([], [change])
    first, last = change.old_start, change.old_end
    grown = True
    while grown:
        grown = False
        for source, taken in ((mine, own), (other, foreign)):
            while source and _overlaps(source[0], first, last):
                taken.append(source.pop(0))
                last = max(last, taken[-1].old_end)
                grown = True
    return first, last, own, foreign


def _key(change: LineChange) -> tuple[int, int]:
    return change.old_start, change.old_end


def _overlaps(change: LineChange, first: int, last: int) -> bool:
    """Whether a change hits the lines of a region; what is next to them does not."""
    if first == last:  # an insertion: only another one at the same place competes with it
        return change.old_start == change.old_end == first
    return change.old_start < last


def _side(changes: list[LineChange], lines: Sequence[str], first: int, last: int) -> list[str]:
    """Return what one side made of the base's lines from ``first`` to ``last``."""
    if not changes:
        return []
    start = changes[0].new_start - (changes[0].old_start - first)
    end = changes[-1].new_end + (last - changes[-1].old_end)
    return list(lines[start:end])
