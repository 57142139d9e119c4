"""Hunks between what was reviewed and what is there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.core.ids import CheckpointId
from pilotfish.workspace.review import (
    FileFold,
    FileReview,
    LineOrigins,
    Step,
    UndoConflict,
    baseline_with_hunks,
    undo,
    without_hunks,
)

ORIGINAL = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"


def life(start: str | None, *steps: tuple[str, str | None]) -> FileReview:
    """Build a review from who changed the file into what: agent, agreed, or outside."""
    fold = FileFold(start)
    before = start
    for number, (who, after) in enumerate(steps):
        if who != "outside":
            name = CheckpointId(f"c{number}")
            fold.change(before, after, checkpoint_id=name, to_review=who == "agent")
        before = after
    return fold.now(before)[0]


def changed(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def test_two_edits_in_two_places_are_two_hunks_with_their_writers() -> None:
    first = changed(ORIGINAL, ("two", "TWO"))
    found = life(ORIGINAL, ("agent", first), ("agent", changed(first, ("six\n", ""))))
    assert [(hunk.old_lines, hunk.new_lines) for hunk in found.hunks] == [
        (("two\n",), ("TWO\n",)),
        (("six\n",), ()),
    ]
    assert [hunk.checkpoints for hunk in found.hunks] == [("c0",), ("c1",)]
    assert [hunk.new_start for hunk in found.hunks] == [1, 5]


def test_what_the_user_agreed_to_or_did_waits_for_nobody() -> None:
    agreed = changed(ORIGINAL, ("two", "TWO"))
    own = changed(agreed, ("five", "FIVE"))
    found = life(ORIGINAL, ("agreed", agreed), ("outside", own))
    assert found.is_settled
    assert found.hunks == ()


def test_the_users_edit_beside_the_agents_survives_a_rejection() -> None:
    agent = changed(ORIGINAL, ("two", "TWO"), ("six", "SIX"))
    user = changed(agent, ("three", "3"), ("seven", "7"))
    found = life(ORIGINAL, ("agent", agent), ("outside", user))
    assert len(found.hunks) == 2
    ids = frozenset({found.hunks[0].id})
    assert without_hunks(found, ids) == changed(user, ("TWO", "two"))
    everything = frozenset(hunk.id for hunk in found.hunks)
    assert without_hunks(found, everything) == changed(ORIGINAL, ("three", "3"), ("seven", "7"))


def test_the_users_edit_of_the_agents_line_stays_in_that_hunk() -> None:
    agent = changed(ORIGINAL, ("two", "TWO"))
    user = changed(agent, ("TWO", "TWO!"))
    found = life(ORIGINAL, ("agent", agent), ("outside", user))
    (hunk,) = found.hunks
    assert (hunk.old_lines, hunk.new_lines) == (("two\n",), ("TWO!\n",))


def test_accepting_moves_the_baseline_by_those_hunks_alone() -> None:
    agent = changed(ORIGINAL, ("two", "TWO"), ("six", "SIX"))
    found = life(ORIGINAL, ("agent", agent))
    ids = frozenset({found.hunks[1].id})
    assert baseline_with_hunks(found, ids) == changed(ORIGINAL, ("six", "SIX"))
    fold = FileFold(ORIGINAL)
    fold.change(ORIGINAL, agent, checkpoint_id=CheckpointId("c0"), to_review=True)
    fold.looked_at(baseline_with_hunks(found, ids), agent)
    left, _ = fold.now(agent)
    assert [hunk.new_lines for hunk in left.hunks] == [("TWO\n",)]


def test_a_new_file_is_one_hunk_until_it_is_accepted() -> None:
    found = life(None, ("agent", "a\n"), ("outside", "a\nb\n"))
    (hunk,) = found.hunks
    assert hunk.new_lines == ("a\n", "b\n")
    assert without_hunks(found, frozenset({hunk.id})) is None
    assert baseline_with_hunks(found, frozenset({hunk.id})) == "a\nb\n"


def test_an_empty_new_file_and_a_deleted_one_wait_too() -> None:
    assert len(life(None, ("agent", "")).hunks) == 1
    assert len(life("a\n", ("agent", None)).hunks) == 1
    assert life("a\n", ("outside", None)).is_settled
    assert life("a\n", ("agent", "b\n"), ("outside", None)).is_settled
    assert life("a\n", ("agent", "b\n"), ("agent", "a\n")).is_settled


def test_equal_hunks_have_names_of_their_own() -> None:
    found = life("x\n-\nx\n", ("agent", "y\n-\ny\n"))
    assert len({hunk.id for hunk in found.hunks}) == 2
    first = without_hunks(found, frozenset({found.hunks[0].id}))
    assert first == "x\n-\ny\n"


def test_taking_a_change_back_keeps_later_ones() -> None:
    first = changed(ORIGINAL, ("two", "TWO"))
    later = changed(first, ("six", "SIX"))
    assert undo(ORIGINAL, first, later) == changed(ORIGINAL, ("six", "SIX"))
    assert undo(None, "a\n", "a\n") is None
    for current in (changed(first, ("TWO", "2")), None):
        with pytest.raises(UndoConflict):
            undo(ORIGINAL, first, current)
    with pytest.raises(UndoConflict):
        undo(None, "a\n", "a\nb\n")


TEXTS = st.none() | st.text(alphabet="ab\n\r", max_size=12)
STEPS = st.lists(st.tuples(st.sampled_from(["agent", "agreed", "outside"]), TEXTS), max_size=6)


@given(TEXTS, STEPS)
def test_rejecting_all_gives_the_baseline_and_accepting_all_the_file(
    start: str | None, steps: list[tuple[str, str | None]]
) -> None:
    found = life(start, *steps)
    everything = frozenset(hunk.id for hunk in found.hunks)
    assert without_hunks(found, everything) == found.baseline
    assert without_hunks(found, frozenset()) == found.current
    assert baseline_with_hunks(found, everything) == found.current
    assert baseline_with_hunks(found, frozenset()) == found.baseline
    assert bool(found.hunks) == (not found.is_settled)


@given(TEXTS, STEPS)
def test_origins_count_the_lines(start: str | None, steps: list[tuple[str, str | None]]) -> None:
    origins = LineOrigins.of(start)
    before = start
    for number, (_, after) in enumerate(steps):
        origins.apply(Step(before=before, after=after, checkpoint_id=CheckpointId(f"c{number}")))
        before = after
        text = after or ""
        count = text.count("\n") if "\n" in text else text.count("\r")
        last = text.rpartition("\n" if "\n" in text else "\r")[2] if count else text
        assert len(origins.lines) == count + bool(last)
        assert len(origins.gaps) == len(origins.lines) + 1
