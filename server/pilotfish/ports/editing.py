"""What happens around an edit: file history before it, diagnostics after it."""

from pathlib import Path
from typing import Protocol

from pilotfish.core.ids import AgentId, CheckpointId, SessionId, ToolUseId, TurnId
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class EditRecord:
    """A write that happened."""

    session_id: SessionId
    turn_id: TurnId
    agent_id: AgentId
    tool_use_id: ToolUseId
    checkpoint_id: CheckpointId
    path: Path
    old_text: str | None
    """None when the file was created."""
    new_text: str


class EditObserver(Protocol):
    """Hears of every write through the edit pipeline."""

    def edited(self, record: EditRecord) -> None:
        """Take note of a write. Called after it is verified; must not block."""
        ...
