"""Events as JSON lines and back.

Owns: the form of a transcript line. Compatibility rule: a field may be added with a default, an
event kind may be added; a line of an unknown kind is skipped by ``session.transcript``.
"""

import json
from functools import cache

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from pilotfish.core.events import EventRecord


@cache
def _adapter() -> TypeAdapter[EventRecord]:
    """Build the adapter on first use: it compiles the whole union, which takes a while."""
    return TypeAdapter(EventRecord)


def to_line(record: EventRecord) -> bytes:
    """Return the record as one line of JSON, newline included."""
    try:
        return _adapter().dump_json(record) + b"\n"
    except PydanticSerializationError:
        # A lone surrogate, from a file name that is no UTF-8 say, has no UTF-8 form; JSON can
        # escape it, and one such text must not stop the transcript.
        plain = _adapter().dump_python(record, mode="json")
        return json.dumps(plain, separators=(",", ":")).encode() + b"\n"


def from_line(line: bytes) -> EventRecord | None:
    """Return the record of a line, or None when it is torn or of an unknown kind."""
    try:
        return _adapter().validate_json(line)
    except ValidationError:
        pass
    try:
        return _adapter().validate_python(json.loads(line))
    except (ValueError, RecursionError):
        return None


def warm_up() -> None:
    """Compile the adapter ahead of the first event. Takes tens of milliseconds."""
    _adapter()
