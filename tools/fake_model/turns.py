"""One scripted reply: when it is due, what it says and how it goes wrong.

Owns: the fields of a turn in a scenario file.
Does not own: content items (``blocks``), choosing a turn (``playlist``), sending it (``delivery``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt, model_validator
from pydantic.dataclasses import dataclass

from tools.fake_model.blocks import STRICT, Content, ToolUse, to_items

StopReason = Literal[
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "tool_use",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
]

ErrorName = Literal[
    "bad_request",
    "unauthorized",
    "forbidden",
    "not_found",
    "request_timeout",
    "prompt_too_long",
    "request_too_large",
    "rate_limited",
    "server_error",
    "bad_gateway",
    "overloaded",
]
"""Names for common failures; ``errors.NAMED`` says what each means."""

DEFAULT_GATE = "default"
"""Where a stall waits unless it names another gate."""

DEFAULT_STALL_S = 600.0
"""Longer than any story on a busy machine; only a fake model that nobody ends goes on by itself."""


@dataclass(frozen=True, config=STRICT, kw_only=True)
class When:
    """Conditions on a request; all that are given must hold."""

    last_user_text: str | None = None
    """Contained in the newest user message that has text (tool results do not count)."""
    first_user_text: str | None = None
    """Contained in the first user message."""
    system_text: str | None = None
    """Contained in the system prompt."""
    last_tool_result: str | None = None
    """Contained in the text of the tool results of the last message."""
    offers_tool: str | None = None
    """A tool of this name is offered. ``!Name``: none of this name is."""
    api_key: str | None = None
    """Equal to the key of the request."""
    model: str | None = None
    """Equal to the model of the request."""
    stream: bool | None = None
    """Whether the reply is streamed."""


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Usage:
    """Token counts of a reply."""

    input: NonNegativeInt | None = None
    """None: estimated from the size of the request, less what the cache is said to cover."""
    output: NonNegativeInt | None = None
    """None: estimated from the content."""
    cache_read: NonNegativeInt = 0
    cache_write: NonNegativeInt = 0
    in_delta: Literal["all", "output", "zero"] = "all"
    """What ``message_delta`` says beside the output count: every counter, none, or zeros."""


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Pace:
    """How fast and in which pieces a reply travels. Times below about 1 ms cannot be kept."""

    chunk_chars: PositiveInt | None = None
    """Characters in one delta of text, thinking and tool input. None: all in one."""
    first_byte_ms: NonNegativeFloat = 0
    """Wait before the response headers."""
    between_events_ms: NonNegativeFloat = 0
    """Wait between two stream events."""
    ping_every: PositiveInt | None = None
    """A ``ping`` after each this many events. None: no pings of its own."""
    coalesce: bool = False
    """Send neighbouring events in one write. Fastest; not together with waits between events."""
    split_bytes: PositiveInt | None = None
    """Cut the stream into writes of this size, across event and character borders."""

    @model_validator(mode="after")
    def _check(self) -> "Pace":
        if self.between_events_ms and (self.coalesce or self.split_bytes):
            raise ValueError("between_events_ms excludes coalesce and split_bytes")
        return self


@dataclass(frozen=True, config=STRICT, kw_only=True)
class HttpError:
    """An answer with an error status instead of a reply."""

    status: int = Field(ge=400, le=599)
    error_type: str | None = None
    """None: the usual type for the status."""
    message: str | None = None
    retry_after_s: NonNegativeFloat | None = None
    """Sent as ``retry-after``."""
    headers: Mapping[str, str] = Field(default_factory=dict[str, str])
    raw_body: str | None = None
    """Sent as ``text/html`` instead of the JSON error, as a proxy in between would."""


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Cut:
    """The connection ends without the end of the reply."""

    kind: Literal["cut"] = "cut"
    after_events: NonNegativeInt = 0
    """Events that are sent before it; pings count. 0: headers only."""
    before_headers: bool = False
    """Nothing is sent at all."""
    reset: bool = False
    """End with a TCP reset instead of an orderly close."""


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Stall:
    """Silence until the gate is released or the client leaves; then the reply goes on."""

    kind: Literal["stall"] = "stall"
    after_events: NonNegativeInt = 0
    """As in ``Cut``."""
    before_headers: bool = False
    """The silence comes before the response headers."""
    gate: str = DEFAULT_GATE
    max_s: NonNegativeFloat = DEFAULT_STALL_S
    """After this many seconds the connection is cut."""


@dataclass(frozen=True, config=STRICT, kw_only=True)
class ErrorEvent:
    """An ``error`` event inside a stream with status 200; nothing follows it."""

    kind: Literal["error"] = "error"
    after_events: NonNegativeInt = 0
    """As in ``Cut``."""
    error_type: str = "overloaded_error"
    message: str | None = None


Fault = Cut | Stall | ErrorEvent


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Refusal:
    """Details that go with the stop reason ``refusal``."""

    category: str | None = None
    explanation: str | None = None


@dataclass(frozen=True, config=STRICT)
class Loop:
    """Answers with the turn's content for so many rounds of a prompt, then with ``then``.

    The round is read from the request itself (tool rounds since the newest user text), so one
    looping turn with ``repeat="forever"`` serves any number of sessions.
    """

    times: NonNegativeInt
    then: Content = "Done."


@dataclass(frozen=True, config=STRICT)
class Turn:
    """One reply. Without ``error`` and faults: the content, then the stop reason."""

    content: Content = ()
    """Empty: a reply without any block."""
    _: KW_ONLY
    when: When | None = None
    """None: any request."""
    repeat: PositiveInt | Literal["forever"] = 1
    """How many requests it answers; with ``loop``, how many prompts."""
    loop: Loop | None = None
    stop_reason: StopReason | None = None
    """None: ``tool_use`` if the content has a tool call, else ``end_turn``."""
    stop_sequence: str | None = None
    refusal: Refusal | None = None
    usage: Usage | None = None
    """None: estimated."""
    pace: Pace | None = None
    """None: the scenario's."""
    headers: Mapping[str, str] = Field(default_factory=dict[str, str])
    """Added to the response headers of a reply."""
    error: HttpError | ErrorName | None = None
    """Answer with this instead of a reply."""
    faults: Sequence[Annotated[Fault, Field(discriminator="kind")]] = ()
    """What goes wrong on the way."""

    @model_validator(mode="after")
    def _check(self) -> "Turn":
        if self.error is not None and (self.content or self.loop or self.faults):
            raise ValueError("a turn with `error` has no content, loop or faults")
        if self.loop is not None and not has_tool_use(self.content):
            raise ValueError("the content of a looping turn needs a tool_use block")
        return self


def has_tool_use(content: Content) -> bool:
    """Whether ``content`` contains a tool call."""
    return any(isinstance(item, ToolUse) for item in to_items(content))
