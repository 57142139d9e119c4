"""Where two long texts differ, without copies of them.

Owns: the range that differs, walking through a text in pieces, finding a line, the beginning. Pure.
"""

import itertools
import re
from collections.abc import Iterator

_WORD = re.compile(r"\S+")

PIECE_CHARS = 65_536
"""How much of a text is handled at once."""


def text_pieces(text: str, start: int = 0, end: int | None = None) -> Iterator[str]:
    """Return a range of a text, piece by piece."""
    stop = len(text) if end is None else end
    if start == 0 and stop == len(text) <= PIECE_CHARS:
        yield text
        return
    for at in range(start, stop, PIECE_CHARS):
        yield text[at : min(stop, at + PIECE_CHARS)]


def opening(text: str, limit: int) -> str:
    """Return the beginning of a text on one line, as its words with one blank between them.

    The rest is not looked at: a text may be megabytes long, and what shows its beginning is not worth a
    list of all its words.
    """
    words: list[str] = []
    length = -1
    for found in _WORD.finditer(text):
        start = found.start()
        words.append(text[start : min(found.end(), start + limit)])
        length += len(words[-1]) + 1
        if length >= limit:
            break
    return " ".join(words)[:limit]


def first_line(text: str, limit: int) -> str:
    """Return the first line that is not blank, without the blanks around it; what is beyond the limit is cut."""
    rest = text.lstrip()[: limit + 1].splitlines()
    return rest[0][:limit].rstrip() if rest else ""


def shortened(line: str, limit: int) -> str:
    """Return a line that is no longer than a limit: of a longer one the beginning, with an ellipsis."""
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def utf8_length(text: str) -> int:
    """Return how many bytes a text has in UTF-8."""
    if text.isascii():
        return len(text)
    return sum(len(each.encode("utf-8", "surrogatepass")) for each in text_pieces(text))


def place_in_line(line: str, units: int) -> int:
    """Return the place in a line that is as many UTF-16 code units behind its beginning.

    A place within a character is the one behind it; one behind the line is its end.
    """
    if line.isascii():
        return min(units, len(line))
    before, left = 0, units
    for piece in text_pieces(line):
        in_piece = len(piece.encode("utf-16-le", "surrogatepass")) // 2
        if left <= in_piece:
            return before + _place_in_piece(piece, left)
        before += len(piece)
        left -= in_piece
    return len(line)


def _place_in_piece(piece: str, units: int) -> int:
    seen = 0
    for index, char in enumerate(piece):
        if seen >= units:
            return index
        seen += 2 if char > "\uffff" else 1
    return len(piece)


def changed_span(old: str, new: str) -> tuple[int, int, int]:
    """Return start, end in ``old`` and end in ``new`` of the range that differs.

    A line end of two characters is never cut in half: editors treat it as one.
    """
    limit = min(len(old), len(new))
    start = _common_prefix(old, new, limit)
    if start and old[start - 1] == "\r":
        start -= 1
    tail = _common_suffix(old, new, limit - start)
    if tail and old[len(old) - tail] == "\n":
        tail -= 1
    return start, len(old) - tail, len(new) - tail


def common_ends(old: str, new: str) -> tuple[int, int]:
    """Return how many characters two texts share at the start, and then at the end."""
    limit = min(len(old), len(new))
    head = _common_prefix(old, new, limit)
    return head, _common_suffix(old, new, limit - head)


def line_start(text: str, number: int) -> int:
    """Return where a line begins; lines are counted from 0 and end with LF.

    The text's length if there are no more lines.
    """
    left = number
    for at in range(0, len(text), PIECE_CHARS):
        count = text.count("\n", at, at + PIECE_CHARS)
        if count < left:
            left -= count
            continue
        for _ in range(left):
            at = text.index("\n", at) + 1  # noqa: PLW2901 - walks on within the piece
        return at
    return len(text)


def _common_prefix(left: str, right: str, limit: int) -> int:
    """Length of the common beginning: comparing slices is fast, characters are not."""
    low = 0
    while low < limit and left[low : low + PIECE_CHARS] == right[low : low + PIECE_CHARS]:
        low += PIECE_CHARS
    low, high = min(low, limit), min(low + PIECE_CHARS, limit)
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(left: str, right: str, limit: int) -> int:
    def same(start: int, end: int) -> bool:
        return _last(left, start, end) == _last(right, start, end)

    low = 0
    for low in itertools.count(0, PIECE_CHARS):
        if low + PIECE_CHARS > limit or not same(low, low + PIECE_CHARS):
            break
    high = min(low + PIECE_CHARS, limit)
    while low < high:
        middle = (low + high + 1) // 2
        if same(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _last(text: str, start: int, end: int) -> str:
    """Return a range that is counted from the end of a text."""
    return text[len(text) - end : len(text) - start]
