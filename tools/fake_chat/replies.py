"""What the fake server says.

Owns: replies and errors as scripts write them, and their chunks. Does not own: sending (``server``).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]

Habit = Literal["by_index", "interleaved", "no_index", "all_index_0", "whole"]
"""How a server cuts calls: one after the other, mixed, without places, all at place 0, in one piece."""

UsagePlace = Literal["last", "in_choice", "none"]
"""Where a server counts: in a chunk of its own, beside the finish reason, or not at all."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call; ``raw`` is sent instead of the input and may be broken."""

    name: str
    input: Json = field(default_factory=dict[str, Any])
    id: str = ""
    raw: str | None = None

    @property
    def arguments(self) -> str:
        """The arguments as text."""
        return json.dumps(self.input) if self.raw is None else self.raw


@dataclass(frozen=True, kw_only=True)
class ChatReply:
    """One reply."""

    text: str = ""
    reasoning: str = ""
    reasoning_field: str = "reasoning_content"
    calls: tuple[Call, ...] = ()
    habit: Habit = "by_index"
    finish_reason: str | None = None
    """None: what fits."""
    refusal: str = ""
    usage: Mapping[str, Any] = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 20}
    )
    usage_place: UsagePlace = "last"
    piece_chars: int = 5
    comments: bool = False
    """Whether comments stand between the events."""
    cut_after: int | None = None
    """Chunks after which the connection ends."""
    stall_after: int | None = None
    """Chunks after which the server is silent for good."""
    error_after: tuple[int, Json] | None = None
    """An error inside the stream after so many chunks."""
    end_mark: bool = True

    def chunks(self, model: str) -> list[Json]:
        """Return the chunks of the stream."""
        found = [_chunk(model, {"role": "assistant", "content": ""})]
        for field_name, text in (
            (self.reasoning_field, self.reasoning),
            ("content", self.text),
            ("refusal", self.refusal),
        ):
            found += [_chunk(model, {field_name: piece}) for piece in self._pieces(text)]
        found += [_chunk(model, {"tool_calls": pieces}) for pieces in self._call_pieces()]
        reason = self.finish_reason or ("tool_calls" if self.calls else "stop")
        last = _chunk(model, {}, finish_reason=reason)
        if self.usage_place == "in_choice":
            last["choices"][0]["usage"] = dict(self.usage)
        found.append(last)
        if self.usage_place == "last":
            found.append({**_chunk(model, {}), "choices": [], "usage": dict(self.usage)})
        return found

    def whole(self, model: str) -> Json:
        """Return the reply in one piece."""
        message: Json = {"role": "assistant", "content": self.text or None}
        if self.reasoning:
            message[self.reasoning_field] = self.reasoning
        if self.calls:
            message["tool_calls"] = [
                {
                    "id": call.id or f"call_{place}",
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for place, call in enumerate(self.calls)
            ]
        reason = self.finish_reason or ("tool_calls" if self.calls else "stop")
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return {
            "id": "chatcmpl-same-for-all",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [choice],
            "usage": dict(self.usage),
        }

    def _pieces(self, text: str) -> list[str]:
        return [text[at : at + self.piece_chars] for at in range(0, len(text), self.piece_chars)]

    def _call_pieces(self) -> Iterator[list[Json]]:
        cut = [list(self._one_call(place, call)) for place, call in enumerate(self.calls)]
        if self.habit == "interleaved":
            for step in range(max(map(len, cut), default=0)):
                yield [pieces[step] for pieces in cut if step < len(pieces)]
            return
        for pieces in cut:
            for piece in pieces:
                yield [piece]

    def _one_call(self, place: int, call: Call) -> Iterator[Json]:
        where: Json = {"index": 0 if self.habit == "all_index_0" else place}
        if self.habit == "no_index":
            where = {}
        call_id = call.id or f"call_{place}"
        head: Json = {**where, "id": call_id, "type": "function"}
        if self.habit == "whole":
            yield {**head, "function": {"name": call.name, "arguments": call.input}}
            return
        yield {**head, "function": {"name": call.name, "arguments": ""}}
        for piece in self._pieces(call.arguments):
            yield {**where, "function": {"arguments": piece}}


@dataclass(frozen=True, kw_only=True)
class ChatError:
    """An answer that is an error."""

    status: int
    body: Json | str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, kw_only=True)
class ChatBytes:
    """An answer byte for byte, for what no well-behaved server sends."""

    pieces: tuple[bytes, ...]
    """What is written at once, one after the other."""
    content_type: str = "text/event-stream"


def event(data: Json | str) -> bytes:
    """Return an event of a stream."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def _chunk(model: str, delta: Json, *, finish_reason: str | None = None) -> Json:
    choice: Json = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {
        "id": "chatcmpl-same-for-all",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": model,
        "choices": [choice],
    }
