"""The order in which paths answer what somebody types."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.codeintel.index.fuzzy import Rank, fold, fold_query
from pilotfish.session.path_table import PathTable, Tier, name_of, rank_of_path, tier_of

PART = st.text("abAB1_.", min_size=1, max_size=6)
PATH = st.lists(PART, min_size=1, max_size=4).map("/".join)
QUERY = st.text("abAB1_/", min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("query", "path", "expected"),
    [
        ("composer.ts", "webview/composer.ts", Tier.NAME),
        ("comp", "webview/composer.ts", Tier.NAME_BEGINS),
        ("ht", "src/chat-html-tools.ts", Tier.NAME_WORDS),
        ("web/comp", "webview/composer.ts", Tier.PATH_WORDS),
        ("cpsr", "webview/composer.ts", Tier.NAME_LETTERS),
        ("vwcm", "webview/composer.ts", Tier.PATH_LETTERS),
        ("webview", "client/webview/", Tier.NAME),
        ("xyz", "webview/composer.ts", None),
    ],
)
def test_tiers(query: str, path: str, expected: Tier | None) -> None:
    assert tier_of(query, path) is expected


def test_a_name_counts_for_more_than_the_folders_above_it_and_folders_are_found_too() -> None:
    table = PathTable(["composer/readme.md", "webview/composer.ts", "docs/the-composer.md"])
    assert table.search("compos", 10) == [
        "composer/", "webview/composer.ts", "docs/the-composer.md", "composer/readme.md",
    ]  # fmt: skip
    assert len(table) == 6


def answers(query: str, path: str) -> bool:
    """The reference: the query's characters stand in the path in order, case aside."""
    rest = iter(fold(path))
    return all(one in rest for one in fold_query(query))


@given(PATH, QUERY)
def test_a_path_answers_exactly_when_the_characters_stand_in_it_in_order(
    path: str, query: str
) -> None:
    assert (tier_of(query, path) is not None) == answers(query, path)


FILES = st.lists(PATH, max_size=25)


@given(FILES, FILES, QUERY, st.integers(1, 8))
def test_a_table_finds_what_looking_at_each_path_finds(
    before: list[str], files: list[str], query: str, limit: int
) -> None:
    everything = set(files)
    for file in files:
        parts = file.split("/")
        everything |= {"/".join(parts[:end]) + "/" for end in range(1, len(parts))}

    def order(path: str) -> tuple[object, ...]:
        tier = tier_of(query, path)
        assert tier is not None
        if tier in (Tier.PATH_WORDS, Tier.PATH_LETTERS):
            return tier, rank_of_path(query, path) or Rank.EXACT, path != query, len(path), path
        name = name_of(path)
        return tier, 0, name != query, len(name), name, len(path), path

    best = sorted((path for path in everything if answers(query, path)), key=order)
    table = PathTable(before)
    assert table.update(files)
    assert len(table) == len(everything)
    assert table.search(query, limit) == best[:limit]
    assert PathTable(files).search(query, limit) == best[:limit]


def test_a_table_that_has_changed_much_is_built_anew() -> None:
    table = PathTable(["a.py"])
    assert not table.update([f"b{number}.py" for number in range(1_000)])
    assert table.search("a", 5) == ["a.py"]
