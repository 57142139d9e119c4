"""Places in a text, from bytes of its UTF-8 form to LSP positions (UTF-16).

Owns: the conversion for many places of one text. tree-sitter counts lines by line feeds alone; LSP
also takes a lone carriage return for a line end.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import TYPE_CHECKING

from pilotfish.ports.code import Position, Span

if TYPE_CHECKING:
    from tree_sitter import Node

_LINE_END = re.compile(rb"\r\n|\r|\n")
_LONE_RETURN = re.compile(rb"\r(?!\n)")


_STEP = 1_024
"""Bytes that are counted for one place; a line may be as long as a file, and hold as many places."""


class BytePositions:
    """The lines of one text in UTF-8."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts: list[int] | None = None
        self._marks: dict[int, list[tuple[int, int]]] = {}
        """Of long lines, by where they begin: bytes in them, and how many units stand before each."""
        self._by_rows = _LONE_RETURN.search(data) is None
        self._plain = self._by_rows and data.isascii()

    def span(self, node: "Node") -> Span:
        """Return the range of a node."""
        if self._plain:
            start, end = node.start_point, node.end_point
            return Span(Position(start[0], start[1]), Position(end[0], end[1]))
        if self._by_rows:
            start, end = node.start_point, node.end_point
            return Span(
                self._in_row(node.start_byte, start[0], start[1]),
                self._in_row(node.end_byte, end[0], end[1]),
            )
        return Span(self.position(node.start_byte), self.position(node.end_byte))

    def position(self, offset: int) -> Position:
        """Return the position of a byte; one within a character counts as that character's."""
        starts = self._line_starts()
        line = bisect_right(starts, offset) - 1
        return self._in_row(offset, line, offset - starts[line])

    def places(self, offsets: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Yield line and character of many bytes that are in order, quicker than one by one."""
        starts = [*self._line_starts(), len(self._data) + 1]
        line, is_ascii = 0, self._data[: starts[1]].isascii()
        for offset in offsets:
            if offset >= starts[line + 1]:
                while offset >= starts[line + 1]:
                    line += 1
                is_ascii = self._plain or self._data[starts[line] : starts[line + 1]].isascii()
            start = starts[line]
            if is_ascii:
                yield line, offset - start
            else:
                yield line, self._units(start, offset)

    def offset(self, position: Position) -> int:
        """Return the byte of a position; one behind a line's text is the end of that text."""
        starts = self._line_starts()
        if position.line >= len(starts):
            return len(self._data)
        start = starts[position.line]
        after = starts[position.line + 1 : position.line + 2]
        line = self._data[start : after[0] if after else len(self._data)].rstrip(b"\r\n")
        if line.isascii():
            return start + min(position.character, len(line))
        units, done = 0, 0
        for char in line.decode("utf-8", "replace"):
            if units >= position.character:
                break
            units += 2 if char > "\uffff" else 1
            done += len(char.encode())
        return start + min(done, len(line))

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = [0, *(match.end() for match in _LINE_END.finditer(self._data))]
        return self._starts

    def _in_row(self, offset: int, row: int, column: int) -> Position:
        before = self._data[offset - column : offset]
        if before.isascii():
            return Position(row, column)
        return Position(row, self._units(offset - column, offset))

    def _units(self, start: int, offset: int) -> int:
        """Return the length in UTF-16 units of what stands on a line, which begins at a byte, before another."""
        if offset - start <= _STEP:
            return self._length(start, offset)
        marks = self._marks.setdefault(start, [(start, 0)])
        while offset - marks[-1][0] > _STEP:
            begin, units = marks[-1]
            end = begin + _STEP
            while end < offset and self._data[end] & 0xC0 == 0x80:  # within a character
                end += 1
            marks.append((end, units + self._length(begin, end)))
        begin, units = marks[bisect_right(marks, offset, key=itemgetter(0)) - 1]
        return units + self._length(begin, offset)

    def _length(self, start: int, end: int) -> int:
        return utf16_length(self._data[start:end].decode("utf-8", "replace"))


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
