"""What a model call yields.

Owns: the closed union of stream events, one shape for all providers (design 02 §7.1).
"""

from typing import Literal, TypeAlias

from pilotfish.core.ids import MessageId
from pilotfish.core.messages import AssistantBlock, Usage
from pilotfish.core.reasons import ModelStopReason
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyStarted:
    """The reply began."""

    message_id: MessageId
    model: str
    usage: Usage
    """Input and cache counts; the output count is a placeholder."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DeltaReceived:
    """A piece of a block. Tool input comes as raw JSON text, for display only."""

    index: int
    kind: Literal["text", "thinking", "input_json"]
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockCompleted:
    """A block is whole; tool input is parsed (or carries its parse error)."""

    index: int
    block: AssistantBlock


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyCompleted:
    """The reply ended; always the last event of a stream that did not fail."""

    stop_reason: ModelStopReason | None
    usage: Usage
    """Final counts of the whole call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyBroken:
    """The reply broke off after it had begun. What it brought is void: it is asked for again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RetryWaiting:
    """The attempt failed and another follows after a wait. All of the reply comes after it."""

    attempt: int
    max_attempts: int
    delay_s: float
    message: str


ModelEvent: TypeAlias = (
    ReplyStarted | DeltaReceived | BlockCompleted | ReplyCompleted | ReplyBroken | RetryWaiting
)
