"""Finding the text that an edit names, and putting the new text in its place.

Owns: the tolerant matching of design 06 §5.1 and the rules that keep a file's own style (line
endings, curly quotes). Pure functions on strings.
Does not own: files. See also: ``workspace.mismatch`` (what to tell the model when nothing matches).
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pilotfish.util.records import dataclass
from pilotfish.util.text_span import common_ends
from pilotfish.workspace.mismatch import MatchError, no_match, several_matches

_CURLY = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})

_NUMBERED = re.compile(r"^ *\d+\t", re.MULTILINE)
"""The prefix that Read puts before each line."""

_OPENS_AFTER = frozenset(" \t\n\r([{<\u2013\u2014=,;:/-")
"""A quote after one of these (or at the start) opens."""


class Replacement(NamedTuple):
    """A range of the original text and what takes its place."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StringEdit:
    """Replace one text by another, as the model asked."""

    old: str
    new: str
    replace_all: bool = False


def find_replacements(text: str, edit: StringEdit) -> list[Replacement]:
    """Find where an edit applies and what exactly is to be written there.

    Args:
        text: The file's text, line endings as they are.
        edit: What to replace; line endings of either kind are taken as line ends.

    Returns:
        Ranges of ``text`` in rising order, not overlapping, each with text in the file's style.

    Raises:
        MatchError: Nothing matches, or several places do and ``replace_all`` is off.
    """
    old, new = _to_lf(edit.old), _to_lf(edit.new)
    cr_only = "\r" in text and "\n" not in text
    for look, pattern, fit in _attempts(text, old, new):
        # For "is it unique" overlapping places count too: either could be meant.
        found = _occurrences(look, pattern, overlapping=not edit.replace_all)
        if not found:
            continue
        if len(found) > 1 and not edit.replace_all:
            counted = text.replace("\r", "\n") if cr_only else text
            raise several_matches(counted, [place.start for place in found])
        return [_replacement(text, place, fit, cr_only=cr_only) for place in found]
    raise no_match(_LineForm.of(text, cr_only=cr_only).text, old)


class _Place(NamedTuple):
    """A range of the original text."""

    start: int
    end: int


_Fit = Callable[[str], str]
"""Turns the matched text of the file into the text that replaces it; line ends of both are LF."""


def _attempts(text: str, old: str, new: str) -> Iterator[tuple[str, str, _Fit]]:
    """Return the ways to look, strictest first: text to search, pattern, how to fit the new text.

    Each is made when the one before it has failed: most texts are found as they are.
    """

    def as_sent(_matched: str) -> str:
        return new

    def with_curly_quotes(matched: str) -> str:
        return _curl_like(matched, old, new)

    yield text, old, as_sent
    straight = text if text.isascii() else text.translate(_CURLY)
    if old.translate(_CURLY) != old or straight != text:
        yield straight, old.translate(_CURLY), with_curly_quotes
    stripped = _without_line_numbers(old)
    if stripped is not None:
        bare = _without_line_numbers(new)
        fitted = new if bare is None else bare
        yield text, stripped, lambda _: fitted


def _occurrences(text: str, pattern: str, *, overlapping: bool) -> list[_Place]:
    """Return where a pattern occurs; a line feed in it stands for any line ending of the text."""
    if not pattern:
        return []
    if "\r" not in text:
        return list(_plain_occurrences(text, pattern, overlapping=overlapping))
    if "\n" not in text:
        pattern = pattern.replace("\n", "\r")
        return list(_plain_occurrences(text, pattern, overlapping=overlapping))
    return list(_mixed_occurrences(text, pattern, overlapping=overlapping))


def _plain_occurrences(text: str, pattern: str, *, overlapping: bool) -> Iterator[_Place]:
    step = 1 if overlapping else len(pattern)
    at = text.find(pattern)
    while at >= 0:
        yield _Place(at, at + len(pattern))
        at = text.find(pattern, at + step)


def _mixed_occurrences(text: str, pattern: str, *, overlapping: bool) -> Iterator[_Place]:
    """Look in a text with CRLF without making another one of it: it may be large."""
    lines = pattern.split("\n")
    at = text.find(lines[0] or "\n")
    while at >= 0:
        if not lines[0] and text[at - 1 : at] == "\r":
            at -= 1
        end = _end_of_match(text, lines, at)
        if end is not None:
            yield _Place(at, end)
        after = at + 1 if overlapping or end is None else end
        if not lines[0] and text.startswith("\r\n", at):
            after = max(after, at + 2)
        at = text.find(lines[0] or "\n", after)


def _end_of_match(text: str, lines: Sequence[str], at: int) -> int | None:
    """Return where lines that begin at a position end; None when they do not stand there."""
    for index, line in enumerate(lines):
        if index:
            if text.startswith("\r\n", at):
                at += 2
            elif text.startswith("\n", at):
                at += 1
            else:
                return None
        if not text.startswith(line, at):
            return None
        at += len(line)
    half = lines[-1].endswith("\r") and text.startswith("\n", at)
    return None if half else at


