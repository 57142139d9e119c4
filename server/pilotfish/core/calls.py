"""Tool calls on their way through the chain.

Owns: the records that the scheduler, the gates and the executor hand on.
See also: design 08 §2.3 (who does what), ``ports.tool_runner``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

from pilotfish.core.effects import Effects
from pilotfish.core.ids import AgentId, SessionId, ToolUseId, TurnId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import ImageBlock, TextBlock
from pilotfish.core.permission import FilePreview
from pilotfish.util.records import dataclass

ToolKind = Literal[
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"
]
"""What a call is, for icons and grouping (the Agent Client Protocol's words)."""

InterruptBehavior = Literal["cancel", "block"]
"""What the user's Stop does to a call that runs: end it, or let it come to its end for a moment."""

ToolStatus = Literal["completed", "failed", "denied", "interrupted"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """A call as the model made it."""

    id: ToolUseId
    name: str
    input: JsonObject
    input_error: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DiffDisplay:
    """A change to one file, for a diff view."""

    path: str
    old_text: str | None
    new_text: str
    type: Literal["diff"] = "diff"


@dataclass(frozen=True, kw_only=True, slots=True)
class TextDisplay:
    """Output for people: a command's text, a listing, an error."""

    text: str
    is_cut: bool = False
    """Whether it is only a part of what the call gave, all of which is kept in the call's file."""
    type: Literal["text"] = "text"


ToolDisplay: TypeAlias = DiffDisplay | TextDisplay


@dataclass(frozen=True, kw_only=True, slots=True)
class Location:
    """A place that a call is about; clients follow it."""

    path: str
    line: int | None = None
    """1-based."""


@dataclass(frozen=True, kw_only=True)
class PreparedCall:
    """A call whose input is valid and whose facts are known. Nothing has happened yet."""

    call: ToolCall
    tool: str
    """The tool's canonical name (the model may have used an alias)."""
    title: str
    kind: ToolKind
    args: object
    """The validated arguments; only the tool that made them looks inside."""
    effects: Effects
    preview: FilePreview | None = None
    """For edits: exactly what would change."""
    batch: tuple[FilePreview, ...] = ()
    """For a change of several files in one, such as a rename: what would change in each, all or none;
    ``preview`` is None then."""
    plan: object = None
    """What the tool worked out while it prepared the call and needs to run it; nobody else's."""
    locations: tuple[Location, ...] = ()
    interrupt_behavior: InterruptBehavior = "cancel"


@dataclass(frozen=True, kw_only=True, slots=True)
class RejectedCall:
    """A call that cannot run: unknown tool, wrong arguments, or a check that failed."""

    call: ToolCall
    message: str
    """For the model: what is wrong, then how to call it right."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolOutcome:
    """What came of a call."""

    status: ToolStatus
    content: tuple[TextBlock | ImageBlock, ...]
    """For the model; never empty."""
    display: tuple[ToolDisplay, ...] = ()
    """For people; empty means: show the content."""
    stops_turn: bool = False
    """True when the user refused, which ends the turn."""
    stopped_by_hook: bool = False
    """True when it was not the user but a hook that ends the turn."""

    @property
    def is_error(self) -> bool:
        """Whether the model is told that the call failed."""
        return self.status != "completed"


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolProgress:
    """Live output of a running call; a newer one replaces an older one."""

    text: str = ""
    terminal_id: str | None = None
    """The client's terminal that shows the output instead."""


def _nothing() -> None:
    """Stand in where nobody wants to know."""


@dataclass(frozen=True, kw_only=True)
class CallScope:
    """Who makes the call, and from where."""

    session_id: SessionId
    turn_id: TurnId
    agent_id: AgentId
    cwd: Path
    on_progress: Callable[[ToolProgress], None]
    on_running: Callable[[], None] = _nothing
    """Called when the call really begins: it is allowed, and whatever follows may have effects."""


def text_outcome(
    text: str, *, status: ToolStatus = "completed", stops_turn: bool = False
) -> ToolOutcome:
    """Build an outcome that is one text for model and people alike."""
    return ToolOutcome(
        status=status, content=(TextBlock(text=text or "(no output)"),), stops_turn=stops_turn
    )
