"""Which turn of a session each write belongs to.

Owns: that, for the writes of the session's agents and of people, too.
Does not own: the writes (``workspace.history``), what is done with them (``session.edit_review``). Pure.

A sub-agent's writes carry a turn of its own, which the conversation does not have, and those of a
person none at all: they belong to the turn that had begun last when they were made.
"""

from bisect import bisect_right
from collections.abc import Sequence

from pilotfish.core.ids import TurnId
from pilotfish.session.state import TurnMark
from pilotfish.workspace.history import Checkpoint


def turns_of(turns: Sequence[TurnMark], checkpoints: Sequence[Checkpoint]) -> list[TurnId | None]:
    """Return the turn of each write; None for what was written before the first one."""
    known = {each.turn_id for each in turns}
    began = [each.time_ms for each in turns]
    found: list[TurnId | None] = []
    for each in checkpoints:
        if each.origin.turn_id in known:
            found.append(each.origin.turn_id)
            continue
        at = bisect_right(began, each.time_ms)
        found.append(turns[at - 1].turn_id if at else None)
    return found