def _replacement(original: str, place: _Place, fit: _Fit, *, cr_only: bool) -> Replacement:
    """Build the smallest replacement, so that untouched lines keep their own line endings."""
    start, end = place
    new = fit(_LineForm.of(original[start:end], cr_only=cr_only).text)
    if not new and _is_whole_lines(original, place):
        # Deleting whole lines whose last line ending was not named: no empty line stays behind.
        end += 2 if original.startswith("\r\n", end) else 1
    matched = _LineForm.of(original[start:end], cr_only=cr_only)
    head, tail = common_ends(matched.text, new)
    first = start + matched.to_original(head)
    last = start + matched.to_original(len(matched.text) - tail)
    new = new[head : len(new) - tail]
    return Replacement(first, last, _with_endings(new, original, first, last))


def _is_whole_lines(text: str, place: _Place) -> bool:
    """Tell whether a range is whole lines but for the last one's ending, which is there."""
    start, end = place
    ends = ("\n", "\r\n") if "\n" in text else ("\r",)
    starts_line = start == 0 or text.endswith(ends, 0, start)
    return starts_line and not text.endswith(ends, start, end) and text.startswith(ends, end)


def _with_endings(new: str, original: str, start: int, end: int) -> str:
    """Give the line ends of a new text the form that the lines had, or their neighbours have."""
    count = new.count("\n")
    if count == 0:
        return new
    endings = _endings(original[start:end])
    if len(endings) != count:
        usual = endings[0] if endings else _neighbour_ending(original, start, end)
        endings = (endings + [usual] * count)[:count]
    parts = new.split("\n")
    ended = [part + ending for part, ending in zip(parts, endings, strict=False)]
    return "".join(ended) + parts[-1]


def _endings(text: str) -> list[str]:
    return re.findall(r"\r\n|\n|\r", text)


def _neighbour_ending(original: str, start: int, end: int) -> str:
    """Return the line ending nearest to a range: before it, else after it, else LF."""
    before = max(original.rfind("\n", 0, start), original.rfind("\r", 0, start))
    if before >= 0:
        is_pair = original[before] == "\n" and original[before - 1 : before] == "\r"
        return "\r\n" if is_pair else original[before]
    after = re.compile(r"\r\n|\n|\r").search(original, end)
    return after.group() if after else "\n"


def _to_lf(text: str) -> str:
    return text.replace("\r\n", "\n")


class _LineForm:
    """A text with every line ending as LF, and the way back to the original's positions."""

    def __init__(self, text: str, shifts: Sequence[int]) -> None:
        self.text = text
        self._shifts = shifts
        """Positions in ``text`` of the line feeds that were CRLF."""

    @classmethod
    def of(cls, original: str, *, cr_only: bool) -> "_LineForm":
        """Build it; ``cr_only`` says that the whole text's lines end with CR alone."""
        if cr_only:
            return cls(original.replace("\r", "\n"), ())
        if "\r" not in original:
            return cls(original, ())
        found = re.finditer("\r\n", original)
        return cls(_to_lf(original), [match.start() - i for i, match in enumerate(found)])

    def to_original(self, position: int) -> int:
        return position + bisect_left(self._shifts, position)


def _without_line_numbers(text: str) -> str | None:
    """Remove the line numbers that were copied from Read; None unless every line has one."""
    lines = text.split("\n")
    last_is_empty = len(lines) > 1 and lines[-1] == ""
    numbered = lines[:-1] if last_is_empty else lines
    if not all(_NUMBERED.match(line) for line in numbered):
        return None
    return _NUMBERED.sub("", text)


def _curl_like(matched: str, old: str, new: str) -> str:
    """Write the new text with the quotes of the file's text.

    A quote mark is curled only if the file's text curls that kind of mark; what the model left as
    it was keeps the file's own characters.
    """
    if matched == old:
        return new
    singles = any(mark in matched for mark in "\u2018\u2019")
    doubles = any(mark in matched for mark in "\u201c\u201d")
    head, tail = common_ends(old.translate(_CURLY), new.translate(_CURLY))
    middle = new[head : len(new) - tail]
    if not singles and not doubles:
        # The file is straight where the model wrote curly quotes.
        middle = middle.translate(_CURLY)
    before = matched[:head]
    curled: list[str] = []
    for mark in middle:
        previous = curled[-1] if curled else before[-1:]
        opens = not previous or previous in _OPENS_AFTER
        if mark == '"' and doubles:
            curled.append("\u201c" if opens else "\u201d")
        elif mark == "'" and singles:
            curled.append("\u2018" if opens else "\u2019")
        else:
            curled.append(mark)
    return before + "".join(curled) + matched[len(matched) - tail :]


__all__ = ["MatchError", "Replacement", "StringEdit", "find_replacements"]
