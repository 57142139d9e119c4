"""Small changes to the text of a JSON file.

Owns: adding and removing entries of one list, and setting one value, so that every byte outside of
it stays as its author wrote it: indentation, line ends, one-line lists, order, odd spacing.
Does not own: reading and writing files (``files``), what the entries mean (``store``).

All functions take a text that ``files.parse_object`` has accepted.
"""

import json
import re
from collections.abc import Callable, Sequence

from pilotfish.core.errors import SettingsError
from pilotfish.core.jsontypes import JsonValue
from pilotfish.util.records import dataclass

_BLANKS = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()

DEFAULT_INDENT = "  "
"""Indentation of a file that shows none of its own."""

Path = tuple[str, ...]
"""Keys that lead to a value."""


@dataclass(frozen=True, slots=True)
class _Span:
    """A member of an object (``key`` set) or an entry of a list, without the blanks around it."""

    start: int
    value_start: int
    end: int
    value: JsonValue
    key: str = ""


@dataclass(frozen=True, slots=True)
class _Container:
    """An object or a list with what is in it."""

    start: int
    end: int
    spans: tuple[_Span, ...]


def add_entries(text: str, path: Path, entries: Sequence[str]) -> str:
    """Append texts to a list; the list and the objects around it are made when they are missing.

    Raises:
        SettingsError: Something else than a list, or an object on the way, stands there.
    """
    for entry in entries:
        text = _add(text, path, encode(entry))
    return text


def remove_entries(text: str, path: Path, is_meant: Callable[[JsonValue], bool]) -> str:
    """Remove the entries of a list that are meant; a missing list holds none.

    Raises:
        SettingsError: Something else than a list, or an object on the way, stands there.
    """
    place = _find(text, path)
    if place is None:
        return text
    found = _list(text, place, path)
    for index in range(len(found.spans) - 1, -1, -1):
        if is_meant(found.spans[index].value):
            text = _cut(text, _list(text, place, path), index)
    return text


def set_value(text: str, path: Path, value: str | None) -> str:
    """Set a member to a text, or take it out with None.

    Raises:
        SettingsError: Something else than an object stands on the way.
    """
    holder = _find(text, path[:-1])
    if holder is None:
        return text if value is None else _make(text, path, encode(value))
    found = _object(text, holder, path[:-1])
    index = next((at for at, span in enumerate(found.spans) if span.key == path[-1]), None)
    if index is None:
        return text if value is None else _make(text, path, encode(value))
    if value is None:
        return _cut(text, found, index)
    span = found.spans[index]
    return text[: span.value_start] + encode(value) + text[span.end :]


def entries_of(text: str, path: Path) -> tuple[JsonValue, ...]:
    """Return what a list holds; nothing when it is missing.

    Raises:
        SettingsError: Something else than a list, or an object on the way, stands there.
    """
    place = _find(text, path)
    return () if place is None else tuple(span.value for span in _list(text, place, path).spans)


