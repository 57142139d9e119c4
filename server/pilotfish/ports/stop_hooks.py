"""What may hold a turn back from its end.

Owns: the seam between the loop of a turn and hooks that look at a finished reply.
"""

from typing import Protocol

from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class StopVerdict:
    """What hooks say about the end of a turn. Nothing said means: it may end."""

    objections: tuple[str, ...] = ()
    """What the model must still do; it hears of them and goes on."""
    ends_turn: bool = False
    """The turn ends whatever else was said."""
    reason: str = ""
    """For the user, when hooks end the turn."""


class StopHooks(Protocol):
    """Looks at a finished reply."""

    async def look(self, *, already_held_back: bool) -> StopVerdict:
        """Return whether the turn may end.

        Args:
            already_held_back: Hooks have objected in this turn before; who ignores this may hold
                a turn back for ever, up to its limit of model calls.
        """
        ...
