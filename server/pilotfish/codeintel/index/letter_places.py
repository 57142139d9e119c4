"""Where letters stand in many names, as sets of bits.

Owns: which names may answer a query, found by a few operations on large integers.
Does not own: the order of the names, and whether a name does answer (``names``): what is returned here
holds every name that does, and few others.

The names come shortest first. Bit ``count - 1 - n`` of a set stands for name ``n``: so what holds for long
names alone, such as a letter at the twentieth place, is a small integer, and the binary digits of a set
list its names in their order.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

PLACES = 32
"""Places that are told apart; the last one stands for all that follow."""

FEW = 2_000
"""With so few names left, looking at each one costs less than leaving out more of them."""

_LAST = PLACES - 1

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789_"

START = "\x02"
"""Stands for the first character of a word."""


class LetterPlaces:
    """The letters of names, by place. Building blocks for a second or two with half a million names."""

    def __init__(
        self, lengths: Sequence[int], folded: Sequence[str], starts: Sequence[str]
    ) -> None:
        """Take in names.

        Args:
            lengths: Numbers that do not fall, one for each name; those of one number are laid out
                together, so they should be of about the same length.
            folded: The names without their case.
            starts: As many characters for each, ``START`` where a word begins.
        """
        self._count = len(folded)
        runs = [len(list(run)) for _, run in groupby(lengths)]
        letters = _columns(runs, folded)
        known = _ALPHABET.encode()
        self._at = {one: _sets(letters, [code]) for one, code in zip(_ALPHABET, known, strict=True)}
        self._others = _sets(letters, frozenset(range(128)).difference(known, b"\n"))
        """Where any other character stands."""
        del letters
        self._starts = _sets(_columns(runs, starts), START.encode())

    def beginning_with(self, query: str) -> int:
        """Return the names that may begin with a query."""
        found = self._all()
        for place, one in enumerate(query[:_LAST]):
            found &= self._places(one)[place]
        return found

    def in_order(self, query: str) -> int:
        """Return the names that may hold the characters of a query in order."""
        # ``reached[p]``: the characters so far stand in order, the last of them before place p.
        reached = [self._all()] * (PLACES + 1)
        for one in query:
            at = self._places(one)
            now, following = 0, [0]
            for place in range(_LAST):
                now |= reached[place] & at[place]
                following.append(now)
            # What follows the places that are told apart may stand there in any order.
            now |= reached[PLACES] & at[_LAST]
            following.append(now)
            reached = following
            if now.bit_count() <= FEW:
                break
        return reached[PLACES]

    def by_words(self, query: str, among: int) -> int:
        """Return the names that may hold a query as beginnings of words and what follows them.

        Args:
            query: The characters; the first one begins a word, each other one does or stands right
                after the one before it.
            among: The names that are asked about.
        """
        if among.bit_count() <= FEW:
            return among
        last: list[int] = []
        """At each place: the characters so far fit, the last of them there."""
        for one in query:
            at = self._places(one)
            earlier = 0 if last else among
            following: list[int] = []
            for place in range(PLACES):
                fits = earlier & self._starts[place]
                if last:
                    fits |= last[place - 1] if place else 0
                    earlier |= last[place]
                    if place == _LAST:
                        fits |= last[place] | (earlier & self._starts[place])
                following.append(fits & at[place])
            last = following
        found = 0
        for one in last:
            found |= one
        return found

    def numbers(self, names: int) -> Iterator[int]:
        """Yield the numbers of the names of a set, in order."""
        digits = f"{names:b}"
        skipped = self._count - len(digits)
        at = digits.find("1")
        while at >= 0:
            yield skipped + at
            at = digits.find("1", at + 1)

    def _all(self) -> int:
        return (1 << self._count) - 1

    def _places(self, letter: str) -> list[int]:
        return self._at.get(letter, self._others)


def _columns(runs: Sequence[int], lines: Sequence[str]) -> list[bytes]:
    """Return the characters that the lines have at each place, as ASCII.

    A column leaves out the lines at the beginning that are all too short for it; other lines that are
    too short have a line feed there.
    """
    columns: list[list[bytes]] = []
    at = 0
    for count in runs:
        rows = lines[at : at + count]
        at += count
        width = max(map(len, rows))
        block = "\n".join([row.ljust(width, "\n") for row in rows]).encode("ascii", "replace")
        columns += [[] for _ in range(width - len(columns))]
        for place, parts in enumerate(columns):
            parts.append(block[place :: width + 1] if place < width else b"\n" * count)
    return [b"".join(parts) for parts in columns]


def _sets(columns: Sequence[bytes], codes: Iterable[int]) -> list[int]:
    """Return, for each place, a set of the names that have one of some characters there."""
    digits = bytearray(b"0" * 256)
    for code in codes:
        digits[code] = ord("1")
    found = [int(column.translate(digits), 2) for column in columns[:_LAST]]
    found += [0] * (_LAST - len(found))
    rest = 0
    for column in columns[_LAST:]:
        rest |= int(column.translate(digits), 2)
    return [*found, rest]
