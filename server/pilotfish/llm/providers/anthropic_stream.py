"""The Messages API's event stream as our events.

Owns: the state of one reply while it streams (design 02 §7.1). Pure: no I/O, no clock.
Does not own: reading the stream or its errors (``anthropic``, ``anthropic_errors``).
"""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Any, TypeAlias, cast, get_args

from pilotfish.core.ids import MessageId, ToolUseId, new_message_id, new_tool_use_id
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import (
    AssistantBlock,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from pilotfish.core.reasons import ModelStopReason
from pilotfish.llm.events import (
    BlockCompleted,
    DeltaReceived,
    ModelEvent,
    ReplyCompleted,
    ReplyStarted,
)
from pilotfish.llm.providers.counts import count_in
from pilotfish.llm.providers.tool_input import parse_tool_input
from pilotfish.util.records import dataclass

RawEvent: TypeAlias = Mapping[str, Any]
"""One event as it stands on the wire."""

_STOP_REASONS: frozenset[str] = frozenset(get_args(ModelStopReason))


@dataclass(kw_only=True)
class _OpenBlock:
    """A block that is being received. Pieces are joined once, at its end."""

    type: str
    start: RawEvent
    pieces: list[str] = field(default_factory=list[str])
    signature: str = ""


class ReplyAssembler:
    """Turns the raw events of one reply into ours."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._started = False
        self._finished = False
        self._blocks: dict[int, _OpenBlock] = {}
        self._usage = Usage()
        self._stop_reason: ModelStopReason | None = None

    @property
    def finished(self) -> bool:
        """Whether the reply reached its end."""
        return self._finished

    def feed(self, event: RawEvent) -> list[ModelEvent]:
        """Take one raw event; return what it means. Unknown events mean nothing."""
        if self._finished:
            return []
        events: list[ModelEvent] = []
        match event.get("type"):
            case "message_start":
                events = self._message_start(_object(event.get("message")))
            case "content_block_start":
                self._block_start(_index(event), _object(event.get("content_block")))
            case "content_block_delta":
                events = self._block_delta(_index(event), _object(event.get("delta")))
            case "content_block_stop":
                events = self._block_stop(_index(event))
            case "message_delta":
                self._message_delta(event)
            case "message_stop":
                events = self._message_stop()
            case _:
                pass
        return events

    def _message_start(self, message: RawEvent) -> list[ModelEvent]:
        if self._started:
            return []
        self._started = True
        self._usage = _updated(self._usage, _object(message.get("usage")))
        return [
            ReplyStarted(
                message_id=MessageId(_string(message.get("id")) or new_message_id()),
                model=_string(message.get("model")) or self._model,
                usage=self._usage,
            )
        ]

    def _block_start(self, index: int, block: RawEvent) -> None:
        self._blocks[index] = _OpenBlock(
            type=_string(block.get("type")), start=block, signature=_string(block.get("signature"))
        )

    def _block_delta(self, index: int, delta: RawEvent) -> list[ModelEvent]:
        block = self._blocks.get(index)
        if block is None:
            return []
        match block.type, delta.get("type"):
            case "text", "text_delta":
                text = _string(delta.get("text"))
                kind = "text"
            case "thinking", "thinking_delta":
                text = _string(delta.get("thinking"))
                kind = "thinking"
            case "tool_use", "input_json_delta":
                text = _string(delta.get("partial_json"))
                kind = "input_json"
            case "thinking", "signature_delta":
                block.signature = _string(delta.get("signature"))
                return []
            case _:
                return []
        if not text:
            return []
        block.pieces.append(text)
        return [DeltaReceived(index=index, kind=kind, text=text)]

    def _block_stop(self, index: int) -> list[ModelEvent]:
        block = self._blocks.pop(index, None)
        complete = _complete(block) if block else None
        return [BlockCompleted(index=index, block=complete)] if complete else []

    def _message_delta(self, event: RawEvent) -> None:
        delta = _object(event.get("delta"))
        reason = delta.get("stop_reason")
        if isinstance(reason, str) and reason in _STOP_REASONS:
            self._stop_reason = cast(ModelStopReason, reason)
        self._usage = _updated(self._usage, _object(event.get("usage")))

    def _message_stop(self) -> list[ModelEvent]:
        # Some servers never close their last block.
        events: list[ModelEvent] = []
        for index in sorted(self._blocks):
            events += self._block_stop(index)
        if self._stop_reason == "max_tokens":
            events = [_as_cut(event) for event in events]
        self._finished = True
        events.append(ReplyCompleted(stop_reason=self._stop_reason, usage=self._usage))
        return events


def _complete(block: _OpenBlock) -> AssistantBlock | None:
    """Build the block; None for empty text and for kinds we have no word for."""
    joined = "".join(block.pieces)
    match block.type:
        case "text":
            text = joined or _string(block.start.get("text"))
            return TextBlock(text=text) if text else None
        case "thinking":
            text = joined or _string(block.start.get("thinking"))
            return ThinkingBlock(text=text, signature=block.signature)
        case "redacted_thinking":
            return RedactedThinkingBlock(data=_string(block.start.get("data")))
        case "tool_use":
            return _tool_use(block.start, joined)
        case _:
            return None


def _as_cut(event: ModelEvent) -> ModelEvent:
    """Mark a call whose input ends where the reply was cut: even no input may not be all of it."""
    if not isinstance(event, BlockCompleted) or not isinstance(event.block, ToolUseBlock):
        return event
    problem = event.block.input_error or "The reply was cut before the input was complete."
    return replace(event, block=replace(event.block, input={}, input_error=problem))


def events_of_message(message: RawEvent) -> Iterator[RawEvent]:
    """Return a reply that came in one piece as the events of a stream."""
    yield {"type": "message_start", "message": message}
    content: object = message.get("content")
    for index, block in enumerate(
        cast("list[object]", content) if isinstance(content, list) else []
    ):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": message, "usage": message.get("usage")}
    yield {"type": "message_stop"}


def _tool_use(start: RawEvent, text: str) -> ToolUseBlock:
    tool_id = ToolUseId(_string(start.get("id")) or new_tool_use_id())
    name = _string(start.get("name"))
    if not text.strip():
        # No arguments, or a server that sends them whole with the start.
        whole = cast(JsonObject, dict(_object(start.get("input"))))
        return ToolUseBlock(id=tool_id, name=name, input=whole)
    parsed, problem = parse_tool_input(text)
    return ToolUseBlock(id=tool_id, name=name, input=parsed, input_error=problem)


def _updated(usage: Usage, wire: RawEvent) -> Usage:
    """Put the counts of an event over the earlier ones; missing and zero counts change nothing."""
    return Usage(
        input_tokens=count_in(wire, "input_tokens") or usage.input_tokens,
        output_tokens=count_in(wire, "output_tokens") or usage.output_tokens,
        cache_read_tokens=count_in(wire, "cache_read_input_tokens") or usage.cache_read_tokens,
        cache_write_tokens=count_in(wire, "cache_creation_input_tokens")
        or usage.cache_write_tokens,
    )


def _index(event: RawEvent) -> int:
    value = event.get("index")
    return value if isinstance(value, int) else -1


def _object(value: object) -> RawEvent:
    return cast(RawEvent, value) if isinstance(value, dict) else {}


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
