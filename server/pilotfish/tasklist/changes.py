"""What a change makes of a list.

Owns: the rules of claiming, of owners and of edges. Pure: what is written where is the store's.
See also: design 06 §12.4, §12.5.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from pilotfish.core.ids import MAIN_AGENT
from pilotfish.core.jsontypes import JsonValue
from pilotfish.tasklist.edges import linked
from pilotfish.tasklist.model import (
    MAX_METADATA_CHARS,
    Entries,
    Entry,
    EntryChange,
    EntryId,
    TaskListError,
    open_blockers,
    require,
)


def changed(
    entries: Entries, entry_id: EntryId, change: EntryChange, agent: str
) -> dict[EntryId, Entry]:
    """Return the list after a change by an agent.

    Raises:
        TaskListError: It is refused; says why.
    """
    result = dict(entries)
    for blocked in change.add_blocks:
        result = linked(result, entry_id, blocked)
    for blocker in change.add_blocked_by:
        result = linked(result, blocker, entry_id)
    entry = require(result, entry_id)
    if change.owner is not None:
        entry = _assigned(entry, change.owner, agent)
    if change.status == "in_progress":
        entry = _claimed(entry, result, agent if change.owner is None else change.owner)
    elif change.status is not None:
        # Who puts back what was theirs leaves it to everybody.
        given_back = change.status == "pending" and change.owner is None and entry.owner == agent
        owner = "" if given_back else entry.owner
        entry = replace(entry, status=change.status, owner=owner)
    result[entry_id] = replace(
        entry,
        subject=entry.subject if change.subject is None else change.subject,
        description=entry.description if change.description is None else change.description,
        active_form=entry.active_form if change.active_form is None else change.active_form,
        metadata=merged_metadata(entry.metadata, change.metadata),
    )
    return result


def released(entries: Entries, owners: frozenset[str]) -> dict[EntryId, Entry]:
    """Return the list after agents are gone: what they had not finished is free again."""
    return {
        each: replace(entry, owner="", status="pending")
        if entry.owner in owners and entry.status != "completed"
        else entry
        for each, entry in entries.items()
    }


def merged_metadata(
    before: Mapping[str, JsonValue], change: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """Return metadata with keys set, and those taken out that are set to None.

    Raises:
        TaskListError: It is too much.
    """
    merged: dict[str, JsonValue] = {
        key: value for key, value in {**before, **change}.items() if value is not None
    }
    if len(json.dumps(merged)) > MAX_METADATA_CHARS:
        raise TaskListError(
            "too_large",
            f"The metadata of a task may have {MAX_METADATA_CHARS} characters as JSON (too_large).",
            hint="Keep long texts in a file and name its path.",
        )
    return merged


def differing(before: Entries, after: Entries) -> Iterable[Entry]:
    """Return the entries of ``after`` that are new or not what they were."""
    return (entry for each, entry in after.items() if before.get(each) != entry)


def _assigned(entry: Entry, owner: str, agent: str) -> Entry:
    taken = entry.status == "in_progress" and entry.owner not in {"", agent, owner}
    if taken and agent != MAIN_AGENT:
        raise _already_claimed(entry)
    return replace(entry, owner=owner)


def _claimed(entry: Entry, entries: Entries, agent: str) -> Entry:
    """Give an entry to an agent: the first one gets it."""
    if entry.owner not in {"", agent}:
        raise _already_claimed(entry)
    if entry.status == "completed":
        raise TaskListError(
            "already_resolved",
            f"Task #{entry.id} is completed already (already_resolved).",
            hint="To do it again, set it to pending first.",
        )
    waits_for = open_blockers(entry, entries)
    if waits_for:
        ids = ", ".join(f"#{each}" for each in waits_for)
        raise TaskListError(
            "blocked",
            f"Task #{entry.id} waits for {ids} (blocked).",
            hint="Take another task, or finish those first.",
        )
    return replace(entry, owner=agent, status="in_progress")


def _already_claimed(entry: Entry) -> TaskListError:
    return TaskListError(
        "already_claimed",
        f"Task #{entry.id} belongs to {entry.owner} (already_claimed).",
        hint="Take another one; TaskList shows which are free.",
    )
