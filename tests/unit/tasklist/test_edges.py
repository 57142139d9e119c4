"""The edges of a task list: whatever is done, both ends agree and nothing waits for itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.tasklist.changes import changed
from pilotfish.tasklist.edges import linked, mended
from pilotfish.tasklist.model import (
    Entries,
    Entry,
    EntryChange,
    EntryId,
    RefusalReason,
    TaskListError,
    open_blockers,
)

IDS = st.integers(1, 7).map(str)


def entry(entry_id: EntryId, *, waits_for: tuple[EntryId, ...] = ()) -> Entry:
    return Entry(id=entry_id, subject=f"Task {entry_id}", blocked_by=waits_for)


def assert_sound(entries: Entries) -> None:
    """Both ends of each edge, once; no circle; in the order of the numbers."""
    assert list(entries) == sorted(entries, key=int)
    for each in entries.values():
        assert len(set(each.blocks)) == len(each.blocks)
        assert all(each.id in entries[other].blocked_by for other in each.blocks)
        assert all(each.id in entries[other].blocks for other in each.blocked_by)
    free = dict(entries)
    while free:
        ready = [each.id for each in free.values() if not set(each.blocked_by) & set(free)]
        assert ready, "a circle"
        for each in ready:
            del free[each]


@given(st.lists(st.tuples(IDS, IDS, st.booleans()), max_size=30), st.lists(IDS, max_size=3))
def test_both_ends_agree_and_nothing_waits_for_itself(
    edges: list[tuple[str, str, bool]], deleted: list[str]
) -> None:
    entries: Entries = mended(entry(str(each)) for each in range(1, 7))
    for first, second, forward in edges:
        change = (
            EntryChange(add_blocks=(second,)) if forward else EntryChange(add_blocked_by=(second,))
        )
        try:
            after = changed(entries, first, change, "main")
        except TaskListError:
            assert_sound(entries)
            continue
        pair = (first, second) if forward else (second, first)
        assert pair[1] in after[pair[0]].blocks
        entries = after
        assert_sound(entries)
    left = mended(each for each in entries.values() if each.id not in deleted)
    assert_sound(left)


@given(
    st.lists(
        st.builds(
            Entry,
            id=IDS,
            subject=st.just("x"),
            blocks=st.lists(IDS, max_size=5).map(tuple),
            blocked_by=st.lists(IDS, max_size=5).map(tuple),
        ),
        max_size=7,
        unique_by=lambda each: each.id,
    )
)
def test_half_written_edges_get_their_other_end(entries: list[Entry]) -> None:
    result = mended(entries)
    for each in entries:
        after = result[each.id]
        assert set(after.blocks) >= {one for one in each.blocks if one in result} - {each.id}
        assert all(each.id in result[other].blocked_by for other in after.blocks)
        assert all(each.id in result[other].blocks for other in after.blocked_by)
        assert each.id not in after.blocks
    assert mended(result.values()) == result


@pytest.mark.parametrize(
    ("blocker", "blocked", "reason"),
    [
        ("1", "1", "edge_to_itself"),
        ("3", "1", "cycle"),
        ("2", "1", "cycle"),
        ("9", "1", "task_not_found"),
        ("1", "9", "task_not_found"),
    ],
)
def test_edges_that_cannot_be_are_refused(
    blocker: str, blocked: str, reason: RefusalReason
) -> None:
    entries = mended([entry("1"), entry("2", waits_for=("1",)), entry("3", waits_for=("2",))])
    with pytest.raises(TaskListError) as caught:
        linked(entries, blocker, blocked)
    assert caught.value.reason == reason
    assert f"({reason})" in str(caught.value)


def test_an_edge_that_is_there_changes_nothing() -> None:
    entries = mended([entry("1"), entry("2", waits_for=("1",))])
    assert linked(entries, "1", "2") == entries


def test_a_task_waits_for_unfinished_ones_alone() -> None:
    entries = mended([entry("1"), entry("2"), entry("3", waits_for=("1", "2"))])
    assert open_blockers(entries["3"], entries) == ("1", "2")
    done = changed(entries, "1", EntryChange(status="completed"), "main")
    assert open_blockers(done["3"], done) == ("2",)
