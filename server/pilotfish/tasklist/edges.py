"""Which entries wait for which.

Owns: keeping both ends of an edge in step, refusing cycles, mending what a crash left half done.
Pure: a list goes in, a list comes out.
"""

from collections.abc import Iterable
from dataclasses import replace

from pilotfish.tasklist.model import Entries, Entry, EntryId, TaskListError, require


def mended(entries: Iterable[Entry]) -> dict[EntryId, Entry]:
    """Return a list in the order of its ids in which every edge has both ends.

    An end that names an entry which is not there goes. An end that stands alone gets its other: it
    was written first when a process ended in between.
    """
    by_id = {entry.id: entry for entry in sorted(entries, key=lambda entry: int(entry.id))}
    pairs = {
        pair: None
        for entry in by_id.values()
        for pair in (
            *((entry.id, blocked) for blocked in entry.blocks),
            *((blocker, entry.id) for blocker in entry.blocked_by),
        )
        if pair[0] in by_id and pair[1] in by_id and pair[0] != pair[1]
    }
    blocks: dict[EntryId, list[EntryId]] = {each: [] for each in by_id}
    blocked_by: dict[EntryId, list[EntryId]] = {each: [] for each in by_id}
    for blocker, blocked in sorted(pairs, key=lambda pair: (int(pair[0]), int(pair[1]))):
        blocks[blocker].append(blocked)
        blocked_by[blocked].append(blocker)
    return {
        each: replace(entry, blocks=tuple(blocks[each]), blocked_by=tuple(blocked_by[each]))
        for each, entry in by_id.items()
    }


def linked(entries: Entries, blocker: EntryId, blocked: EntryId) -> dict[EntryId, Entry]:
    """Return the list with an edge more; an edge that is there already changes nothing.

    Raises:
        TaskListError: One of the two is not there, they are the same, or each would wait for the
            other in the end.
    """
    first, second = require(entries, blocker), require(entries, blocked)
    if blocker == blocked:
        raise TaskListError(
            "edge_to_itself", f"Task #{blocker} cannot wait for itself (edge_to_itself)."
        )
    if _leads_to(entries, blocked, blocker):
        raise TaskListError(
            "cycle",
            f"Task #{blocked} cannot wait for #{blocker}, which waits for it (cycle).",
            hint="TaskGet shows what a task waits for.",
        )
    return mended(
        (
            {
                **entries,
                blocker: replace(first, blocks=(*first.blocks, blocked)),
                blocked: replace(second, blocked_by=(*second.blocked_by, blocker)),
            }
        ).values()
    )


def _leads_to(entries: Entries, start: EntryId, goal: EntryId) -> bool:
    """Tell whether ``goal`` waits for ``start``, directly or through others."""
    seen: set[EntryId] = set()
    open_ids = [start]
    while open_ids:
        each = open_ids.pop()
        if each == goal:
            return True
        if each not in seen:
            seen.add(each)
            open_ids.extend(entries[each].blocks)
    return False
