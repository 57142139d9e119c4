"""Two changes of one text, put together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.util.merge3 import keep_lines, merge

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "e\n"]), max_size=8)


def lines(text: str) -> list[str]:
    return [f"{one}\n" for one in text]


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged", "conflicts"),
    [
        ("abc", "abc", "abc", "abc", 0),
        ("abc", "aBc", "abc", "aBc", 0),
        ("abc", "abc", "aBc", "aBc", 0),
        ("abc", "aBc", "aBc", "aBc", 0),
        ("abc", "aBc", "aXc", "aBc", 1),
        ("abcd", "aBcd", "abCd", "aBCd", 0),
        ("abcd", "acd", "abcD", "acD", 0),
        ("abc", "abxc", "abyc", "abxc", 1),
        ("abc", "abxc", "aBc", "aBxc", 0),
        ("abc", "axbc", "aBc", "axBc", 0),
        ("abcdef", "aXf", "abCdef", "aXf", 1),
        ("", "a", "", "a", 0),
        ("", "a", "b", "a", 1),
        ("abc", "", "abc", "", 0),
        ("abc", "", "abC", "", 1),
    ],
)
def test_merging(base: str, ours: str, theirs: str, merged: str, conflicts: int) -> None:
    found = merge(lines(base), lines(ours), lines(theirs))
    assert (found.lines, found.conflicts) == (lines(merged), conflicts)
    turned = merge(lines(base), lines(theirs), lines(ours), prefer="theirs")
    assert (turned.lines, turned.conflicts) == (found.lines, found.conflicts)


@given(LINES, LINES)
def test_one_change_alone_is_taken_as_it_is(base: list[str], changed: list[str]) -> None:
    for found in (
        merge(base, changed, base),
        merge(base, base, changed),
        merge(base, changed, changed),
    ):
        assert (found.lines, found.conflicts) == (changed, 0)


@given(LINES, LINES, LINES, LINES)
def test_changes_of_different_parts_are_both_kept(
    head: list[str], tail: list[str], new_head: list[str], new_tail: list[str]
) -> None:
    wall = ["=1=\n", "=2=\n", "=3=\n"]
    found = merge(head + wall + tail, new_head + wall + tail, head + wall + new_tail)
    assert (found.lines, found.conflicts) == (new_head + wall + new_tail, 0)


@given(LINES, LINES, LINES)
def test_a_conflict_takes_the_preferred_side_and_loses_no_line_of_it(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    mine, other = merge(base, ours, theirs), merge(base, ours, theirs, prefer="theirs")
    assert mine.conflicts == other.conflicts
    if not mine.conflicts:
        assert mine.lines == other.lines


@given(st.text(alphabet="ab\r\n\x0c\u2028", max_size=30))
def test_lines_keep_their_endings(text: str) -> None:
    assert "".join(keep_lines(text)) == text
