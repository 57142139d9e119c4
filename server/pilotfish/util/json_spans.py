"""Where the parts of a JSON text stand in it.

Owns: the places of an object's members and an array's items, so that one of them can be replaced while
every other byte of the text stays. Pure functions on text that is known to be JSON.
"""

import json
import re
from typing import NamedTuple

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


class Span(NamedTuple):
    """A range of the text."""

    start: int
    end: int


class Member(NamedTuple):
    """One ``"key": value`` of an object."""

    key: str
    start: int
    """Where the key begins, its quote included."""
    value: Span


def skip_space(text: str, at: int) -> int:
    """Return the first position from ``at`` on that is no white space."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def members(text: str, at: int) -> list[Member]:
    """Return the members of the object that begins at ``at``.

    Raises:
        ValueError: There is no object.
    """
    found: list[Member] = []
    at = _opened(text, at, "{")
    while text[at : at + 1] != "}":
        key, end = _DECODER.raw_decode(text, at)
        start = skip_space(text, skip_space(text, end) + 1)
        _, value_end = _DECODER.raw_decode(text, start)
        found.append(Member(str(key), at, Span(start, value_end)))
        at = _next(text, value_end, "}")
    return found


def items(text: str, at: int) -> list[Span]:
    """Return the items of the array that begins at ``at``.

    Raises:
        ValueError: There is no array.
    """
    found: list[Span] = []
    at = _opened(text, at, "[")
    while text[at : at + 1] != "]":
        _, end = _DECODER.raw_decode(text, at)
        found.append(Span(at, end))
        at = _next(text, end, "]")
    return found


def _opened(text: str, at: int, bracket: str) -> int:
    at = skip_space(text, at)
    if text[at : at + 1] != bracket:
        raise ValueError(f"no {bracket} at offset {at}")
    return skip_space(text, at + 1)


def _next(text: str, at: int, closing: str) -> int:
    """Return where the next part begins, or where the closing bracket stands."""
    at = skip_space(text, at)
    mark = text[at : at + 1]
    if mark == ",":
        return skip_space(text, at + 1)
    if mark == closing:
        return at
    raise ValueError(f"neither , nor {closing} at offset {at}")
