"""Lines, offsets and positions of one text, as the language server protocol counts them.

Owns: the way between character offsets and ``ports.code.Position`` (UTF-16), and finding a symbol
by its name near a line. Pure functions.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

from pilotfish.ports.code import Position
from pilotfish.util.records import dataclass
from pilotfish.util.text_span import place_in_line

_LINE_END = re.compile(r"\r\n|\r|\n")

_WORD = re.compile(r"\w")

_LAST_NAME = re.compile(r"[\w$]+(?=\W*$)")
"""The last identifier of what the model calls a symbol: ``b`` in ``a.b`` and ``A::b()``."""


class TextLines:
    """One text, line by line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def __len__(self) -> int:
        return len(self._starts)

    def line(self, number: int) -> str:
        """Return a line by its number from 0, without its end; empty beyond the text."""
        if not 0 <= number < len(self._starts):
            return ""
        after = self._starts[number + 1 : number + 2]
        end = after[0] if after else len(self.text)
        return self.text[self._starts[number] : end].rstrip("\r\n")

    def position(self, offset: int) -> Position:
        """Return the position of a character offset; one behind the text is its end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset) - 1
        return Position(line, _units(self.text[self._starts[line] : offset]))

    def offset(self, position: Position) -> int | None:
        """Return the character offset of a position; None when the text has no such place.

        A position behind a line's end is the line's end, as the protocol says; so is the beginning
        of the line after the last.
        """
        if position.line < 0 or position.character < 0 or position.line > len(self._starts):
            return None
        if position.line == len(self._starts):
            return len(self.text) if position.character == 0 else None
        line = self.line(position.line)
        return self._starts[position.line] + place_in_line(line, position.character)


REACH_LINES = 20
"""How far from the line that was named a symbol is looked for; further off it is likely another."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundSymbol:
    """Where a symbol stands that was named by line and text."""

    position: Position
    occurrences: int
    """How often it stands in that line."""
    is_exact: bool
    """Whether it stands in the line that was asked for."""


def find_symbol(
    lines: TextLines, symbol: str, *, near: int | None, occurrence: int = 1
) -> FoundSymbol | None:
    """Find a symbol by its text, in a line or close to it.

    Args:
        lines: The text.
        symbol: A name, or an expression whose last name is meant (``self.total``, ``Cart::add``).
        near: Line from 0; None for the first line that holds the symbol.
        occurrence: Which one in the line, from 1; the last one when there are fewer.
    """
    for wanted, skip in _spellings(symbol):
        for number in _by_distance(len(lines), near):
            columns = _columns(lines.line(number), wanted)
            if not columns:
                continue
            line = lines.line(number)
            column = columns[min(occurrence, len(columns)) - 1] + skip
            return FoundSymbol(
                position=Position(number, _units(line[:column])),
                occurrences=len(columns),
                is_exact=near is None or number == near,
            )
    return None


def lines_with(lines: TextLines, symbol: str, limit: int) -> list[int]:
    """Return the first lines, from 0, that hold a symbol's name."""
    *_, (wanted, _) = _spellings(symbol) or [("", 0)]
    found: list[int] = []
    for number in range(len(lines)):
        if len(found) == limit:
            break
        if _columns(lines.line(number), wanted):
            found.append(number)
    return found


def _spellings(symbol: str) -> list[tuple[str, int]]:
    """Return what to look for, and where in it the name begins: as written, then the name alone."""
    symbol = symbol.strip()
    last = _LAST_NAME.search(symbol)
    found = [(symbol, 0 if last is None else last.start())] if symbol else []
    if last is not None and last.group() != symbol:
        found.append((last.group(), 0))
    return found


def _by_distance(count: int, near: int | None) -> Iterator[int]:
    if near is None:
        yield from range(count)
        return
    near = max(0, min(near, count - 1))
    yield near
    for distance in range(1, REACH_LINES + 1):
        if near - distance >= 0:
            yield near - distance
        if near + distance < count:
            yield near + distance


def _columns(line: str, wanted: str) -> list[int]:
    """Return where a text stands in a line on its own, not as a part of longer names."""
    found: list[int] = []
    at = line.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (_joins(line[at - 1 : at], wanted[0]) or _joins(wanted[-1], line[end : end + 1])):
            found.append(at)
        at = line.find(wanted, end)
    return found


def _joins(left: str, right: str) -> bool:
    return bool(left and right and _WORD.match(left) and _WORD.match(right))


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
