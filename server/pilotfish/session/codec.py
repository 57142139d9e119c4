"""Events as JSON lines and back.

Owns: the form of a transcript line. Compatibility rule: a field may be added with a default, an
event kind may be added; a line of an unknown kind is skipped by whoever reads. A change that older
versions would misread gets a new ``core.events.TRANSCRIPT_FORMAT``.
"""

import json
from functools import cache
from typing import Annotated, cast

from pydantic import Discriminator, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python

from pilotfish.core.events import EventRecord, SessionEvent
from pilotfish.core.ids import AgentId, ToolUseId, TurnId
from pilotfish.util import strict_json
from pilotfish.util.records import dataclass

_KIND_MARK = b'"type":"'

_LINE_START = b'{"seq":'

_NO_NUMBERS = (b"Infinity", b"NaN")
"""What earlier versions took for a number: no request could be sent with it any more."""

_LONGEST_WORD = len("\\u0000")
"""What JSON knows only as a whole, an escape or a word: where it is cut, its beginning is the mistake."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Line:
    """An ``EventRecord`` whose event is told by its ``type``: ten times as fast as trying them all."""

    seq: int
    time_ms: int
    event: Annotated[SessionEvent, Discriminator("type")]
    turn_id: TurnId | None = None
    agent_id: AgentId
    parent_tool_use_id: ToolUseId | None = None


@cache
def _adapter() -> TypeAdapter[_Line]:
    """Build what reads lines on first use: it compiles the whole union, which takes a while.

    Nothing of it is needed to write them: that takes half the time, and a run that resumes nothing
    spares the building.
    """
    return TypeAdapter(_Line)


def to_line(record: EventRecord) -> bytes:
    """Return the record as one line of JSON, newline included."""
    line = _Line(
        seq=record.seq,
        time_ms=record.time_ms,
        event=record.event,
        turn_id=record.turn_id,
        agent_id=record.agent_id,
        parent_tool_use_id=record.parent_tool_use_id,
    )
    try:
        return to_json(line) + b"\n"
    except PydanticSerializationError:
        # A lone surrogate, from a file name that is no UTF-8 say, has no UTF-8 form; JSON can
        # escape it, and one such text must not stop the transcript.
        return json.dumps(to_jsonable_python(line), separators=(",", ":")).encode() + b"\n"


def from_line(line: bytes) -> EventRecord | None:
    """Return the record of a line, or None when it is damaged or of an unknown kind."""
    if not any(word in line for word in _NO_NUMBERS):
        try:
            return _record(_adapter().validate_json(line))
        except ValidationError:
            pass
    try:
        return _record(_adapter().validate_python(strict_json.loads_lenient(line)))
    except (ValueError, RecursionError):
        return None


def is_foreign(line: bytes) -> bool:
    """Tell whether a line that gives no record is whole: an event of another version."""
    try:
        plain = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(plain, dict):
        return False
    return isinstance(cast("dict[str, object]", plain).get("event"), dict)


def is_beginning(line: bytes) -> bool:
    """Tell whether a line is the first part of one, as a process that was killed leaves it."""
    if not line.startswith(_LINE_START[: len(line.rstrip())]):
        return False
    text = line.decode("utf-8", "ignore").rstrip()
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text) - _LONGEST_WORD or error.msg.startswith("Unterminated")
    except (ValueError, RecursionError):
        return False
    return False


def kind_of(line: bytes) -> bytes:
    """Return what kind of event a line of ours holds, without reading all of it.

    The event's ``type`` is the last key of that name: only ids follow it. For a damaged line the
    answer means nothing.
    """
    at = line.rfind(_KIND_MARK)
    if at < 0:
        return b""
    start = at + len(_KIND_MARK)
    return line[start : line.find(b'"', start)]


def warm_up() -> None:
    """Compile what reads lines ahead of the first one. Takes tens of milliseconds."""
    _adapter()


def _record(line: _Line) -> EventRecord:
    return EventRecord(
        seq=line.seq,
        time_ms=line.time_ms,
        event=line.event,
        turn_id=line.turn_id,
        agent_id=line.agent_id,
        parent_tool_use_id=line.parent_tool_use_id,
    )
