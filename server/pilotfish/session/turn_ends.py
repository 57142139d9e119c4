"""How a turn has ended, whatever its task died of.

Owns: making an end of a finished task, so that a session survives it.
Does not own: the reasons (``core.reasons``), what a session does with the end (``session.session``).
"""

import asyncio

from pilotfish.core.errors import PilotfishError
from pilotfish.core.events import TurnEnded
from pilotfish.core.ids import TurnId
from pilotfish.engine.state import TurnEnd

USER_ENDS = frozenset({"aborted_streaming", "aborted_tools", "refused"})
"""How a turn ends when the user ends it."""

NO_TURN = TurnEnded(turn_id=TurnId(""), reason="completed")
"""What a prompt ends with that needed no turn."""

INTERNAL_ERROR = (
    "Pilotfish hit an internal error ({error}) and ended this turn. The session goes on; "
    "the log has the details (command: Pilotfish: Show Log)."
)


def end_of(task: asyncio.Task[TurnEnd]) -> TurnEnd:
    """Return how a turn ended whose task is done."""
    if task.cancelled():
        return TurnEnd(reason="aborted_streaming")
    error = task.exception()
    if error is None:
        return task.result()
    if isinstance(error, PilotfishError):
        return TurnEnd(reason="model_error", message=str(error))
    text = INTERNAL_ERROR.format(error=f"{type(error).__name__}: {error}")
    return TurnEnd(reason="model_error", message=text)


def ended_turn(turn: TurnId, end: TurnEnd, duration_ms: int) -> TurnEnded:
    """Return the event of a turn's end."""
    return TurnEnded(
        turn_id=turn,
        reason=end.reason,
        message=end.message,
        usage=end.usage,
        cost_usd=end.cost_usd,
        duration_ms=duration_ms,
        model_calls=end.model_calls,
    )
