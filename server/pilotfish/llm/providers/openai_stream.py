"""The chat completions stream as our events.

Owns: the state of one reply while it streams, and the ways in which servers differ. Pure: no I/O, no
clock.
Does not own: reading the stream or its errors (``openai``), putting calls together (``openai_calls``).

Calls are handed on when the reply has ended: servers may interleave the pieces of several calls.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, TypeAlias, cast

from pilotfish.core.ids import MessageId, new_message_id
from pilotfish.core.messages import AssistantBlock, TextBlock, ThinkingBlock, Usage
from pilotfish.core.reasons import ModelStopReason
from pilotfish.llm.events import (
    BlockCompleted,
    DeltaReceived,
    ModelEvent,
    ReplyCompleted,
    ReplyStarted,
)
from pilotfish.llm.providers.counts import count_in
from pilotfish.llm.providers.openai_calls import OpenCalls
from pilotfish.llm.providers.texts import clean
from pilotfish.llm.reasoning import REASONING_FIELDS
from pilotfish.util.records import dataclass

Chunk: TypeAlias = Mapping[str, Any]
"""One chunk as it stands on the wire."""

_STOP_REASONS: Mapping[str, ModelStopReason] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "model_length": "max_tokens",
    "tool_calls": "tool_use",
    "tool_use": "tool_use",
    "function_call": "tool_use",
    "content_filter": "refusal",
    "safety": "refusal",
}
"""The vendor's words and those of servers that copy it, in lower case."""

_FAILURES = frozenset({"error", "abort", "insufficient_system_resource"})
"""Words for the end of a reply that the server could not finish (OpenRouter, vLLM, DeepSeek)."""

_BYTES_PER_TOKEN = 4
"""For estimates where a server does not count (design 02 §5.2)."""


@dataclass(kw_only=True)
class _OpenText:
    """Text or reasoning that is being received. Pieces are joined once, at its end."""

    kind: Literal["text", "thinking"]
    index: int
    source: str
    """The field that reasoning comes in."""
    pieces: list[str] = field(default_factory=list[str])


