"""Places in a text, between character offsets and LSP positions (UTF-16).

Owns: an index of a text's lines, for many places of one text; a single place, however long the text is.
Does not own: places of a text that changes (``edges.lsp.line_blocks``).
"""

import re
from bisect import bisect_right

from lsprotocol import types

from pilotfish.util.text_span import place_in_line

LINE_END = re.compile(r"\r\n|\r|\n")


def line_starts(text: str) -> list[int]:
    """Return the character offset at which each line of a text begins, as LSP parts lines."""
    return [0, *(match.end() for match in LINE_END.finditer(text))]


def line_ends(text: str, start: int, end: int) -> int:
    """Count the line ends in a range, which is read as if there were nothing beyond it."""
    feeds, returns = text.count("\n", start, end), text.count("\r", start, end)
    return feeds + returns - (text.count("\r\n", start, end) if returns and feeds else 0)


def position_at(text: str, offset: int) -> types.Position:
    """Return the position of one character offset."""
    line_start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    return types.Position(
        line=line_ends(text, 0, offset), character=_units(text[line_start:offset])
    )


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
        """Return the character offset of a position; one behind a line's text is that text's end."""
        if position.line >= len(self._starts):
            return len(self._text)
        start = self._starts[position.line]
        after = self._starts[position.line + 1 : position.line + 2]
        line = self._text[start : after[0] if after else len(self._text)]
        return start + place_in_line(line.rstrip("\r\n"), position.character)


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
