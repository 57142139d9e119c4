"""Builders for model requests in tests."""

from collections.abc import Sequence
from typing import TypeVar

from pilotfish.core.messages import Message, TextBlock, UserMessage
from pilotfish.llm.events import BlockCompleted, ModelEvent
from pilotfish.llm.model import Model, ModelRequest, ToolSchema

E = TypeVar("E")

READ_TOOL = ToolSchema(
    name="Read",
    description="Reads a file.",
    input_schema={
        "type": "object",
        "properties": {"file_path": {"type": "string"}},
        "required": ["file_path"],
    },
)


def user(text: str) -> UserMessage:
    """Return a prompt."""
    return UserMessage(content=(TextBlock(text=text),))


def model_request(
    *messages: Message,
    model: str = "claude-haiku-4-5",
    tools: Sequence[ToolSchema] = (READ_TOOL,),
    max_tokens: int = 4_000,
    thinking: int = 0,
) -> ModelRequest:
    """Return a request with a small system prompt; without messages it says hello."""
    return ModelRequest(
        model=model,
        system=("You are a test.", "Working directory: /tmp/x"),
        tools=tools,
        messages=messages or (user("Hello"),),
        max_tokens=max_tokens,
        thinking_budget_tokens=thinking,
    )


async def collect(model: Model, request: ModelRequest) -> list[ModelEvent]:
    """Run a call to its end."""
    return [event async for event in model.stream(request)]


def of_type(events: Sequence[ModelEvent], kind: type[E]) -> list[E]:
    """Return the events of one type."""
    return [event for event in events if isinstance(event, kind)]


def blocks(events: Sequence[ModelEvent]) -> list[object]:
    """Return the completed blocks."""
    return [event.block for event in of_type(events, BlockCompleted)]
