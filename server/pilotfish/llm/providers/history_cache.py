"""Messages in an API's shape, kept from one request to the next.

Owns: converting each message once and making its JSON once, so that a call costs what is new in it
and not the whole history. Messages never change.
Does not own: the shapes (each provider's ``convert`` module).
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from operator import is_
from typing import Any, TypeAlias

from pilotfish.core.messages import Message
from pilotfish.llm.catalog import ModelFacts
from pilotfish.llm.model import ToolSchema

Wire: TypeAlias = dict[str, Any]
"""A JSON object in an API's own shape."""

MAX_HISTORIES = 100
"""Conversations whose converted messages are kept; the longest unused goes first. More than agents can
run at once by the usual settings: when they take turns, none may push out the others'."""


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
        self._tools: OrderedDict[int, tuple[Sequence[ToolSchema], list[Wire]]] = OrderedDict()

    def tools(self, tools: Sequence[ToolSchema]) -> list[Wire]:
        """Return the tools in the API's shape; a session sends the same ones again and again."""
        key = id(tools)
        known = self._tools.pop(key, None) or (tools, [self._tool(tool) for tool in tools])
        self._tools[key] = known
        if len(self._tools) > MAX_HISTORIES:
            self._tools.popitem(last=False)
        return list(known[1])

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

    def body(
        self,
        head: Wire,
        wires: Sequence[Wire],
        messages: Sequence[Message],
        first: Sequence[Wire] = (),
    ) -> bytes:
        """Return a request as JSON; what is as in the conversation's last request is not made anew.

        Args:
            head: The request without its messages.
            wires: What ``to_wire`` returned for the messages, some of them replaced.
            messages: The messages themselves.
            first: What stands before them, in the API's shape.
        """
        history = (self._histories.get(id(messages[0])) if messages else None) or _History()
        opening, before = history.opening(head, first)
        rows = [row for row in (before, *history.rows(wires)) if row]
        # One copy of it all, however long the conversation is.
        with_commas = [piece for row in rows for piece in (b",", row)][1:]
        return b"".join([opening, *with_commas, b"]}"])


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
        self._joined = bytearray()
        """The JSON of the first wires, with commas between: those that were last sent as they are."""
        self._joined_count = 0
        self._opening: tuple[Wire, Sequence[Wire], tuple[bytes, bytes]] | None = None

    def opening(self, head: Wire, first: Sequence[Wire]) -> tuple[bytes, bytes]:
        """Return the JSON of a request up to its messages, and that of the first ones."""
        if self._opening is None or self._opening[:2] != (head, first):
            data = dumps(head)[:-1] + b',"messages":['
            self._opening = (head, first, (data, b",".join(map(dumps, first))))
        return self._opening[2]

    def rows(self, wires: Sequence[Wire]) -> list[bytes | bytearray]:
        """Return messages as JSON in some pieces; what is no changed copy is made once."""
        plain = _same_at_start(self.wires, wires)
        if plain < self._joined_count:
            self._forget_joined()
        for wire in wires[self._joined_count : plain]:
            self._joined += b"," + dumps(wire) if self._joined else dumps(wire)
        self._joined_count = plain
        return [self._joined, *map(dumps, wires[plain:])]

    def _forget_joined(self) -> None:
        self._joined.clear()
        self._joined_count = 0

    def follow(
        self, messages: Sequence[Message], convert: Callable[[Message], Sequence[Wire]]
    ) -> None:
        """Keep what is the same, convert the rest."""
        same = _same_at_start(self.messages, messages)
        kept = self._ends[same - 1] if same else 0
        del self.messages[same:], self._ends[same:], self.wires[kept:]
        if kept < self._joined_count:
            self._forget_joined()
        for message in messages[same:]:
            wires = convert(message)
            self.messages.append(message)
            self.wires.extend(wires)
            self._ends.append(len(self.wires))


def _same_at_start(known: Sequence[object], given: Sequence[object]) -> int:
    """Return how many items at the start are the very same; fast, for histories are long."""
    same = list(map(is_, known, given))
    return len(same) if all(same) else same.index(False)
