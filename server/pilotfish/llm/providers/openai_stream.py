"""The chat completions stream as our events.

Owns: the state of one reply while it streams, and the ways in which servers differ. Pure: no I/O, no
clock.
Does not own: reading the stream or its errors (``openai``).

Calls are handed on when the reply has ended: servers may interleave the pieces of several calls.
"""

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias, cast

from pilotfish.core.ids import MessageId, ToolUseId, new_message_id, new_tool_use_id
from pilotfish.core.messages import AssistantBlock, TextBlock, ThinkingBlock, ToolUseBlock, Usage
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
from pilotfish.llm.reasoning import REASONING_FIELDS
from pilotfish.util.records import dataclass

Chunk: TypeAlias = Mapping[str, Any]
"""One chunk as it stands on the wire."""

_STOP_REASONS: Mapping[str, ModelStopReason] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "content_filter": "refusal",
}

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


@dataclass(kw_only=True)
class _OpenCall:
    """A call that is being received."""

    index: int
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list[str])


class ChatAssembler:
    """Turns the chunks of one reply into our events."""

    def __init__(self, model: str, request_bytes: int) -> None:
        """Begin a reply.

        Args:
            model: The model that was asked.
            request_bytes: Size of the request, for an estimate where the server counts nothing.
        """
        self._model = model
        self._request_bytes = request_bytes
        self._reply_bytes = 0
        self._id: MessageId | None = None
        self._next_index = 0
        self._text: _OpenText | None = None
        self._calls: list[_OpenCall] = []
        self._by_place: dict[int, _OpenCall] = {}
        self._usage: Usage | None = None
        self._stop_reason: ModelStopReason | None = None
        self._refused = False
        self._choice: object = None
        """Number of the choice that is the answer, once one has come."""

    @property
    def complete(self) -> bool:
        """Whether the model has said why it stopped; only the counts may still come."""
        return self._stop_reason is not None

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
            events += self._delta(_object(choice.get("delta")) or _object(choice.get("message")))
            reason = choice.get("finish_reason")
            if isinstance(reason, str) and reason:
                # A word that nobody knows is an end, too.
                self._stop_reason = _STOP_REASONS.get(reason, "end_turn")
            # Some servers count inside the choice.
            self._usage = _usage(_object(choice.get("usage"))) or self._usage
        return events

    def finish(self) -> list[ModelEvent]:
        """End the reply; return its last events."""
        events = self._close_text()
        for call in self._calls:
            if call.name:
                cut = self._stop_reason == "max_tokens" and call is self._calls[-1]
                events.append(BlockCompleted(index=call.index, block=_tool_use(call, cut=cut)))
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
        choices = _objects(chunk.get("choices"))[:1]
        if choices and self._choice is None:
            self._choice = choices[0].get("index", 0)
        return [choice for choice in choices if choice.get("index", self._choice) == self._choice]

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
        for piece in _objects(delta.get("tool_calls")):
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
        call = self._call_of(piece)
        function = _object(piece.get("function"))
        call.id = call.id or _string(piece.get("id"))
        call.name = call.name or _string(function.get("name"))
        arguments = function.get("arguments")
        # Some servers send the arguments as they are, not as text.
        text = json.dumps(arguments) if isinstance(arguments, dict) else _string(arguments)
        if text:
            call.pieces.append(text)
            self._reply_bytes += len(text.encode("utf-8", "replace"))
            events.append(DeltaReceived(index=call.index, kind="input_json", text=text))
        return events

    def _call_of(self, piece: Chunk) -> _OpenCall:
        """Return the call that a piece belongs to.

        It is named by its place. Some servers leave that out, or call every place 0; a new id then
        begins a new call, and where they leave out ids, too, a name after whole arguments.
        """
        place = piece.get("index")
        call_id = _string(piece.get("id"))
        known = self._by_place.get(place) if isinstance(place, int) else self._last_call()
        if known is None or _begins_another(known, call_id, piece):
            known = _OpenCall(index=self._take_index())
            self._calls.append(known)
        if isinstance(place, int):
            self._by_place[place] = known
        return known

    def _last_call(self) -> _OpenCall | None:
        return self._calls[-1] if self._calls else None

    def _close_text(self) -> list[ModelEvent]:
        closed, self._text = self._text, None
        if closed is None:
            return []
        text = "".join(closed.pieces)
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


def _begins_another(known: _OpenCall, call_id: str, piece: Chunk) -> bool:
    """Tell whether a piece at the place of a call is the first of the next one."""
    if call_id or known.id:
        return bool(call_id) and bool(known.id) and known.id != call_id
    if not known.name or not _string(_object(piece.get("function")).get("name")):
        return False
    # Its end is looked at first: some servers repeat the name with each of many pieces.
    closed = bool(known.pieces) and known.pieces[-1].rstrip().endswith("}")
    return closed and parse_tool_input("".join(known.pieces))[1] is None


def _tool_use(call: _OpenCall, *, cut: bool) -> ToolUseBlock:
    parsed, problem = parse_tool_input("".join(call.pieces))
    if cut:
        # Even what can be read may not be all of it.
        parsed, problem = {}, problem or "The reply was cut before the input was complete."
    return ToolUseBlock(
        id=ToolUseId(call.id or new_tool_use_id()),
        name=call.name,
        input=parsed,
        input_error=problem,
    )


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


def _objects(value: object) -> list[Chunk]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast(Chunk, item) for item in items if isinstance(item, dict)]


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
