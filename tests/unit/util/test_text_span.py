"""The beginning of a text, which may be megabytes long: only that much of it is looked at."""

import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.session.session_list import title_of
from pilotfish.util.text_span import first_line, opening

BLANK_OR_WORD = st.text(alphabet=" \t\n\r\x1c\x85\u2028\u00a0ab-é", max_size=60)


@given(BLANK_OR_WORD, st.integers(1, 20))
def test_the_opening_is_the_beginning_of_all_words(text: str, limit: int) -> None:
    assert opening(text, limit) == " ".join(text.split())[:limit]


@given(BLANK_OR_WORD)
def test_the_first_line_is_the_first_that_says_something(text: str) -> None:
    wanted = next((line.strip() for line in text.splitlines() if line.strip()), "")
    assert first_line(text, 100) == wanted


def title(text: str, _: int) -> str:
    return title_of(text)


@pytest.mark.parametrize("take", [opening, first_line, title])
@pytest.mark.parametrize("text", ["word " * 1_000_000, "line\n" * 1_000_000, "x" * 5_000_000])
def test_the_beginning_of_a_long_text_costs_nothing(
    take: Callable[[str, int], str], text: str
) -> None:
    tracemalloc.start()
    try:
        assert len(take(text, 80)) <= 80
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()