class ChatAssembler:
    """Turns the chunks of one reply into our events."""

    def __init__(self, model: str, request_bytes: int, tools: frozenset[str] = frozenset()) -> None:
        """Begin a reply.

        Args:
            model: The model that was asked.
            request_bytes: Size of the request, for an estimate where the server counts nothing.
            tools: Names of the tools that the model was offered.
        """
        self._model = model
        self._request_bytes = request_bytes
        self._reply_bytes = 0
        self._id: MessageId | None = None
        self._next_index = 0
        self._text: _OpenText | None = None
        self._calls = OpenCalls(tools)
        self._usage: Usage | None = None
        self._stop_reason: ModelStopReason | None = None
        self._refused = False
        self._ended = False
        self._comes_in_deltas = False
        self._choice: object = None
        """Number of the choice that is the answer, once one has come."""
        self._failure = ""
        """The server's word for an end that was none; empty when all went well."""

    @property
    def complete(self) -> bool:
        """Whether the model has said why it stopped, or has said something and the server that this is all."""
        if self._failure:
            return False
        return self._stop_reason is not None or (self._ended and self._next_index > 0)

    def why_incomplete(self) -> str:
        """Return what is wrong with a reply that is not complete."""
        if self._failure:
            return f"the server ended it with “{self._failure}”"
        if self._ended:
            return "the server ended it without a word"
        return "the server closed the connection"

    def end(self) -> None:
        """Take into account that the server has said that this is all."""
        self._ended = True

    def feed(self, chunk: Chunk) -> list[ModelEvent]:
        """Take one chunk; return what it means."""
        events: list[ModelEvent] = []
        if self._id is None:
            # Servers give the same id to several replies, so it is ours.
            self._id = new_message_id()
            self._model = _string(chunk.get("model")) or self._model
            events.append(ReplyStarted(message_id=self._id, model=self._model, usage=Usage()))
        self._usage = _usage(_object(chunk.get("usage"))) or self._usage
        for choice in self._first_choices(chunk):
            events += self._delta(self._news_in(choice))
            reason = _string(choice.get("finish_reason")).lower()
            if reason in _FAILURES:
                self._failure = reason
            elif reason:
                # A word that nobody knows is an end, too.
                self._stop_reason = _STOP_REASONS.get(reason, "end_turn")
            # Some servers count inside the choice.
            self._usage = _usage(_object(choice.get("usage"))) or self._usage
        return events

    def finish(self) -> list[ModelEvent]:
        """End the reply; return its last events."""
        events = self._close_text()
        for index, block in self._calls.blocks(cut=self._stop_reason == "max_tokens"):
            events.append(BlockCompleted(index=index, block=block))
        reason = self._stop_reason or "end_turn"
        if self._refused:
            reason = "refusal"
        elif reason == "end_turn" and self._calls:
            # Some servers say “stop” after calls.
            reason = "tool_use"
        usage = self._usage or self._estimate()
        events.append(ReplyCompleted(stop_reason=reason, usage=usage))
        return events

    def _first_choices(self, chunk: Chunk) -> list[Chunk]:
        """Return what a chunk brings of the answer: the first choice, where a server sends several."""
        choices = choices_in(chunk)[:1]
        if choices and self._choice is None:
            self._choice = choices[0].get("index", 0)
        return [choice for choice in choices if choice.get("index", self._choice) == self._choice]

    def _news_in(self, choice: Chunk) -> Chunk:
        """Return what a choice adds; some servers repeat the whole message at the end of its deltas."""
        delta = _object(choice.get("delta"))
        self._comes_in_deltas |= bool(delta)
        return delta if self._comes_in_deltas else _object(choice.get("message"))

    def _delta(self, delta: Chunk) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        source = next((name for name in REASONING_FIELDS if _string(delta.get(name))), None)
        if source is not None:
            events += self._piece("thinking", _string(delta.get(source)), source)
        events += self._piece("text", _text_in(delta.get("content")))
        refusal = _string(delta.get("refusal"))
        if refusal:
            self._refused = True
            events += self._piece("text", refusal)
        self._calls.begin_chunk()
        for piece in _call_pieces(delta):
            events += self._call_piece(piece)
        return events

    def _piece(
        self, kind: Literal["text", "thinking"], text: str, source: str = ""
    ) -> list[ModelEvent]:
        if not text:
            return []
        events: list[ModelEvent] = []
        if self._text is None or self._text.kind != kind:
            events = self._close_text()
            self._text = _OpenText(kind=kind, index=self._take_index(), source=source)
        self._text.pieces.append(text)
        self._reply_bytes += len(text.encode("utf-8", "replace"))
        return [*events, DeltaReceived(index=self._text.index, kind=kind, text=text)]

    def _call_piece(self, piece: Chunk) -> list[ModelEvent]:
        events = self._close_text()
        call, text = self._calls.take(piece, self._next_index)
        self._next_index = max(self._next_index, call.index + 1)
        if text:
            self._reply_bytes += len(text.encode("utf-8", "replace"))
            events.append(DeltaReceived(index=call.index, kind="input_json", text=text))
        return events

    def _close_text(self) -> list[ModelEvent]:
        closed, self._text = self._text, None
        if closed is None:
            return []
        # A server may have cut a character in two, or sent half of one.
        text = clean("".join(closed.pieces))
        block: AssistantBlock = (
            TextBlock(text=text)
            if closed.kind == "text"
            else ThinkingBlock(text=text, signature=closed.source)
        )
        return [BlockCompleted(index=closed.index, block=block)]

    def _take_index(self) -> int:
        self._next_index += 1
        return self._next_index - 1

    def _estimate(self) -> Usage:
        return Usage(
            input_tokens=self._request_bytes // _BYTES_PER_TOKEN,
            output_tokens=self._reply_bytes // _BYTES_PER_TOKEN,
        )


def choices_in(chunk: Chunk) -> list[dict[str, Any]]:
    """Return the choices of a chunk."""
    return _objects(chunk.get("choices"))


def _call_pieces(delta: Chunk) -> Sequence[Chunk]:
    """Return the pieces of calls; servers of the API's first days send one call, in a field of its own."""
    function = _object(delta.get("function_call"))
    return _objects(delta.get("tool_calls")) or ([{"function": function}] if function else [])


def _usage(wire: Chunk) -> Usage | None:
    """Return the counts; None when there are none. The prompt's count holds what came from a cache."""
    prompt, output = count_in(wire, "prompt_tokens"), count_in(wire, "completion_tokens")
    if not prompt and not output:
        return None
    details = _object(wire.get("prompt_tokens_details"))
    read = count_in(details, "cached_tokens") or count_in(wire, "prompt_cache_hit_tokens")
    written = count_in(details, "cache_write_tokens")
    read = min(read, prompt)
    written = min(written, prompt - read)
    return Usage(
        input_tokens=prompt - read - written,
        output_tokens=output,
        cache_read_tokens=read,
        cache_write_tokens=written,
    )


def _text_in(content: object) -> str:
    """Return the text of a delta; some servers send it in parts."""
    if isinstance(content, str):
        return content
    parts = _objects(content)
    return "".join(_string(part.get("text")) for part in parts if part.get("type") == "text")


def _object(value: object) -> Chunk:
    return cast(Chunk, value) if isinstance(value, dict) else {}


def _objects(value: object) -> list[dict[str, Any]]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
