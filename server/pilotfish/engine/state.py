"""Records of a turn.

Owns: what a turn is given, and what it reports at its end.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pilotfish.core.events import KeptEvent, PromptSubmitted
from pilotfish.core.ids import AgentId, SessionId, ToolUseId, TurnId
from pilotfish.core.messages import NO_USAGE, ImageBlock, TextBlock, Usage
from pilotfish.core.passing_events import PassingEvent
from pilotfish.core.reasons import TerminalReason
from pilotfish.engine.conversation import Conversation
from pilotfish.llm.model import Model, ToolSchema
from pilotfish.ports.attachments import AttachmentSource
from pilotfish.ports.clock import ClockPort
from pilotfish.ports.tool_runner import ToolRunner


@dataclass(frozen=True, kw_only=True)
class TurnSettings:
    """What a turn is asked with."""

    model: str
    """Provider's model id."""
    system: Sequence[str]
    tools: Sequence[ToolSchema]
    max_tokens: int
    thinking_budget_tokens: int
    max_model_calls: int
    """Model calls after which the turn ends with ``max_turns``."""
    max_budget_usd: float | None = None
    """The turn ends when its known cost passes this; None means no limit."""


ResultContent: TypeAlias = tuple[TextBlock | ImageBlock, ...]

FitResults: TypeAlias = Callable[
    [Mapping[ToolUseId, ResultContent]], Awaitable[Mapping[ToolUseId, ResultContent]]
]
"""Returns what takes the place of those results that are too much."""


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
