"""What a model is: one request in, a stream of events out.

Owns: the request record and the protocol. See also: ``llm.events``, ``llm.errors``.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import Message
from pilotfish.llm.events import ModelEvent
from pilotfish.llm.rate_limits import RateLimits
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSchema:
    """A tool as the model sees it. Byte-stable for the length of a session."""

    name: str
    description: str
    input_schema: JsonObject


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """One call of a model."""

    model: str
    """Provider's model id; aliases are resolved."""
    system: Sequence[str]
    """System prompt blocks, stable ones first."""
    tools: Sequence[ToolSchema]
    messages: Sequence[Message]
    """Valid history: user first, roles alternate, every call answered. Not copied, not changed."""
    max_tokens: int
    thinking_budget_tokens: int = 0
    """0 means no extended thinking."""
    in_one_piece: bool = False
    """Ask for the reply without streaming, where streams have broken again and again. A provider
    that can only stream may do so."""
    has_substitute: bool = False
    """Whether the caller has another model to ask when this one stays overloaded."""
    effort: str | None = None
    """How hard the model should try, in the vendor's words; None leaves it to the model. Not sent to
    models that do not know it."""


class Model(Protocol):
    """A provider's model."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Call the model and yield events as they arrive.

        Closing the generator, or cancelling, releases the connection at once.

        Raises:
            ModelError: The call failed, before or during the stream.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


class WarmModel(Model, Protocol):
    """A model whose slow preparation can be done ahead of the first request."""

    @property
    def limits(self) -> RateLimits:
        """What its latest answers told of the provider's limits."""
        ...

    async def warm_up(self) -> None:
        """Load what the first request needs. Contacts nobody; never fails, only logs."""
        ...
