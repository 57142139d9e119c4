"""Who gets a task, and what becomes of it."""

from dataclasses import replace

import pytest
from pilotfish.tasklist.changes import changed, released
from pilotfish.tasklist.edges import mended
from pilotfish.tasklist.model import Entries, Entry, EntryChange, RefusalReason, TaskListError

FIRST = Entry(id="1", subject="First")
TAKEN = replace(FIRST, owner="ben", status="in_progress")
CLAIM = EntryChange(status="in_progress")


def some(first: Entry = FIRST) -> Entries:
    """A list of task 1 and of task 2 that waits for it."""
    return mended(
        [
            first,
            Entry(id="2", subject="Second", blocked_by=("1",)),
        ]
    )


def test_setting_a_task_in_progress_takes_it() -> None:
    after = changed(some(), "1", CLAIM, "ada")
    assert (after["1"].owner, after["1"].status) == ("ada", "in_progress")
    assert changed(after, "1", CLAIM, "ada") == after


@pytest.mark.parametrize(
    ("entries", "entry_id", "reason"),
    [
        (some(), "7", "task_not_found"),
        (some(TAKEN), "1", "already_claimed"),
        (some(replace(TAKEN, status="completed")), "1", "already_claimed"),
        (some(replace(FIRST, status="completed")), "1", "already_resolved"),
        (some(), "2", "blocked"),
    ],
)
def test_a_task_that_cannot_be_taken_says_why(
    entries: Entries, entry_id: str, reason: RefusalReason
) -> None:
    with pytest.raises(TaskListError) as caught:
        changed(entries, entry_id, CLAIM, "ada")
    assert caught.value.reason == reason
    assert reason == "task_not_found" or caught.value.hint


def test_a_blocked_task_names_what_it_waits_for() -> None:
    with pytest.raises(TaskListError, match="#1"):
        changed(some(), "2", CLAIM, "ada")


def test_a_finished_task_frees_those_that_wait() -> None:
    after = changed(some(), "1", EntryChange(status="completed"), "ada")
    assert changed(after, "2", CLAIM, "ada")["2"].status == "in_progress"


def test_an_agent_cannot_take_from_another_but_the_main_one_hands_out() -> None:
    taken = some(TAKEN)
    with pytest.raises(TaskListError, match="already_claimed"):
        changed(taken, "1", EntryChange(owner="ada"), "ada")
    assert changed(taken, "1", EntryChange(owner="ada"), "main")["1"].owner == "ada"
    assert changed(taken, "1", EntryChange(owner=""), "ben")["1"].owner == ""


def test_a_task_handed_out_waits_for_its_agent() -> None:
    handed = changed(some(), "1", EntryChange(owner="ada"), "main")
    with pytest.raises(TaskListError, match="belongs to ada"):
        changed(handed, "1", CLAIM, "ben")
    assert changed(handed, "1", CLAIM, "ada")["1"].status == "in_progress"


def test_what_an_agent_gives_back_is_for_everybody() -> None:
    taken = changed(some(), "1", CLAIM, "ada")
    after = changed(taken, "1", EntryChange(status="pending"), "ada")
    assert (after["1"].owner, after["1"].status) == ("", "pending")


def test_agents_that_are_gone_leave_what_they_had_not_finished() -> None:
    entries = mended(
        [
            Entry(id="1", subject="a", owner="ada", status="in_progress"),
            Entry(id="2", subject="b", owner="ada", status="completed"),
            Entry(id="3", subject="c", owner="ben", status="in_progress"),
            Entry(id="4", subject="d", owner="ada"),
        ]
    )
    after = released(entries, frozenset({"ada"}))
    assert [(each.owner, each.status) for each in after.values()] == [
        ("", "pending"),
        ("ada", "completed"),
        ("ben", "in_progress"),
        ("", "pending"),
    ]


def test_metadata_is_merged_and_nulls_take_keys_out() -> None:
    entries = some(replace(FIRST, metadata={"a": 1, "b": 2}))
    after = changed(entries, "1", EntryChange(metadata={"b": None, "c": [3]}), "main")
    assert after["1"].metadata == {"a": 1, "c": [3]}
    with pytest.raises(TaskListError, match="too_large"):
        changed(entries, "1", EntryChange(metadata={"x": "y" * 20_000}), "main")
