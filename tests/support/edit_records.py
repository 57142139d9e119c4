"""What is told of an edit, for tests of those who hear of it."""

from pathlib import Path

from pilotfish.core.ids import MAIN_AGENT, CheckpointId, SessionId, ToolUseId, TurnId
from pilotfish.ports.editing import EditRecord


def edit_record(path: Path, old: str | None, new: str, *, turn: str = "turn") -> EditRecord:
    """Return the record of an edit by the main agent; ``old`` is None for a new file."""
    return EditRecord(
        session_id=SessionId("s"),
        turn_id=TurnId(turn),
        agent_id=MAIN_AGENT,
        tool_use_id=ToolUseId("t"),
        checkpoint_id=CheckpointId("c"),
        path=path,
        old_text=old,
        new_text=new,
    )
