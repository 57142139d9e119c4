"""Text that people decide by shows what it holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.util.visible import hidden_characters, visible

SHOWN = {
    "escape sequences": ("\x1b[2Jx", "\\x1b[2Jx"),
    "a return that lets a terminal overwrite": ("evil\rgood", "evil\\x0dgood"),
    "a direction override": ("a\u202eb", "a\\u202eb"),
    "a blank without width": ("a\u200bb", "a\\u200bb"),
    "tags, an invisible ASCII": ("a\U000e0041", "a\\U000e0041"),
    "half a character": ("a\udcff", "a\\udcff"),
    "C1 controls": ("\x9b2J", "\\x9b2J"),
}


@pytest.mark.parametrize(("text", "shown"), SHOWN.values(), ids=SHOWN.keys())
def test_what_would_hide_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert len(hidden_characters(text)) == 1


@pytest.mark.parametrize("text", ["a\tb\nc", "Grüße 你好 مرحبا", "👨\u200d👩\u200d👧", "ﷺ"])
def test_text_of_people_stays_as_it_is(text: str) -> None:
    assert visible(text) == text
    assert hidden_characters(text) == ()


@given(st.text())
def test_nothing_hidden_is_left(text: str) -> None:
    assert hidden_characters(visible(text)) == ()
