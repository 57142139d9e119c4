"""Records of a turn.

Owns: what a turn is given, and what it reports at its end.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

from pilotfish.core.events import KeptEvent, PromptSubmitted
from pilotfish.core.ids import AgentId, SessionId, ToolUseId, TurnId
from pilotfish.core.messages import NO_USAGE, ImageBlock, TextBlock, Usage
from pilotfish.core.passing_events import PassingEvent
from pilotfish.core.reasons import ContinueReason, TerminalReason
from pilotfish.engine.conversation import Conversation
from pilotfish.llm.model import Model, ToolSchema
from pilotfish.ports.attachments import AttachmentSource
from pilotfish.ports.clock import ClockPort
from pilotfish.ports.compaction import Compactor
from pilotfish.ports.stop_hooks import StopHooks
from pilotfish.ports.tool_runner import ToolRunner
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True)
class TurnSettings:
    """What a turn is asked with."""

    model: str
    """Provider's model id."""
    system: Sequence[str]
    tools: Sequence[ToolSchema]
    max_tokens: int
    escalated_max_tokens: int = 0
    """What a reply that was cut at ``max_tokens`` is asked for with once more; 0 means never."""
    thinking_budget_tokens: int
    effort: str | None = None
    """How hard the model should try; None leaves it to the model."""
    max_model_calls: int
    """Model calls after which the turn ends with ``max_turns``."""
    max_budget_usd: float | None = None
    """The turn ends when the session's known cost reaches this; None means no limit."""
    max_context_tokens: int = 0
    """The model is not called when the conversation is longer; 0 means no limit."""


ResultContent: TypeAlias = tuple[TextBlock | ImageBlock, ...]

FitResults: TypeAlias = Callable[
    [Mapping[ToolUseId, ResultContent]], Awaitable[Mapping[ToolUseId, ResultContent]]
]
"""Returns what takes the place of those results that are too much."""


@dataclass(frozen=True, kw_only=True)
class Substitute:
    """The model that takes over for the rest of a turn when the first one stays overloaded."""

    model: Model
    name: str
    """Provider's model id."""
    max_tokens: int
    escalated_max_tokens: int = 0
    max_context_tokens: int = 0
    """As in ``TurnSettings``: it is not called when the conversation is longer; 0 means no limit."""

    def has_room_for(self, context_tokens: int) -> bool:
        """Tell whether a conversation of that length fits into its window."""
        return self.max_context_tokens <= 0 or context_tokens <= self.max_context_tokens


@dataclass(frozen=True, kw_only=True)
class TurnPorts:
    """What a turn works with."""

    model: Model
    runner: ToolRunner
    conversation: Conversation
    clock: ClockPort
    emit: Callable[[KeptEvent], None]
    """Appends to the session's events; the conversation has the event when this returns."""
    tell: Callable[[PassingEvent], None]
    """Live news that is not kept."""
    take_queued: Callable[[], list[PromptSubmitted]]
    """Prompts that arrived during the turn, each once."""
    attachments: Sequence[AttachmentSource]
    late_news: Sequence[AttachmentSource]
    """Looked at once more when the model has finished; news make it go on."""
    flush: Callable[[], Awaitable[None]]
    """Makes what was emitted durable; awaited before each model call."""
    fit_results: FitResults
    """Makes the results of one reply small enough together."""
    cost_of: Callable[[str, Usage], float | None]
    """Price of one call in US dollars, None when the model's price is unknown."""
    context_tokens: Callable[[], int]
    """Tokens in the window after the last model call; 0 when it is not known."""
    spent: Callable[[], float] = lambda: 0.0
    """Returns what the session and its agents have spent so far, in US dollars; it only grows."""
    substitute: Substitute | None = None
    no_substitute: str = ""
    """Why the model that the settings name for that cannot take over; empty when none is named or it can."""
    compactor: Compactor | None = None
    stop_hooks: StopHooks | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LoopState:
    """What the loop knows beside the conversation. Replaced as a whole with each continue."""

    transition: ContinueReason | None = None
    """Why the present model call is made; None for the first."""
    escalated: bool = False
    """Whether replies may be as long as ``escalated_max_tokens``."""
    output_recoveries: int = 0
    """How often the model was asked to go on with a reply that was cut."""
    made_room: bool = False
    """Whether the conversation was shortened because it did not fit."""
    held_back: bool = False
    """Whether a stop hook has objected."""
    substituted: bool = False
    """Whether the substitute has taken over; it stays for the rest of the turn."""
    pauses: int = 0
    """``pause_turn`` replies that were continued."""
    nudged: bool = False
    """Whether the model was told that its reply was empty."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnIdentity:
    """Whose turn it is."""

    session_id: SessionId
    turn_id: TurnId
    agent_id: AgentId


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnEnd:
    """Why a turn ended, and what it used."""

    reason: TerminalReason
    message: str = ""
    usage: Usage = NO_USAGE
    cost_usd: float | None = None
    model_calls: int = 0
