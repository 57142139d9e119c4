"""Live news of a session between two kept events.

Text as it streams, output of a running command: never stored, and a view that missed some of it
loses nothing once the next kept event arrives.
"""

from typing import Literal, TypeAlias

from pilotfish.core.ids import MessageId, ToolUseId
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockDelta:
    """Text or thinking as it streams."""

    message_id: MessageId
    block_index: int
    kind: Literal["text", "thinking"]
    text: str
    type: Literal["block_delta"] = "block_delta"


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolOutput:
    """The live output of a running call; replaces what came before for that call."""

    tool_use_id: ToolUseId
    text: str
    terminal_id: str | None = None
    """The client's terminal that shows it instead."""
    type: Literal["tool_output"] = "tool_output"


@dataclass(frozen=True, kw_only=True, slots=True)
class RetryScheduled:
    """The model did not answer; the next attempt comes after a wait."""

    attempt: int
    max_attempts: int
    delay_ms: int
    message: str
    type: Literal["retry_scheduled"] = "retry_scheduled"


@dataclass(frozen=True, kw_only=True, slots=True)
class UserWarned:
    """Something did not go as the user wanted, and nothing else will say so."""

    text: str
    """One or two sentences for the user."""
    type: Literal["user_warned"] = "user_warned"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewChanged:
    """What waits for review in some files is not what it was."""

    paths: tuple[str, ...]
    type: Literal["review_changed"] = "review_changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentsChanged:
    """What a list of the session's agents shows is not what it was; several changes may be one."""

    revision: int
    """Grows with every change."""
    type: Literal["agents_changed"] = "agents_changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandsChanged:
    """What can be typed behind a slash is not what it was."""

    type: Literal["commands_changed"] = "commands_changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class StatusLineChanged:
    """The user's own status line says something else."""

    text: str
    """Empty: nothing. May hold colours as terminals write them."""
    type: Literal["status_line_changed"] = "status_line_changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class StateChanged:
    """The session is idle, running, or waits for the user."""

    state: Literal["idle", "running", "requires_action"]
    waiting_for: str = ""
    turn_running: bool = False
    """Whether a turn of this conversation runs: questions may be those of its agents."""
    type: Literal["state_changed"] = "state_changed"


PassingEvent: TypeAlias = (
    BlockDelta
    | ToolOutput
    | RetryScheduled
    | ReviewChanged
    | AgentsChanged
    | CommandsChanged
    | UserWarned
    | StateChanged
    | StatusLineChanged
)

PASSING: tuple[type[PassingEvent], ...] = (
    BlockDelta,
    ToolOutput,
    RetryScheduled,
    ReviewChanged,
    AgentsChanged,
    CommandsChanged,
    UserWarned,
    StateChanged,
    StatusLineChanged,
)