def encode(value: str) -> str:
    """Return a text as JSON; what has no UTF-8 form is escaped."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return json.dumps(value, ensure_ascii=False)


# --- finding ---


def _find(text: str, path: Path) -> int | None:
    """Return where the value begins; None when a key on the way is missing."""
    place = _skip(text, 0)
    for depth, key in enumerate(path):
        members = _object(text, place, path[:depth]).spans
        member = next((span for span in members if span.key == key), None)
        if member is None:
            return None
        place = member.value_start
    return place


def _object(text: str, start: int, path: Path) -> _Container:
    if text[start] != "{":
        raise SettingsError(f"`{'.'.join(path)}` is not an object, so nothing can be kept in it.")
    spans: list[_Span] = []
    at = _skip(text, start + 1)
    while text[at] != "}":
        if text[at] == ",":
            at = _skip(text, at + 1)
        key, end = _DECODER.raw_decode(text, at)
        value_start = _skip(text, _skip(text, end) + 1)
        value, value_end = _DECODER.raw_decode(text, value_start)
        spans.append(_Span(at, value_start, value_end, value, str(key)))
        at = _skip(text, value_end)
    return _Container(start, at, tuple(spans))


def _list(text: str, start: int, path: Path) -> _Container:
    if text[start] != "[":
        raise SettingsError(f"`{'.'.join(path)}` is not a list.")
    spans: list[_Span] = []
    at = _skip(text, start + 1)
    while text[at] != "]":
        if text[at] == ",":
            at = _skip(text, at + 1)
        value, end = _DECODER.raw_decode(text, at)
        spans.append(_Span(at, at, end, value))
        at = _skip(text, end)
    return _Container(start, at, tuple(spans))


def _skip(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return at if match is None else match.end()


# --- changing ---


def _add(text: str, path: Path, entry: str) -> str:
    place = _find(text, path)
    if place is None:
        return _make(text, path, entry, listed=True)
    found = _list(text, place, path)
    if found.spans:
        return _append(text, found, entry)
    between = text[found.start + 1 : found.end]
    if not between:
        inside = _Style.of(text).block(entry, len(path))
    elif "\n" in between:
        # Odd, but `_cut` can tell it from a list that never was empty, and gives it back as it was.
        inside = between + entry
    else:
        inside = between + entry + between
    return text[: found.start + 1] + inside + text[found.end :]


def _make(text: str, path: Path, value: str, *, listed: bool = False) -> str:
    """Put a value where no key leads yet, with the objects around it."""
    known = 0
    while known < len(path) - 1 and _find(text, path[: known + 1]) is not None:
        known += 1
    place = _find(text, path[:known])
    found = _object(text, 0 if place is None else place, path[:known])
    style = _Style.of(text)
    if listed:
        value = f"[{style.block(value, len(path))}]"
    for depth in range(len(path) - 1, known, -1):
        value = f"{{{style.block(f'{encode(path[depth])}: {value}', depth)}}}"
    member = f"{encode(path[known])}{_colon(text, found)}{value}"
    if found.spans:
        return _append(text, found, member)
    return text[: found.start + 1] + style.block(member, known) + text[found.end :]


def _append(text: str, found: _Container, added: str) -> str:
    """Add behind the last one, spaced as the ones before are."""
    last = found.spans[-1]
    if len(found.spans) > 1:
        comma = text.index(",", found.spans[-2].end)
        gap = text[comma + 1 : last.start]
    else:
        before = text[found.start + 1 : last.start]
        gap = before if "\n" in before else " "
    return f"{text[: last.end]},{gap}{added}{text[last.end :]}"


def _cut(text: str, found: _Container, index: int) -> str:
    spans, gone = found.spans, found.spans[index]
    if index > 0:
        return text[: spans[index - 1].end] + text[gone.end :]
    if len(spans) > 1:
        return text[: gone.start] + text[spans[1].start :]
    before = text[found.start + 1 : gone.start]
    after = text[gone.end : found.end]
    was_blank = (not after) if "\n" in before else before == after
    return text[: found.start + 1] + (before if was_blank else "") + text[found.end :]


def _colon(text: str, found: _Container) -> str:
    """Return how the object separates its keys from their values."""
    if not found.spans:
        return ": "
    span = found.spans[-1]
    _, key_end = _DECODER.raw_decode(text, span.start)
    return text[key_end : span.value_start]


@dataclass(frozen=True, slots=True)
class _Style:
    """How a file is laid out."""

    newline: str
    """Empty when it is written on one line."""
    indent: str

    @classmethod
    def of(cls, text: str) -> "_Style":
        """Read it off the first member of the file."""
        root = _object(text, _skip(text, 0), ())
        newline = "\r\n" if "\r\n" in text else "\n"
        if not root.spans:
            return cls(newline, DEFAULT_INDENT)
        before = text[root.start + 1 : root.spans[0].start]
        if "\n" not in before:
            return cls("", "")
        return cls(newline, before.rpartition("\n")[2] or DEFAULT_INDENT)

    def block(self, inner: str, depth: int) -> str:
        """Return what stands between the brackets of a container that is ``depth`` deep."""
        if not self.newline:
            return inner
        outer = self.newline + self.indent * depth
        return f"{outer}{self.indent}{inner}{outer}"
