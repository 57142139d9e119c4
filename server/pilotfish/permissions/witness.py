"""Who sees how the gate comes to its decisions.

Owns: the place where a recording listens, and where a replay puts what was decided then.
Does not own: the decision (``decide``), what follows from it (``gate``).
"""

import asyncio

from pilotfish.core.calls import PreparedCall, RejectedCall
from pilotfish.core.permission import PermissionAnswer, PermissionDecision
from pilotfish.permissions.decide import decide
from pilotfish.permissions.state import PermissionState


class Witness:
    """Judges each call and hears what became of a question; this one keeps nothing."""

    async def judge(self, call: PreparedCall, state: PermissionState) -> PermissionDecision:
        """Return what the chain says about a call on a snapshot."""
        # Links and repository settings are looked up on the disk, and a first parse loads a grammar.
        return await asyncio.to_thread(decide, call, state)

    def answered(self, call: PreparedCall, answer: PermissionAnswer) -> None:
        """Hear the answer to the question about a call; a question that lapsed was withdrawn."""

    def changed(self, call: PreparedCall | RejectedCall) -> None:
        """Hear what came of the input that the user gave a call."""
