"""Half a million names, searched by a few characters within milliseconds.

Owns: the table of names in memory, and its search in the order of ``fuzzy.Rank``.
Does not own: where a name is defined (``store``).

The names lie in one text, the shortest first, so that within a rank the first hits are the best ones and
a search may stop early. Per letter one large integer says, a bit for each name, which names hold it: a
query's letters together leave few names to look at, in one operation each.
"""

import re
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate

from pilotfish.codeintel.index.fuzzy import (
    MARK,
    Patterns,
    Rank,
    compile_query,
    fold,
    fold_query,
    is_searchable,
    mark,
    rank,
)

MAX_ADDED = 2_000
"""Names added since the table was built that are searched one by one; with more, build it anew."""

SEARCH_LIMIT_S = 0.25
"""A search ends after so long with what it has found: names made to be slow must not hold it up."""

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789_"
_LETTERS = frozenset(_ALPHABET)

_TO_DIGITS = bytes.maketrans(b"\0\1", b"01")

_CHUNK = 16_384
"""Names between two looks at the clock."""


class NameTable:
    """Distinct names, searchable. Building blocks; so does searching, for milliseconds."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        ordered = sorted({name for name in names if is_searchable(name)}, key=_order)
        folded = [fold(name) for name in ordered]
        marked = [mark(name) for name in ordered]
        self._count = len(ordered)
        self._names = _Lines(ordered)
        self._folded = _Lines(folded)
        self._marked = _Lines(marked)
        self._sets: dict[str, int] = {}
        self._added: dict[str, None] = {}

    def __len__(self) -> int:
        return self._count + len(self._added)

    @property
    def is_stale(self) -> bool:
        """Whether so many names were added that it should be built anew."""
        return len(self._added) > MAX_ADDED

    def warm_up(self) -> None:
        """Work out what searches need beside the names, so that the first ones are quick, too."""
        for one in _ALPHABET:
            self._set_of(one)
            self._set_of(MARK + one)

    def add(self, names: Iterable[str]) -> None:
        """Take in names that have appeared."""
        for name in names:
            if is_searchable(name) and name not in self._added and not self._knows(name):
                self._added[name] = None

    def search(self, query: str, limit: int) -> list[str]:
        """Return at most ``limit`` names, the best first: by rank, then the shorter, then by letters.

        Of equal names but for their case, the one written as the query comes first.
        """
        wanted = fold_query(query)
        if not wanted:
            known = [self._names[at] for at in range(min(limit, self._count))]
            return sorted([*known, *self._added], key=_order)[:limit]
        found: dict[int, Rank] = {}
        deadline = time.monotonic() + SEARCH_LIMIT_S
        for level, hits in self._tiers(wanted, compile_query(wanted), deadline):
            for at in hits:
                found.setdefault(at, level)
                if len(found) >= limit:
                    break
            if len(found) >= limit:
                break
        ranked = [
            (Rank.EXACT if self._folded[at] == wanted else level, self._names[at])
            for at, level in found.items()
        ]
        ranked += [
            (level, name) for name in self._added if (level := rank(query, name)) is not None
        ]
        ranked.sort(key=lambda each: (each[0], each[1] != query, _order(each[1])))
        return [name for _, name in ranked[:limit]]

    def _tiers(
        self, wanted: str, patterns: Patterns, deadline: float
    ) -> Iterator[tuple[Rank, Iterator[int]]]:
        # The shortest come first, so those that are equal do; they get their rank when sorted.
        yield Rank.PREFIX, self._folded.lines_with(f"\n{wanted}")
        holding: int | None = None
        for one in sorted(set(wanted) & _LETTERS):
            holding = _both(holding, self._set_of(one))
        beginning = holding
        if wanted[0] in _LETTERS:
            beginning = _both(holding, self._set_of(MARK + wanted[0]))
        yield Rank.WORDS, self._matching(self._marked, patterns.words.search, beginning, deadline)
        yield (
            Rank.SUBSEQUENCE,
            self._matching(self._folded, patterns.subsequence.match, holding, deadline),
        )

    def _set_of(self, part: str) -> int:
        """Return who holds a letter, or has a word that begins with it: a bit each."""
        if part not in self._sets:
            lines = self._marked if part.startswith(MARK) else self._folded
            self._sets[part] = _lines_holding(part, lines)
        return self._sets[part]

    def _matching(
        self,
        lines: "_Lines",
        matches: Callable[[str, int, int], re.Match[str] | None],
        candidates: int | None,
        deadline: float,
    ) -> Iterator[int]:
        """Yield which of the candidates match, in order."""
        text, starts = lines.text, lines.starts
        chosen = range(self._count) if candidates is None else _ones(candidates)
        for number, at in enumerate(chosen):
            if number % _CHUNK == 0 and time.monotonic() > deadline:
                return
            if matches(text, starts[at], starts[at + 1] - 1):
                yield at

    def _knows(self, name: str) -> bool:
        return any(self._names[at] == name for at in self._folded.lines_with(f"\n{fold(name)}\n"))


class _Lines:
    """Many short texts in one."""

    def __init__(self, lines: list[str]) -> None:
        self.text = "\n" + "\n".join(lines) + "\n"
        self.starts = array("I", accumulate((len(line) + 1 for line in lines), initial=1))

    def __getitem__(self, at: int) -> str:
        return self.text[self.starts[at] : self.starts[at + 1] - 1]

    def lines_with(self, part: str) -> Iterator[int]:
        """Yield the numbers of the lines where a text that begins with a line feed is found."""
        place = self.text.find(part)
        while place >= 0:
            at = bisect_right(self.starts, place + 1) - 1
            if at + 1 >= len(self.starts):
                return
            yield at
            place = self.text.find(part, place + 1)


def _order(name: str) -> tuple[int, str]:
    return len(name), name


def _both(one: int | None, other: int) -> int:
    return other if one is None else one & other


def _lines_holding(part: str, lines: _Lines) -> int:
    """Return an integer whose bit n tells whether line n holds a text."""
    flags = bytes([part in line for line in lines.text[1:-1].split("\n")])
    return int(flags[::-1].translate(_TO_DIGITS) or b"0", 2)


def _ones(bits: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, in order."""
    digits = f"{bits:b}"[::-1]
    at = digits.find("1")
    while at >= 0:
        yield at
        at = digits.find("1", at + 1)
