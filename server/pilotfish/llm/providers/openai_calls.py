"""The tool calls of one reply of a chat completions server, put together from their pieces.

Owns: which piece belongs to which call, and the ways in which servers differ in that. Pure.
Does not own: the rest of a reply (``openai_stream``).

A call is named by its place and its id. Servers leave out either or both, call every place 0, give several
calls one id, or repeat id and name with each piece. What then tells two calls apart is that no call has two
names, and that nothing follows arguments that are whole.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias, cast

from pilotfish.core.ids import ToolUseId, new_tool_use_id
from pilotfish.core.messages import ToolUseBlock
from pilotfish.llm.providers.tool_input import parse_tool_input
from pilotfish.util.records import dataclass

Piece: TypeAlias = Mapping[str, Any]
"""One entry of ``tool_calls`` as it stands on the wire."""

_Place: TypeAlias = int | str | None

_MARKS = re.compile(r'[\\"{}]')

MAX_CALLS = 1_000
"""More than any reply has: a server that begins calls without end must not fill the memory."""

MAX_NAME_CHARS = 1_000
"""Where a name that comes in parts ends."""

_NOTHING_YET = "{}"
"""What some servers send as arguments before the real ones."""


class TooManyCallsError(ValueError):
    """A reply has more calls than ``MAX_CALLS``."""


class _Depth:
    """Tells when an object that comes in pieces is whole; looks at each character once."""

    def __init__(self) -> None:
        self._open = 0
        self._in_string = False
        self._size = 0
        self._escaped = -1
        """Place of a character that means nothing by itself."""
        self.is_whole = False

    def feed(self, text: str) -> None:
        for found in _MARKS.finditer(text):
            at, mark = self._size + found.start(), found[0]
            if at == self._escaped:
                continue
            if mark == '"':
                self._in_string = not self._in_string
            elif mark == "\\":
                self._escaped = at + 1
            elif not self._in_string:
                self._open += 1 if mark == "{" else -1
                self.is_whole = self._open == 0
        self._size += len(text)


@dataclass(kw_only=True)
class OpenCall:
    """A call that is being received."""

    index: int
    """Its place in the reply."""
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list[str])
    is_doubtful: bool = False
    """Whether it is one only if arguments follow: its name may as well be that of the call before, again."""
    depth: _Depth = field(default_factory=_Depth)

    def add(self, name: str, arguments: str) -> None:
        """Take what a piece brings."""
        if not self.pieces or not self.name:
            self.name = _longer_name(self.name, name)
        if arguments:
            self.pieces.append(arguments)
            self.depth.feed(arguments)

    @property
    def is_void(self) -> bool:
        """Whether nothing can be called by it."""
        return not self.pieces and (self.is_doubtful or not self.name)

    def block(self, *, cut: bool) -> ToolUseBlock:
        """Return the call; ``cut``: whether the reply ended in the middle of it."""
        pieces = self.pieces
        if pieces and pieces[0].strip() == _NOTHING_YET and "".join(pieces[1:]).strip():
            pieces = pieces[1:]
        parsed, problem = parse_tool_input("".join(pieces))
        if cut:
            # Even what can be read may not be all of it.
            parsed, problem = {}, problem or "The reply was cut before the input was complete."
        return ToolUseBlock(
            id=ToolUseId(self.id or new_tool_use_id()),
            name=self.name,
            input=parsed,
            input_error=problem,
        )


class OpenCalls:
    """The calls of one reply."""

    def __init__(self, tools: frozenset[str]) -> None:
        """Begin; ``tools`` are the names that the model was offered."""
        self._tools = tools
        self._calls: list[OpenCall] = []
        self._latest: dict[_Place, OpenCall] = {}
        """By place; at None the latest of all."""
        self._named: dict[tuple[_Place, str], OpenCall] = {}
        """By place and id; the latest where several have the same."""
        self._in_chunk: set[int] = set()
        """Calls that the chunk has already brought a piece of."""

    def __bool__(self) -> bool:
        return bool(self._calls)

    def begin_chunk(self) -> None:
        """Another chunk begins."""
        self._in_chunk.clear()

    def take(self, piece: Piece, next_index: int) -> tuple[OpenCall, str]:
        """Take a piece; return its call and the text of its arguments.

        Args:
            piece: The piece.
            next_index: The place in the reply of a call that begins with it.

        Raises:
            TooManyCallsError: It would begin one too many.
        """
        function = _function_of(piece)
        name, arguments = _text(function.get("name")), _arguments(function.get("arguments"))
        place, call_id = _place(piece.get("index")), _text(piece.get("id"))
        call = self._known(place, call_id, has_name=bool(name))
        doubtful = False
        if call is not None and self._begins_another(call, name):
            doubtful = not arguments.strip() and name == call.name and not self._is_in_chunk(call)
            call = None
        if call is None:
            if len(self._calls) == MAX_CALLS:
                raise TooManyCallsError
            call = OpenCall(index=next_index, is_doubtful=doubtful)
            self._calls.append(call)
        call.id = call.id or call_id
        call.add(name, arguments)
        self._note(call, place)
        return call, arguments

    def blocks(self, *, cut: bool) -> Sequence[tuple[int, ToolUseBlock]]:
        """Return the calls with their places in the reply; ``cut``: whether it ended in the last one."""
        calls = [call for call in self._calls if not call.is_void]
        return [(call.index, call.block(cut=cut and call is calls[-1])) for call in calls]

    def _known(self, place: _Place, call_id: str, *, has_name: bool) -> OpenCall | None:
        """Return the call that a piece belongs to by its place and id; None for that of a new one."""
        latest = self._latest.get(place)
        if not call_id:
            # What says nothing of itself goes on with what came last.
            return latest if latest is not None or has_name else self._latest.get(None)
        named = self._named.get((place, call_id))
        if named is not None:
            return named
        # An id may come late.
        return latest if latest is not None and not latest.id else None

    def _begins_another(self, call: OpenCall, name: str) -> bool:
        """Tell whether a piece with a name, at the place of a call, is the first of the next one."""
        if not name or not call.name:
            return False
        two_tools = name != call.name and {name, call.name} <= self._tools
        return two_tools or call.depth.is_whole or self._is_in_chunk(call)

    def _is_in_chunk(self, call: OpenCall) -> bool:
        return call.index in self._in_chunk

    def _note(self, call: OpenCall, place: _Place) -> None:
        self._in_chunk.add(call.index)
        for at in (place, None):
            self._latest[at] = call
            if call.id:
                self._named[at, call.id] = call


def _longer_name(known: str, more: str) -> str:
    """Return a name of which more has come: its next part, or all of it so far."""
    if not more:
        return known
    return more if more.startswith(known) else (known + more)[:MAX_NAME_CHARS]


def _function_of(piece: Piece) -> Piece:
    function: object = piece.get("function")
    return cast(Piece, function) if isinstance(function, dict) else {}


def _arguments(value: object) -> str:
    """Return arguments as text; some servers send them as they are."""
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def _place(value: object) -> _Place:
    return value if isinstance(value, int | str) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
