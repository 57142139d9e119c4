"""What a scripted reply can contain, as written in a scenario.

Owns: the content items of a turn: real blocks, and raw stream events between them.
Does not own: how they travel (``wire_events``) or templates (``templates``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue
from pydantic.dataclasses import dataclass

STRICT = ConfigDict(extra="forbid")
"""Scenario types refuse unknown fields, so that a typing error is an error and not a default."""


@dataclass(frozen=True, config=STRICT)
class Text:
    """Text of the answer. In a scenario a plain string means the same."""

    text: str
    _: KW_ONLY
    type: Literal["text"] = "text"


@dataclass(frozen=True, config=STRICT)
class Thinking:
    """A thinking block."""

    thinking: str
    """May be empty: then only the signature is sent, as with omitted thinking."""
    _: KW_ONLY
    signature: str | None = None
    """None: one is computed from the text, and refused later if the text comes back changed."""
    type: Literal["thinking"] = "thinking"


@dataclass(frozen=True, config=STRICT)
class RedactedThinking:
    """A thinking block whose content is opaque."""

    data: str
    _: KW_ONLY
    type: Literal["redacted_thinking"] = "redacted_thinking"


@dataclass(frozen=True, config=STRICT)
class ToolUse:
    """A tool call."""

    name: str
    input: Mapping[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    _: KW_ONLY
    id: str | None = None
    """None: a fresh one, unique also across servers."""
    raw_json: str | None = None
    """Sent instead of ``input``, as it stands: for broken, cut or empty JSON."""
    type: Literal["tool_use"] = "tool_use"


@dataclass(frozen=True, config=STRICT)
class RawBlock:
    """A block of any other kind: unknown ones, server tools and their results."""

    block: Mapping[str, JsonValue]
    """The block as it stands in ``content_block_start`` and in a non-streamed reply."""
    _: KW_ONLY
    deltas: Sequence[Mapping[str, JsonValue]] = ()
    """Each is sent in one ``content_block_delta``."""
    type: Literal["raw"] = "raw"


@dataclass(frozen=True, config=STRICT)
class Ping:
    """A ``ping`` event at this place of the stream. Not a block; ignored without streaming."""

    _: KW_ONLY
    type: Literal["ping"] = "ping"


@dataclass(frozen=True, config=STRICT)
class RawEvent:
    """Any stream event at this place, for instance an unknown one. Ignored without streaming."""

    event: str
    data: Mapping[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """``type`` is added when missing, equal to ``event``."""
    _: KW_ONLY
    type: Literal["event"] = "event"


Block = Text | Thinking | RedactedThinking | ToolUse | RawBlock
"""What becomes part of the message."""

Item = Block | Ping | RawEvent
"""What a turn's content may list."""

Content = str | Sequence[str | Annotated[Item, Field(discriminator="type")]]
"""One string is one text block; in a list, strings and items may be mixed."""


def to_items(content: Content) -> tuple[Item, ...]:
    """Write out the short forms of ``content``."""
    if isinstance(content, str):
        return (Text(content),)
    return tuple(Text(item) if isinstance(item, str) else item for item in content)
