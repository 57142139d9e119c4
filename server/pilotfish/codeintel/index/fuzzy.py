"""How well a name answers a query.

Owns: the ranks and the patterns that find them, in one name or in a text of many. Pure.
See also: ``names``, which searches many names at once.
"""

import re
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

MARK = "\x01"
"""Stands before each word of a marked name."""

MAX_WORDS = 12
"""Words of a name that count as such: what a query may skip, and so what matching costs, is bounded."""

MAX_NAME_CHARS = 200
"""Longer names are no names that people ask for."""

MAX_QUERY_CHARS = 80
"""Characters of a query that count."""

_WORD = re.compile(
    r"(?<![^\W_])(?=[^\W_])"  # after what is neither letter nor digit
    r"|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"  # camelCase, HTTPServer
    r"|(?<=[A-Za-z])(?=[0-9])"
)


class Rank(IntEnum):
    """How a name answers a query; the smaller the better. Case does not matter."""

    EXACT = 0
    PREFIX = 1
    WORDS = 2
    """The characters stand in order, the first one begins a word of the name, and each other one
    follows the one before it or begins a word: ``wsy`` for ``workspace_symbols``."""
    SUBSEQUENCE = 3
    """The characters stand in order."""


class Patterns(NamedTuple):
    """A query's patterns; no match crosses a line."""

    words: re.Pattern[str]
    """Searched in marked names."""
    subsequence: re.Pattern[str]
    """Matched from the beginning of a folded name."""


def fold(text: str) -> str:
    """Return a text with its case taken away."""
    return text.casefold()


def fold_query(query: str) -> str:
    """Return what of a query counts: its visible characters, folded."""
    return fold("".join(query.split()))[:MAX_QUERY_CHARS]


def mark(name: str) -> str:
    """Return a name, folded, with a mark before each of its words."""
    if name.isalpha() and name.islower():
        return MARK + fold(name)
    return fold(_WORD.sub(MARK, name, count=MAX_WORDS))


def is_searchable(name: str) -> bool:
    """Tell whether a name can be in the table: one line, of a sensible length."""
    return 0 < len(name) <= MAX_NAME_CHARS and name.isprintable()


@lru_cache(maxsize=64)
def compile_query(folded_query: str) -> Patterns:
    """Return the patterns of a query. An empty one fits everything, but for what begins no word."""
    characters = [re.escape(one) for one in folded_query]
    later = "".join(f"(?:[^\n]*?{MARK})?{one}" for one in characters[1:])
    # Possessive: the first place of each character is as good as any later one.
    steps = "".join(f"[^\n{one}]*+{one}" for one in characters)
    return Patterns(
        words=re.compile(f"{MARK}{''.join(characters[:1])}{later}"),
        subsequence=re.compile(steps),
    )


def rank(query: str, name: str) -> Rank | None:
    """Return how a name answers a query; None when it does not. An empty query fits everything."""
    wanted = fold_query(query)
    return rank_by(compile_query(wanted), wanted, name)


def rank_by(patterns: Patterns, wanted: str, name: str) -> Rank | None:
    """Return how a name answers a folded query, whose patterns are at hand."""
    folded = fold(name)
    if folded == wanted:
        return Rank.EXACT
    if folded.startswith(wanted):
        return Rank.PREFIX
    if not patterns.subsequence.match(folded):
        return None
    return Rank.WORDS if patterns.words.search(mark(name)) else Rank.SUBSEQUENCE
