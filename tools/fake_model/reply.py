"""A reply: a turn applied to one request.

Owns: filled templates, ids, stop reason and token counts, and the non-streamed form.
Does not own: stream events (``wire_events``), sending (``delivery``).
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from tools.fake_model.blocks import (
    Block,
    Item,
    Ping,
    RawBlock,
    RawEvent,
    RedactedThinking,
    Text,
    Thinking,
    ToolUse,
    to_items,
)
from tools.fake_model.facts import RequestFacts
from tools.fake_model.identity import IdSource, sign
from tools.fake_model.jsontypes import JsonObject
from tools.fake_model.playlist import Step
from tools.fake_model.scenario import Scenario
from tools.fake_model.templates import Lookup, fill_item
from tools.fake_model.turns import StopReason, Usage


@dataclass(frozen=True, kw_only=True)
class TokenCounts:
    """Final token counts of a reply."""

    input: int
    output: int
    cache_read: int
    cache_write: int

    def to_json(self, *, output: int) -> JsonObject:
        """The ``usage`` object, with another output count while the reply is still running."""
        return {
            "input_tokens": self.input,
            "cache_creation_input_tokens": self.cache_write,
            "cache_read_input_tokens": self.cache_read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.cache_write,
                "ephemeral_1h_input_tokens": 0,
            },
            "output_tokens": output,
            "service_tier": "standard",
        }


@dataclass(frozen=True, kw_only=True)
class Reply:
    """Everything that is said in answer to one request."""

    message_id: str
    model: str
    items: tuple[Item, ...]
    """Templates filled; every tool call has its id, every thinking block its signature."""
    stop_reason: StopReason
    stop_sequence: str | None
    stop_details: JsonObject | None
    counts: TokenCounts
    in_delta: str
    """Which counters ``message_delta`` repeats; see ``Usage.in_delta``."""

    @property
    def tool_names(self) -> list[str]:
        """Names of the tools that are called."""
        return [item.name for item in self.items if isinstance(item, ToolUse)]

    def message(self) -> JsonObject:
        """The reply as the body of a response that is not streamed."""
        return {
            "id": self.message_id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [to_json(item) for item in self.items if isinstance(item, Block)],
            "stop_reason": self.stop_reason,
            "stop_sequence": self.stop_sequence,
            "stop_details": self.stop_details,
            "usage": self.counts.to_json(output=self.counts.output),
        }


def build_reply(step: Step, facts: RequestFacts, scenario: Scenario, ids: IdSource) -> Reply:
    """Apply a turn to a request."""
    turn = step.turn
    lookup = _lookup(step, facts, scenario)
    items = tuple(_identify(fill_item(item, lookup), ids) for item in to_items(step.content))
    calls_tool = any(isinstance(item, ToolUse) for item in items)
    ends_loop = turn.loop is not None and step.number > turn.loop.times
    stop_reason = None if ends_loop else turn.stop_reason
    usage = turn.usage or Usage()
    return Reply(
        message_id=ids.next_id("msg"),
        model=facts.model,
        items=items,
        stop_reason=stop_reason or ("tool_use" if calls_tool else "end_turn"),
        stop_sequence=turn.stop_sequence,
        stop_details=_stop_details(step),
        counts=_count(usage, items, facts, scenario.rules.chars_per_token),
        in_delta=usage.in_delta,
    )


def estimate_tokens(size: int, per_token: float) -> int:
    """Rough token count of ``size`` bytes or characters; at least 1."""
    return max(1, math.ceil(size / per_token))


def to_json(block: Block) -> JsonObject:
    """A block in its final form."""
    match block:
        case Text():
            return {"type": "text", "text": block.text}
        case Thinking():
            return {
                "type": "thinking",
                "thinking": block.thinking,
                "signature": block.signature or "",
            }
        case RedactedThinking():
            return {"type": "redacted_thinking", "data": block.data}
        case ToolUse():
            return {
                "type": "tool_use",
                "id": block.id or "",
                "name": block.name,
                "input": _final_input(block),
            }
        case RawBlock():
            return dict(block.block)


def input_json(block: ToolUse) -> str:
    """The tool input as it is streamed."""
    if block.raw_json is not None:
        return block.raw_json
    return json.dumps(block.input, ensure_ascii=False)


def _final_input(block: ToolUse) -> JsonValue:
    """The input without streaming: raw JSON is parsed where that is possible."""
    if block.raw_json is None:
        return dict(block.input)
    try:
        parsed: JsonValue = json.loads(block.raw_json or "{}")
    except ValueError:
        return block.raw_json
    return parsed


def _lookup(step: Step, facts: RequestFacts, scenario: Scenario) -> Lookup:
    def lookup(name: str) -> JsonValue:
        if name in scenario.variables:
            return scenario.variables[name]
        return step.number if name == "n" else facts.value(name)

    return lookup


def _identify(item: Item, ids: IdSource) -> Item:
    match item:
        case ToolUse(id=None):
            return replace(item, id=ids.next_id("toolu"))
        case Thinking(signature=None):
            return replace(item, signature=sign(item.thinking))
        case _:
            return item


def _stop_details(step: Step) -> JsonObject | None:
    refusal = step.turn.refusal
    if refusal is None:
        return None
    return {"type": "refusal", "category": refusal.category, "explanation": refusal.explanation}


def _count(
    usage: Usage, items: Sequence[Item], facts: RequestFacts, per_token: float
) -> TokenCounts:
    cached = usage.cache_read + usage.cache_write
    fresh = max(1, estimate_tokens(facts.size_bytes, per_token) - cached)
    said = sum(_size(item) for item in items)
    return TokenCounts(
        input=fresh if usage.input is None else usage.input,
        output=estimate_tokens(said, per_token) if usage.output is None else usage.output,
        cache_read=usage.cache_read,
        cache_write=usage.cache_write,
    )


def _size(item: Item) -> int:
    match item:
        case Text():
            return len(item.text)
        case Thinking():
            return len(item.thinking)
        case ToolUse():
            return len(item.name) + len(input_json(item))
        case RedactedThinking():
            return len(item.data)
        case RawBlock():
            return len(json.dumps(dict(item.block)))
        case Ping() | RawEvent():
            return 0
