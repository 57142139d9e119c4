"""A reply as server-sent events.

Owns: order and shape of the events, cutting into deltas, pings, encoding.
Does not own: when they are sent and what goes wrong (``delivery``).
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from tools.fake_model.blocks import (
    Block,
    Ping,
    RawBlock,
    RawEvent,
    RedactedThinking,
    Text,
    Thinking,
    ToolUse,
)
from tools.fake_model.jsontypes import JsonObject
from tools.fake_model.reply import Reply, input_json
from tools.fake_model.turns import Pace

_FIRST_OUTPUT_TOKENS = 1
"""``message_start`` only has a placeholder for the output count."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""Kept, because making one costs more than encoding an event."""


@dataclass(frozen=True)
class WireEvent:
    """One event of the stream."""

    event: str
    data: JsonObject

    def encode(self) -> bytes:
        """The event as it travels."""
        return f"event: {self.event}\ndata: {_ENCODER.encode(self.data)}\n\n".encode(
            "utf-8", "surrogatepass"
        )


PING = WireEvent("ping", {"type": "ping"})


def to_events(reply: Reply, pace: Pace) -> list[WireEvent]:
    """Every event of a streamed reply, pings included."""
    return list(_with_pings(_events(reply, pace.chunk_chars), pace.ping_every))


def _events(reply: Reply, chunk_chars: int | None) -> Iterator[WireEvent]:
    yield _typed("message_start", message=_opening(reply))
    index = 0
    for item in reply.items:
        match item:
            case Ping():
                yield PING
            case RawEvent():
                yield WireEvent(item.event, {"type": item.event, **item.data})
            case _:
                yield from _block_events(index, item, chunk_chars)
                index += 1
    yield _closing(reply)
    yield _typed("message_stop")


def _opening(reply: Reply) -> JsonObject:
    return {
        **reply.message(),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "stop_details": None,
        "usage": reply.counts.to_json(output=_FIRST_OUTPUT_TOKENS),
    }


def _closing(reply: Reply) -> WireEvent:
    counts = reply.counts
    usage: JsonObject = {"output_tokens": counts.output}
    if reply.in_delta != "output":
        factor = 0 if reply.in_delta == "zero" else 1
        usage = {
            "input_tokens": counts.input * factor,
            "cache_creation_input_tokens": counts.cache_write * factor,
            "cache_read_input_tokens": counts.cache_read * factor,
            **usage,
        }
    delta: JsonObject = {
        "stop_reason": reply.stop_reason,
        "stop_sequence": reply.stop_sequence,
        "stop_details": reply.stop_details,
    }
    return _typed("message_delta", delta=delta, usage=usage)


def _block_events(index: int, block: Block, chunk_chars: int | None) -> Iterator[WireEvent]:
    yield _typed("content_block_start", index=index, content_block=_empty(block))
    for delta in _deltas(block, chunk_chars):
        yield _typed("content_block_delta", index=index, delta=delta)
    yield _typed("content_block_stop", index=index)


def _empty(block: Block) -> JsonObject:
    """The block as it stands before its deltas."""
    match block:
        case Text():
            return {"type": "text", "text": ""}
        case Thinking():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case RedactedThinking():
            return {"type": "redacted_thinking", "data": block.data}
        case ToolUse():
            return {"type": "tool_use", "id": block.id or "", "name": block.name, "input": {}}
        case RawBlock():
            return dict(block.block)


def _deltas(block: Block, chunk_chars: int | None) -> Iterator[JsonObject]:
    match block:
        case Text():
            for piece in _cut(block.text, chunk_chars):
                yield {"type": "text_delta", "text": piece}
        case Thinking():
            for piece in _cut(block.thinking, chunk_chars):
                yield {"type": "thinking_delta", "thinking": piece}
            yield {"type": "signature_delta", "signature": block.signature or ""}
        case ToolUse():
            # The real API begins every tool input with an empty fragment.
            yield {"type": "input_json_delta", "partial_json": ""}
            for piece in _cut(input_json(block), chunk_chars):
                yield {"type": "input_json_delta", "partial_json": piece}
        case RawBlock():
            for delta in block.deltas:
                yield dict(delta)
        case RedactedThinking():
            return


def _cut(text: str, chunk_chars: int | None) -> Iterator[str]:
    if not text:
        return
    size = chunk_chars or len(text)
    for start in range(0, len(text), size):
        yield text[start : start + size]


def _with_pings(events: Iterable[WireEvent], every: int | None) -> Iterator[WireEvent]:
    for number, event in enumerate(events, start=1):
        yield event
        if every is not None and number % every == 0 and event.event != "message_stop":
            yield PING


def _typed(event_type: str, **fields: JsonValue) -> WireEvent:
    return WireEvent(event_type, {"type": event_type, **fields})
