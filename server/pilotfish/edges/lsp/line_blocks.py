"""The lines of a long text that changes.

Owns: finding where a line begins without a table of all lines: whoever types at the top of a document
with half a million lines moves all that follow. Lines are counted by blocks of the text, and found in
one of them.
Does not own: positions within a line (``edges.lsp.documents``), an index for many places of one text
(``edges.lsp.positions``).
"""

from collections.abc import Iterator
from itertools import islice

from pilotfish.edges.lsp.positions import LINE_END, line_ends
from pilotfish.util.records import dataclass

BLOCK_CHARS = 8_192
"""How long a block is, roughly: at most twice as long, and shorter where something was deleted."""


@dataclass(slots=True, frozen=True)
class _Block:
    chars: int
    lines: int
    """Line ends in it. One of two characters lies in a single block."""


class LineBlocks:
    """Of one text, which its owner passes in: it is told of every change."""

    def __init__(self, text: str) -> None:
        self._blocks = list(_cut(text, 0, len(text)))

    def __len__(self) -> int:
        return len(self._blocks)

    def line_start(self, text: str, line: int) -> int | None:
        """Return the character offset at which a line begins, counted from 0; None when there is none."""
        if line == 0:
            return 0
        at, left = 0, line
        for block in self._blocks:
            if block.lines >= left:
                ends = LINE_END.finditer(text, at, at + block.chars)
                return next(islice(ends, left - 1, None)).end()
            at += block.chars
            left -= block.lines
        return None

    def replaced(self, text: str, start: int, end: int, added: int) -> None:
        """Take a change in.

        Args:
            text: What it has become.
            start: Where the change begins.
            end: Where what it replaced ended.
            added: How many characters stand there now.
        """
        first, window_start = self._block_at(start)
        last, last_start = self._block_at(end)
        window_end = last_start + self._chars_of(last) + added - (end - start)
        # The change may have parted or joined a line end of two characters at the edge of a block.
        if first > 0 and text[window_start - 1 : window_start + 1] == "\r\n":
            first -= 1
            window_start -= self._blocks[first].chars
        if text[window_end - 1 : window_end + 1] == "\r\n":
            last += 1
            window_end += self._chars_of(last)
        self._blocks[first : last + 1] = _cut(text, window_start, window_end)

    def _block_at(self, offset: int) -> tuple[int, int]:
        """Return the number of the block in which an offset lies, and where that begins.

        The end of the text lies in the last block.
        """
        at = 0
        for number, block in enumerate(self._blocks):
            if offset < at + block.chars or number == len(self._blocks) - 1:
                return number, at
            at += block.chars
        return 0, 0  # there is nothing yet

    def _chars_of(self, number: int) -> int:
        return self._blocks[number].chars if number < len(self._blocks) else 0


def _cut(text: str, start: int, end: int) -> Iterator[_Block]:
    """Cut a range of a text into blocks; neither end of the range parts a line end."""
    while start < end:
        stop = end if end - start <= 2 * BLOCK_CHARS else start + BLOCK_CHARS
        if text[stop - 1 : stop + 1] == "\r\n":
            stop += 1
        yield _Block(chars=stop - start, lines=line_ends(text, start, stop))
        start = stop
