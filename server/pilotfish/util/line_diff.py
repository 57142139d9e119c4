"""Comparing texts line by line.

Owns: splitting into lines as editors count them, and the runs of lines that differ.
"""

import difflib
from dataclasses import dataclass

_MAX_COMPARED_LINES = 20_000
"""Changed lines up to which they are aligned one by one; beyond, the region counts as one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LineChange:
    """A run of lines that differ. Line indexes from 0, ends exclusive."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def split_lines(text: str) -> list[str]:
    """Split a text into lines as editors count them: LF, CRLF, or CR where there is no LF.

    A line ending at the end of the text starts no further line. Unlike ``str.splitlines``, form
    feeds and Unicode separators are no line ends.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def line_changes(old: list[str], new: list[str]) -> list[LineChange]:
    """Compare two texts line by line, in time linear to what did not change."""
    limit = min(len(old), len(new))
    head = 0
    while head < limit and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < limit - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    if not old_middle and not new_middle:
        return []
    if len(old_middle) + len(new_middle) > _MAX_COMPARED_LINES:
        return [
            LineChange(
                old_start=head,
                old_end=head + len(old_middle),
                new_start=head,
                new_end=head + len(new_middle),
            )
        ]
    matcher = difflib.SequenceMatcher(None, old_middle, new_middle, autojunk=True)
    return [
        LineChange(old_start=head + i1, old_end=head + i2, new_start=head + j1, new_end=head + j2)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]
