"""Messages in an API's shape, kept from one request to the next.

Owns: converting each message once and making its JSON once, so that a call costs what is new in it
and not the whole history. Messages never change.
Does not own: the shapes (each provider's ``convert`` module).
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from pilotfish.core.messages import Message
from pilotfish.llm.catalog import ModelFacts
from pilotfish.llm.model import ToolSchema

Wire: TypeAlias = dict[str, Any]
"""A JSON object in an API's own shape."""

MAX_HISTORIES = 16
"""Conversations whose converted messages are kept; the longest unused goes first."""


def dumps(value: Wire) -> bytes:
    """Return JSON without spaces; the same value gives the same bytes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


class HistoryCache:
    """Converted messages of several conversations, and the tools they share."""

    def __init__(
        self,
        message: Callable[[Message], Sequence[Wire]],
        tool: Callable[[ToolSchema], Wire],
    ) -> None:
        """Keep nothing yet.

        Args:
            message: Converts one message; an API may want several for it, or none.
            tool: Converts one tool.
        """
        self._message = message
        self._tool = tool
        self._histories: OrderedDict[int, _History] = OrderedDict()
        self._tools: tuple[Sequence[ToolSchema], list[Wire]] = ((), [])

    def tools(self, tools: Sequence[ToolSchema]) -> list[Wire]:
        """Return the tools in the API's shape; a session sends the same ones again and again."""
        if self._tools[0] is not tools:
            self._tools = (tools, [self._tool(tool) for tool in tools])
        return list(self._tools[1])

    def __len__(self) -> int:
        return len(self._histories)

    def to_wire(self, messages: Sequence[Message]) -> list[Wire]:
        """Return the messages in the API's shape. The result may be changed, its items not."""
        if not messages:
            return []
        key = id(messages[0])
        history = self._histories.pop(key, None) or _History()
        history.follow(messages, self._message)
        self._histories[key] = history
        while len(self._histories) > MAX_HISTORIES:
            self._histories.popitem(last=False)
        return list(history.wires)

    def encode(self, wires: Sequence[Wire], messages: Sequence[Message]) -> list[bytes]:
        """Return converted messages as JSON; the text of an unchanged one is made once.

        Args:
            wires: What ``to_wire`` returned for the messages, some of them replaced.
            messages: The messages themselves.
        """
        history = self._histories.get(id(messages[0])) if messages else None
        if history is None:
            return [dumps(wire) for wire in wires]
        return [history.encode(index, wire) for index, wire in enumerate(wires)]


class Histories:
    """Converted messages, for each kind of model by what it takes: pictures, documents."""

    def __init__(
        self,
        message: Callable[[Message, ModelFacts], Sequence[Wire]],
        tool: Callable[[ToolSchema], Wire],
    ) -> None:
        """Keep nothing yet; the arguments are those of ``HistoryCache``, with the model's facts."""
        self._message = message
        self._tool = tool
        self._by_kind: dict[tuple[bool, bool], HistoryCache] = {}

    def of(self, facts: ModelFacts) -> HistoryCache:
        """Return the cache for a model."""
        kind = (facts.images, facts.documents)
        if kind not in self._by_kind:
            self._by_kind[kind] = HistoryCache(
                lambda message: self._message(message, facts), self._tool
            )
        return self._by_kind[kind]


class _History:
    """One conversation. Holds its messages, so that an id stays theirs."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.wires: list[Wire] = []
        self._ends: list[int] = []
        """Where each message's wires end."""
        self._encoded: list[bytes | None] = []

    def encode(self, index: int, wire: Wire) -> bytes:
        """Return a message as JSON; kept unless it is a changed copy."""
        if wire is not self.wires[index]:
            return dumps(wire)
        data = self._encoded[index]
        if data is None:
            data = self._encoded[index] = dumps(wire)
        return data

    def follow(
        self, messages: Sequence[Message], convert: Callable[[Message], Sequence[Wire]]
    ) -> None:
        """Keep what is the same, convert the rest."""
        same = 0
        for known, message in zip(self.messages, messages, strict=False):
            if known is not message:
                break
            same += 1
        kept = self._ends[same - 1] if same else 0
        del self.messages[same:], self._ends[same:], self.wires[kept:], self._encoded[kept:]
        for message in messages[same:]:
            wires = convert(message)
            self.messages.append(message)
            self.wires.extend(wires)
            self._encoded.extend([None] * len(wires))
            self._ends.append(len(self.wires))
