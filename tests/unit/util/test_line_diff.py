"""Texts are compared without being taken apart, and with the same outcome."""

from hypothesis import given
from hypothesis import strategies as st
from pilotfish.util.line_diff import (
    count_lines,
    line_changes,
    lines_between,
    split_lines,
    text_changes,
)
from pilotfish.util.text_span import (
    PIECE_CHARS,
    changed_span,
    common_ends,
    text_pieces,
    utf8_length,
)

TEXT = st.text("ab\n\r", max_size=30)


def replay(old: list[str], new: list[str], text_old: str, text_new: str) -> list[str]:
    lines: list[str] = []
    at = 0
    for change in text_changes(text_old, text_new):
        lines += old[at : change.old_start]
        lines += new[change.new_start : change.new_end]
        at = change.old_end
    return lines + old[at:]


@given(TEXT, TEXT)
def test_the_changes_of_texts_lead_from_one_to_the_other(old: str, new: str) -> None:
    old_lines, new_lines = split_lines(old), split_lines(new)
    assert replay(old_lines, new_lines, old, new) == new_lines
    if old_lines == new_lines:
        assert text_changes(old, new) == []


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=12), st.integers(0, 12))
def test_one_changed_line_is_found_as_by_comparing_all(lines: list[str], at: int) -> None:
    changed = [*lines[:at], "new", *lines[at + 1 :]]
    old, new = "\n".join(lines), "\n".join(changed)
    assert text_changes(old, new) == line_changes(split_lines(old), split_lines(new))


@given(TEXT, st.integers(0, 8), st.integers(0, 8))
def test_a_range_of_lines_is_that_of_all_lines(text: str, first: int, count: int) -> None:
    assert lines_between(text, first, first + count) == split_lines(text)[first : first + count]
    assert count_lines(text) == len(split_lines(text))


@given(st.sampled_from("aé中\U0001f600"), st.integers(0, 3), st.integers(0, PIECE_CHARS * 2))
def test_long_texts_in_pieces_are_the_texts(letter: str, lines: int, at: int) -> None:
    text = letter * (PIECE_CHARS + 7) + "\n" + "x\n" * (PIECE_CHARS * lines // 2)
    at = min(at, len(text))
    assert "".join(text_pieces(text)) == text
    assert "".join(text_pieces(text, at)) == text[at:]
    assert utf8_length(text) == len(text.encode())
    other = text[:at] + "#" + text[at:]
    head, tail = common_ends(text, other)
    assert (head, tail) == (at, len(text) - at)
    start, old_end, new_end = changed_span(text, other)
    assert text[:start] + other[start:new_end] + text[old_end:] == other
    number = text.count("\n", 0, at)
    assert lines_between(other, number, number + 1)[0].count("#") == 1


def test_a_change_of_everything_in_a_long_text_counts_as_one() -> None:
    old, new = "a\n" * 30_000, "b\n" * 30_001
    (change,) = text_changes(old, new)
    assert (change.old_start, change.old_end) == (0, 30_000)
    assert (change.new_start, change.new_end) == (0, 30_001)


def test_other_line_ends_alone_are_no_change_however_long_the_text() -> None:
    assert text_changes("a\n" * 30_000, "a\r\n" * 30_000) == []
