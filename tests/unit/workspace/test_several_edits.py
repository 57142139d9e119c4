"""Several edits of one file as one set of ranges of its text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.workspace.matching import MatchError, StringEdit, find_replacements
from pilotfish.workspace.several_edits import SeveralEdits, find_all_replacements, splice


def several(*pairs: tuple[str, str]) -> SeveralEdits:
    return SeveralEdits(edits=tuple(StringEdit(old=old, new=new) for old, new in pairs))


def test_edits_are_made_in_order_on_what_the_earlier_ones_leave() -> None:
    text = "one\r\ntwo\r\nthree\r\nfour\r\n"
    with pytest.raises(MatchError, match="Edit 3 of 3"):
        find_all_replacements(text, several(("three", "3"), ("one", "1"), ("zzz", "end")))
    joined = several(("three", "III"), ("one\ntwo", "1\n2"), ("2\nIII\nfour", "end"))
    assert splice(text, find_all_replacements(text, joined)) == "1\r\nend\r\n"


def test_text_between_the_edits_is_named_as_kept() -> None:
    found = find_all_replacements("a b c d", several(("a", "A"), ("d", "DD")))
    assert [(each.start, each.end, each.new) for each in found] == [(0, 1, "A"), (6, 7, "DD")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (several(("a", "xyz"), ("y", "q")), "Edit 2 would change text that edit 1 writes"),
        (several(("a", "b"), ("nothing", "q")), "Edit 2 of 2: old_string was not found"),
        (several(("z", "q"), ("a", "b")), "Edit 1 of 2: old_string was not found"),
    ],
)
def test_edit_that_does_not_fit_is_named(change: SeveralEdits, message: str) -> None:
    with pytest.raises(MatchError, match=message):
        find_all_replacements("a\nb\n", change)


edits = st.lists(
    st.builds(
        StringEdit,
        old=st.text("abc\n", min_size=1, max_size=4),
        new=st.text("xyz\n", max_size=4),
        replace_all=st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


@given(st.text("abc\r\n", max_size=40), edits)
def test_all_at_once_is_one_after_the_other(text: str, steps: list[StringEdit]) -> None:
    try:
        found = find_all_replacements(text, SeveralEdits(edits=tuple(steps)))
    except MatchError:
        return
    now = text
    for step in steps:
        now = splice(now, find_replacements(now, step))
    assert splice(text, found) == now
    assert all(one.end < two.start for one, two in pairwise(found))
