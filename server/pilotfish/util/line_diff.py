"""Comparing texts line by line.

Owns: splitting into lines as editors count them, and the runs of lines that differ.
"""

import difflib

from pilotfish.util.records import dataclass
from pilotfish.util.text_span import common_ends, line_start

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
    return _lf_lines(text.replace("\r", "\n") if _ends_with_cr(text) else text)


def count_lines(text: str) -> int:
    """Return how many lines ``split_lines`` gives."""
    end = "\r" if _ends_with_cr(text) else "\n"
    return text.count(end) + (text != "" and not text.endswith(end))


def lines_between(text: str, first: int, last: int) -> list[str]:
    """Return a range of the lines that ``split_lines`` gives, without splitting the others."""
    if _ends_with_cr(text):
        text = text.replace("\r", "\n")
    start = end = line_start(text, first)
    for _ in range(last - first):
        end = text.find("\n", end) + 1 or len(text)
        if end == len(text):
            break
    return _lf_lines(text[start:end])


def text_changes(old: str, new: str) -> list[LineChange]:
    """Compare two texts line by line; what did not change is neither split nor copied.

    Line ends of different kinds count as the same, as in ``split_lines``.
    """
    if _ends_with_cr(old) or _ends_with_cr(new):
        return line_changes(split_lines(old), split_lines(new))
    head, tail = common_ends(old, new)
    start = old.rfind("\n", 0, head) + 1
    old_stop = old.find("\n", len(old) - tail) + 1 or len(old)
    new_stop = len(new) - (len(old) - old_stop)
    above = old.count("\n", 0, start)
    old_count = old.count("\n", start, old_stop)
    new_count = new.count("\n", start, new_stop)
    only_lf = "\r" not in old and "\r" not in new
    if only_lf and old_count + new_count > _MAX_COMPARED_LINES:
        old_end = above + old_count + (not old.endswith("\n", start, old_stop))
        new_end = above + new_count + (not new.endswith("\n", start, new_stop))
        whole = LineChange(old_start=above, old_end=old_end, new_start=above, new_end=new_end)
        return [whole]
    found = line_changes(_lf_lines(old[start:old_stop]), _lf_lines(new[start:new_stop]))
    return [
        LineChange(
            old_start=above + each.old_start,
            old_end=above + each.old_end,
            new_start=above + each.new_start,
            new_end=above + each.new_end,
        )
        for each in found
    ]


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


def _ends_with_cr(text: str) -> bool:
    """Tell whether the lines of a text end with CR alone."""
    return "\r" in text and "\n" not in text


def _lf_lines(text: str) -> list[str]:
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines
