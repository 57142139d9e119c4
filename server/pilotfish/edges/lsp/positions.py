"""Places in a text, between character offsets and LSP positions (UTF-16).

Owns: an index of a text's lines, for many places of one text. For a single place see
``edges.lsp.editor.position_at``.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence

from lsprotocol import types

from pilotfish.util.text_span import place_in_line

LINE_END = re.compile(r"\r\n|\r|\n")


def line_starts(text: str) -> list[int]:
    """Return the character offset at which each line of a text begins, as LSP parts lines."""
    return [0, *(match.end() for match in LINE_END.finditer(text))]


class LineIndex:
    """The lines of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = line_starts(text)

    def position(self, offset: int) -> types.Position:
        """Return the position of a character offset; one behind the text is its end."""
        offset = max(0, min(offset, len(self._text)))
        line = bisect_right(self._starts, offset) - 1
        return types.Position(line=line, character=_units(self._text[self._starts[line] : offset]))

    def range(self, start: int, end: int) -> types.Range:
        """Return the range of a span."""
        return types.Range(start=self.position(start), end=self.position(max(start, end)))

    def offset(self, position: types.Position) -> int:
        """Return the character offset of a position; one behind a line is the line's end."""
        return offset_at(self._text, self._starts, position)


def offset_at(text: str, starts: Sequence[int], position: types.Position) -> int:
    """Return the character offset of a position; one behind a line's text is that text's end.

    Args:
        text: The whole document.
        starts: The character offset at which each of its lines begins.
        position: A line, and UTF-16 code units in it.
    """
    if position.line >= len(starts):
        return len(text)
    start = starts[position.line]
    after = starts[position.line + 1 : position.line + 2]
    line = text[start : after[0] if after else len(text)].rstrip("\r\n")
    return start + place_in_line(line, position.character)


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
