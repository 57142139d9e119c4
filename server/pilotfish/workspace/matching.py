"""Finding the text that an edit names, and putting the new text in its place.

Owns: the tolerant matching of design 06 §5.1 and the rules that keep a file's own style (line
endings, curly quotes). Pure functions on strings.
Does not own: files. See also: ``workspace.mismatch`` (what to tell the model when nothing matches).
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

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
    lines = _LineForm.of(text)
    old, new = _to_lf(edit.old), _to_lf(edit.new)
    for look, pattern, fit in _attempts(lines.text, old, new):
        # For "is it unique" overlapping places count too: either could be meant.
        starts = _occurrences(look, pattern, len(pattern) if edit.replace_all else 1)
        if not starts:
            continue
        if len(starts) > 1 and not edit.replace_all:
            raise several_matches(lines.text, starts)
        return [_replacement(text, lines, start, len(pattern), fit) for start in starts]
    raise no_match(lines.text, old)


_Fit = Callable[[str], str]
"""Turns the matched text of the file into the text that replaces it."""


def _attempts(text: str, old: str, new: str) -> Iterator[tuple[str, str, _Fit]]:
    """Return the ways to look, strictest first: text to search, pattern, how to fit the new text.

    Each is made when the one before it has failed: most texts are found as they are.
    """

    def as_sent(matched: str) -> str:  # noqa: ARG001
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


def _occurrences(text: str, pattern: str, step: int) -> list[int]:
    if not pattern:
        return []
    starts: list[int] = []
    at = text.find(pattern)
    while at >= 0:
        starts.append(at)
        at = text.find(pattern, at + step)
    return starts


def _replacement(
    original: str, lines: "_LineForm", start: int, length: int, fit: _Fit
) -> Replacement:
    """Build the smallest replacement, so that untouched lines keep their own line endings."""
    end = start + length
    matched = lines.text[start:end]
    new = fit(matched)
    if not new and _is_whole_lines(lines.text, start, end):
        # Deleting whole lines whose last line ending was not named: no empty line stays behind.
        end += 1
        matched = lines.text[start:end]
    head, tail = _common_ends(matched, new)
    start, end = start + head, end - tail
    new = new[head : len(new) - tail]
    first, last = lines.to_original(start), lines.to_original(end)
    return Replacement(first, last, _with_endings(new, original, first, last))


def _is_whole_lines(text: str, start: int, end: int) -> bool:
    starts_line = start == 0 or text[start - 1] == "\n"
    return starts_line and text[end - 1 : end] != "\n" and text[end : end + 1] == "\n"


def _common_ends(old: str, new: str) -> tuple[int, int]:
    """Return how many characters two texts share at the start, and then at the end."""
    limit = min(len(old), len(new))
    head = 0
    while head < limit and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < limit - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


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
    def of(cls, original: str) -> "_LineForm":
        if "\r" not in original:
            return cls(original, ())
        if "\n" not in original:
            return cls(original.replace("\r", "\n"), ())
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
    head, tail = _common_ends(old.translate(_CURLY), new.translate(_CURLY))
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
