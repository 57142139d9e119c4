"""Half a million names, searched by a few characters within milliseconds.

Owns: the table of names in memory, and its search in the order of ``fuzzy.Rank``.
Does not own: where a name is defined (``store``), which names are worth looking at (``letter_places``).

The names stand the shortest first, so that within a rank the first hits are the best ones and a search
may stop early.
"""

import re
import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate

from pilotfish.codeintel.index.fuzzy import (
    MARK,
    Patterns,
    Rank,
    compile_query,
    fold_query,
    is_searchable,
    mark,
    rank_by,
)
from pilotfish.codeintel.index.letter_places import START, LetterPlaces

MAX_ADDED = 2_000
"""Names added since the table was built that are searched one by one; with more, build it anew."""

SEARCH_LIMIT_S = 0.25
"""A search ends after so long with what it has found: names made to be slow must not hold it up."""

_FIRST = re.compile(f"{MARK}.")

_CHUNK = 16_384
"""Names between two looks at the clock."""


class NameTable:
    """Distinct names, searchable. Building blocks; so does searching, for milliseconds."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        # By length, then by letters; a key of both takes three times as long.
        ordered = sorted(sorted({name for name in names if is_searchable(name)}), key=len)
        marked = [mark(name) for name in ordered]
        folded = [one.replace(MARK, "") for one in marked]
        self._count = len(ordered)
        self._letters = LetterPlaces(
            [len(name) for name in ordered], folded, [_FIRST.sub(START, one) for one in marked]
        )
        self._names = _Lines(ordered)
        self._folded = _Lines(folded)
        self._marked = _Lines(marked)
        self._added: dict[str, None] = {}

    def __len__(self) -> int:
        return self._count + len(self._added)

    @property
    def is_stale(self) -> bool:
        """Whether so many names were added that it should be built anew."""
        return len(self._added) > MAX_ADDED

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
        patterns = compile_query(wanted)
        for level, hits in self._tiers(wanted, patterns, deadline):
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
            (level, name)
            for name in self._added
            if (level := rank_by(patterns, wanted, name)) is not None
        ]
        ranked.sort(key=lambda each: (each[0], each[1] != query, _order(each[1])))
        return [name for _, name in ranked[:limit]]

    def _tiers(
        self, wanted: str, patterns: Patterns, deadline: float
    ) -> Iterator[tuple[Rank, Iterator[int]]]:
        # The shortest come first, so those that are equal do; they get their rank when sorted.
        beginning = self._letters.beginning_with(wanted)
        yield Rank.PREFIX, self._matching(self._folded, _beginning(wanted), beginning, deadline)
        holding = self._letters.in_order(wanted)
        words = self._letters.by_words(wanted, holding)
        yield Rank.WORDS, self._matching(self._marked, patterns.words.search, words, deadline)
        fits = patterns.subsequence.match
        yield Rank.SUBSEQUENCE, self._matching(self._folded, fits, holding, deadline)

    def _matching(
        self,
        lines: "_Lines",
        matches: Callable[[str, int, int], object],
        candidates: int,
        deadline: float,
    ) -> Iterator[int]:
        """Yield which of the candidates match, in order."""
        text, starts = lines.text, lines.starts
        for number, at in enumerate(self._letters.numbers(candidates)):
            if number % _CHUNK == 0 and time.monotonic() > deadline:
                return
            if matches(text, starts[at], starts[at + 1] - 1):
                yield at

    def _knows(self, name: str) -> bool:
        at = bisect_left(range(self._count), _order(name), key=lambda at: _order(self._names[at]))
        return at < self._count and self._names[at] == name


class _Lines:
    """Many short texts in one."""

    def __init__(self, lines: list[str]) -> None:
        self.text = "\n".join(lines) + "\n"
        self.starts = array("I", accumulate((len(line) + 1 for line in lines), initial=0))

    def __getitem__(self, at: int) -> str:
        return self.text[self.starts[at] : self.starts[at + 1] - 1]


def _beginning(wanted: str) -> Callable[[str, int, int], bool]:
    return lambda text, start, end: text.startswith(wanted, start, end)


def _order(name: str) -> tuple[int, str]:
    return len(name), name
