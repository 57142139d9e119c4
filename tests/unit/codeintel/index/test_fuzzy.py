"""The order in which names answer a query."""

import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.codeintel.index import letter_places
from pilotfish.codeintel.index.fuzzy import (
    MARK,
    MAX_WORDS,
    Rank,
    compile_query,
    fold,
    mark,
    rank,
)
from pilotfish.codeintel.index.letter_places import FEW, PLACES, START, LetterPlaces
from pilotfish.codeintel.index.names import NameTable

# Few letters, so that they meet; both cases, digits, separators, and what folds to more than one.
LETTERS = "abAB01_$.ßİé"
NAME = st.text(LETTERS, min_size=1, max_size=14)
QUERY = st.text("abAB01_ß", max_size=5)
ASCII_QUERY = st.text("abAB1_", min_size=1, max_size=6)

# Beyond the places that are told apart, too.
LONG_NAME = st.one_of(NAME, st.text(LETTERS, min_size=PLACES - 3, max_size=PLACES + 8))
LONG_QUERY = st.one_of(QUERY, st.text("abA1_.é", min_size=6, max_size=PLACES + 3))


@pytest.mark.parametrize(
    ("query", "name", "expected"),
    [
        ("index", "Index", Rank.EXACT),
        ("ind", "index_file", Rank.PREFIX),
        ("wsy", "workspace_symbols", Rank.WORDS),
        ("WorkSym", "workspaceSymbols", Rank.WORDS),
        ("file", "index_file", Rank.WORDS),
        ("hs", "HTTPServer", Rank.WORDS),
        ("u8", "decode_utf8", Rank.WORDS),
        ("dexle", "index_file", Rank.SUBSEQUENCE),
        ("elif", "index_file", None),
        ("workspace symbols", "WorkspaceSymbols", Rank.EXACT),
    ],
)
def test_ranks(query: str, name: str, expected: Rank | None) -> None:
    assert rank(query, name) is expected


def test_the_table_tells_the_best_names_first() -> None:
    names = ["unsettled", "get_set", "setting", "Set", "reset", "set", "sea_trip"]
    assert NameTable(names).search("set", 10) == [
        "set", "Set", "setting", "get_set", "sea_trip", "reset", "unsettled",
    ]  # fmt: skip


def test_names_that_were_added_later_take_their_place_among_the_others() -> None:
    table = NameTable(["setting", "reset"])
    table.add(["set", "get_set", "reset"])
    assert table.search("set", 10) == ["set", "setting", "get_set", "reset"]
    assert len(table) == 4


def test_names_that_are_none_stay_out() -> None:
    assert len(NameTable(["", "a\nb", "\x01", "x" * 1_000, "ok"])) == 1


@pytest.mark.parametrize("few", [0, FEW])
@given(names=st.lists(LONG_NAME, max_size=30), query=LONG_QUERY, limit=st.integers(1, 10))
def test_a_table_finds_what_looking_at_each_name_finds(
    few: int, names: list[str], query: str, limit: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letter_places, "FEW", few)
        _check_table(names, query, limit)


def _check_table(names: list[str], query: str, limit: int) -> None:
    ranked = [
        (level, name != query, len(name), name)
        for name in set(names)
        if (level := rank(query, name)) is not None
    ]
    found = NameTable(names).search(query, limit)
    # Which of the names that differ only in their case are cut off is not promised.
    whole = NameTable(names).search(query, len(names) + 1)
    assert whole == [name for *_, name in sorted(ranked)]
    levels = [rank(query, name) for name in found]
    assert levels == [level for level, *_ in sorted(ranked)][:limit]


@given(st.lists(st.text("abAB1_", min_size=1, max_size=PLACES - 1), max_size=30), ASCII_QUERY)
def test_nearly_all_names_that_do_not_answer_are_left_out_without_a_look(
    names: list[str], query: str
) -> None:
    names.sort(key=len)
    marked = [mark(name) for name in names]
    starts = [re.sub(f"{MARK}.", START, one) for one in marked]
    folded = [fold(name) for name in names]
    wanted, patterns = fold(query), compile_query(fold(query))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letter_places, "FEW", 0)
        letters = LetterPlaces([len(name) for name in names], folded, starts)
        beginning = letters.beginning_with(wanted)
        holding = letters.in_order(wanted)
        by_words = letters.by_words(wanted, holding)
    assert list(letters.numbers(beginning)) == [
        at for at, name in enumerate(folded) if name.startswith(wanted)
    ]
    assert list(letters.numbers(holding)) == [
        at for at, name in enumerate(folded) if patterns.subsequence.match(name)
    ]
    assert list(letters.numbers(by_words)) == [
        at for at, name in enumerate(marked) if patterns.words.search(name)
    ]


@given(NAME, QUERY)
def test_a_rank_is_what_its_meaning_says(name: str, query: str) -> None:
    folded, wanted = fold(name), fold(query)
    if folded == wanted:
        expected: Rank | None = Rank.EXACT
    elif folded.startswith(wanted):
        expected = Rank.PREFIX
    elif any(_by_words(places, mark(name), wanted) for places in _placings(mark(name), wanted)):
        expected = Rank.WORDS
    elif any(_placings(folded, wanted)):
        expected = Rank.SUBSEQUENCE
    else:
        expected = None
    assert rank(query, name) is expected


def _placings(text: str, wanted: str) -> list[tuple[int, ...]]:
    """Return all ways to find the characters in order."""
    places = [at for at, one in enumerate(text) if one in wanted]
    return [
        chosen
        for chosen in combinations(places, len(wanted))
        if all(text[at] == one for at, one in zip(chosen, wanted, strict=True))
    ]


def _by_words(places: tuple[int, ...], marked: str, wanted: str) -> bool:
    begins = [at > 0 and marked[at - 1] == MARK for at in places]
    follows = [False, *(after == at + 1 for at, after in pairwise(places))]
    return begins[0] and all(a or b for a, b in zip(begins, follows, strict=True))


def test_a_name_made_to_be_slow_does_not_hold_a_search_up() -> None:
    assert mark("a_" * 60).count(MARK) == MAX_WORDS
    names = ["a_" * 40 + f"{number}" for number in range(2_000)]
    assert NameTable(names).search("a" * 11 + "b", 10) == []
