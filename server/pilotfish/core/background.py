"""Work that goes on beside the conversation.

Owns: the record of one piece of such work. Does not own: the work (``ports.background``).
"""

from typing import Literal

from pilotfish.core.ids import TaskId, ToolUseId
from pilotfish.util.records import dataclass

TaskStatus = Literal["running", "completed", "failed", "stopped", "lost"]
"""``lost``: Pilotfish ended while it ran. All but ``running`` are final."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BackgroundTask:
    """A command that runs, or ran, in the background of a session."""

    task_id: TaskId
    title: str
    """The command."""
    tool_use_id: ToolUseId
    """The call that began it."""
    output_path: str
    """The file that holds all of its output."""
    started_ms: int
    """Wall clock."""
    folder: str = ""
    """Where it was begun; empty in transcripts of older versions."""
    status: TaskStatus = "running"
    ended_ms: int | None = None
    outcome: str = ""
    """How it ended, in a few words such as ``exit code 1``; empty while it runs."""
    kept: bool = False
    """Whether it goes on when its session is closed."""
    told: bool = False
    """Whether the model knows how it ended."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskEnd:
    """How a piece of work ended."""

    status: Literal["completed", "failed", "stopped"]
    outcome: str
