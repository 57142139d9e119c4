"""The conversation as the model sees it.

Owns: content blocks and messages, independent of any provider.
Does not own: events (``core.events``), the providers' own shapes (``llm.providers``).
"""

from typing import Literal, TypeAlias

from pilotfish.core.ids import MessageId, ToolUseId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.reasons import ModelStopReason
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class TextBlock:
    """Text of either side. Never empty in a request."""

    text: str
    type: Literal["text"] = "text"


@dataclass(frozen=True, kw_only=True, slots=True)
class ImageBlock:
    """An image, base64-encoded."""

    media_type: Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
    data: str
    type: Literal["image"] = "image"


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentBlock:
    """A PDF document that the user attached, base64-encoded."""

    name: str
    data: str
    media_type: Literal["application/pdf"] = "application/pdf"
    type: Literal["document"] = "document"


@dataclass(frozen=True, kw_only=True, slots=True)
class ThinkingBlock:
    """The model's reasoning; replayed unchanged, with its signature, to the same model."""

    text: str
    signature: str
    type: Literal["thinking"] = "thinking"


@dataclass(frozen=True, kw_only=True, slots=True)
class RedactedThinkingBlock:
    """Reasoning that the provider encrypted; replayed unchanged."""

    data: str
    type: Literal["redacted_thinking"] = "redacted_thinking"


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolUseBlock:
    """The model's call of a tool."""

    id: ToolUseId
    name: str
    input: JsonObject
    input_error: str | None = None
    """Set when the streamed input was no JSON object; the call then fails with this text."""
    type: Literal["tool_use"] = "tool_use"


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResultBlock:
    """The answer to one tool call."""

    tool_use_id: ToolUseId
    content: tuple[TextBlock | ImageBlock, ...]
    is_error: bool = False
    type: Literal["tool_result"] = "tool_result"


Added: TypeAlias = TextBlock | DocumentBlock
"""What goes with a prompt without being shown in it."""

UserBlock: TypeAlias = TextBlock | ImageBlock | DocumentBlock | ToolResultBlock
AssistantBlock: TypeAlias = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Token counts of one model call, or sums of several."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
        )

    def __sub__(self, earlier: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens - earlier.input_tokens,
            output_tokens=self.output_tokens - earlier.output_tokens,
            cache_read_tokens=self.cache_read_tokens - earlier.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens - earlier.cache_write_tokens,
        )

    @property
    def context_tokens(self) -> int:
        """Tokens in the window after this call: the whole prompt and the reply."""
        return (
            self.input_tokens
            + self.cache_read_tokens
            + self.cache_write_tokens
            + self.output_tokens
        )


NO_USAGE = Usage()
"""Nothing counted yet."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UserMessage:
    """What the user's side said: prompts, tool results, reminders."""

    content: tuple[UserBlock, ...]
    role: Literal["user"] = "user"


@dataclass(frozen=True, kw_only=True, slots=True)
class AssistantMessage:
    """One reply of the model."""

    id: MessageId
    content: tuple[AssistantBlock, ...]
    stop_reason: ModelStopReason | None = None
    asked_model: str = ""
    """The model that was asked, as requests call it; empty when that is not known."""
    role: Literal["assistant"] = "assistant"


Message: TypeAlias = UserMessage | AssistantMessage


def text_of(content: tuple[UserBlock | AssistantBlock, ...]) -> str:
    """Join the text blocks of a message's content with line breaks."""
    return "\n".join(block.text for block in content if isinstance(block, TextBlock))
