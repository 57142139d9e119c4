"""Several replacements in one file, as one.

Owns: applying edits one after the other and telling the result as ranges of the original text, so
that everything outside them is proved untouched as for a single edit. Pure functions.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from pilotfish.util.records import dataclass
from pilotfish.util.text_span import text_pieces
from pilotfish.workspace.matching import Replacement, StringEdit, find_replacements
from pilotfish.workspace.mismatch import MatchError


@dataclass(frozen=True, kw_only=True, slots=True)
class SeveralEdits:
    """Edits of one file in order, each on the text that the ones before it leave; all or none."""

    edits: tuple[StringEdit, ...]


def find_all_replacements(text: str, change: SeveralEdits) -> list[Replacement]:
    """Find where the edits apply, as ranges of the original text.

    Raises:
        MatchError: One does not apply, or would change what an earlier one has written; the text
            says which.
    """
    pieces: list[_Piece] = [_Kept(0, len(text))]
    now = text
    for number, edit in enumerate(change.edits, start=1):
        _check_not_own_text(change.edits[: number - 1], edit, number)
        try:
            found = find_replacements(now, edit)
        except MatchError as error:
            raise MatchError(
                f"Edit {number} of {len(change.edits)}: {error.message}", hint=error.hint
            ) from error
        now = splice(now, found)
        pieces = _replaced(pieces, found)
    return list(_replacements(pieces, len(text)))


def text_of_creation(change: SeveralEdits) -> str:
    """Return the text of a file that the edits create: the first one writes it, and no other can.

    Raises:
        MatchError: There are others.
    """
    first, *others = change.edits
    if others:
        raise MatchError(
            "The first edit creates the file, so the others would change what it writes; nothing "
            "was written.",
            hint="Put the final text into the first edit.",
        )
    return first.new


def splice(text: str, replacements: Sequence[Replacement], known: str | None = None) -> str:
    """Put replacements into a text. They are in rising order and do not overlap.

    ``known`` is a text that it may be, which is returned then, so that a large one is not made twice.
    """
    if known is not None and _is_made_of(known, _parts(text, replacements)):
        return known
    result = ""
    for part in _parts(text, replacements):
        # Python lets a text grow in place; joining would hold all parts beside the result.
        result += part
    return result


def _parts(text: str, replacements: Sequence[Replacement]) -> Iterator[str]:
    at = 0
    for start, end, new in replacements:
        yield from text_pieces(text, at, start)
        yield new
        at = end
    yield from text_pieces(text, at)


def _is_made_of(text: str, parts: Iterable[str]) -> bool:
    at = 0
    for part in parts:
        if not text.startswith(part, at):
            return False
        at += len(part)
    return at == len(text)


def _check_not_own_text(earlier: Sequence[StringEdit], edit: StringEdit, number: int) -> None:
    for before, each in enumerate(earlier, start=1):
        if edit.old and edit.old in each.new:
            raise MatchError(
                f"Edit {number} would change text that edit {before} writes; nothing was written.",
                hint="Put the final text into the earlier edit.",
            )


class _Kept(NamedTuple):
    """A range of the original text that is still there."""

    start: int
    end: int


_Piece: TypeAlias = _Kept | str
"""A text is a row of pieces: ranges of the original, and new text."""


def _length(piece: _Piece) -> int:
    return len(piece) if isinstance(piece, str) else piece.end - piece.start


def _replaced(pieces: Sequence[_Piece], found: Sequence[Replacement]) -> list[_Piece]:
    """Return the pieces of the text after replacements in it."""
    ends = list(accumulate(_length(piece) for piece in pieces))
    result: list[_Piece] = []
    at = 0
    for start, end, new in found:
        result += _between(pieces, ends, at, start)
        result.append(new)
        at = end
    result += _between(pieces, ends, at, ends[-1])
    return result


def _between(
    pieces: Sequence[_Piece], ends: Sequence[int], start: int, end: int
) -> Iterator[_Piece]:
    """Return the parts of the pieces that make up a range of their text."""
    index = bisect_right(ends, start)
    while start < end:
        piece = pieces[index]
        base = ends[index] - _length(piece)
        stop = min(end, ends[index])
        if isinstance(piece, str):
            yield piece[start - base : stop - base]
        else:
            yield _Kept(piece.start + start - base, piece.start + stop - base)
        start = stop
        index += 1


def _replacements(pieces: Sequence[_Piece], length: int) -> Iterator[Replacement]:
    """Tell what is between the kept ranges as replacements of the original."""
    at = 0
    new: list[str] = []
    for piece in (*pieces, _Kept(length, length)):
        if isinstance(piece, str):
            new.append(piece)
            continue
        text = "".join(new)
        if text or piece.start > at:
            yield Replacement(at, piece.start, text)
        at, new = piece.end, []
