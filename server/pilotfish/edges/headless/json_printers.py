"""Output of a run for programs.

Owns: the formats ``json`` and ``stream-json``.
See also: ``printers``.
"""

import json
from typing import Any, TextIO

from pilotfish.core.events import DecisionMade, EventRecord
from pilotfish.core.ids import SessionId
from pilotfish.core.passing_events import StateChanged
from pilotfish.edges.updates import UpdateMapper
from pilotfish.util.visible import hidden_characters


class JsonPrinter:
    """Prints the result alone, as one JSON object."""

    def __init__(self, stdout: TextIO) -> None:
        self._stdout = stdout

    def begin(self, session_id: SessionId) -> None:
        """Print nothing."""

    def hear(self, record: EventRecord) -> None:
        """Print nothing."""

    def end(self, result: dict[str, Any]) -> None:
        """Print the result."""
        _print_json(self._stdout, result)


class StreamJsonPrinter:
    """Prints one JSON object a line as things happen."""

    def __init__(self, stdout: TextIO) -> None:
        self._stdout = stdout
        self._mapper: UpdateMapper | None = None

    def begin(self, session_id: SessionId) -> None:
        """Print the session's line."""
        self._mapper = UpdateMapper(session_id)
        _print_json(self._stdout, {"type": "session", "session_id": session_id})

    def hear(self, record: EventRecord) -> None:
        """Print the event's lines."""
        match record.event:
            case StateChanged() as event:
                line = {"type": "state", "state": event.state, "waiting_for": event.waiting_for}
                _print_json(self._stdout, line)
            case DecisionMade() as event:
                _print_json(self._stdout, _permission_line(event))
            case _:
                for params in self._mapper.map(record) if self._mapper is not None else ():
                    line = {"type": "update", "update": params["update"], "_meta": params["_meta"]}
                    _print_json(self._stdout, line)

    def end(self, result: dict[str, Any]) -> None:
        """Print the result's line."""
        _print_json(self._stdout, result)


def _permission_line(event: DecisionMade) -> dict[str, Any]:
    return {
        "type": "permission",
        "decision": event.behavior,
        "tool": event.tool,
        "tool_call_id": event.tool_use_id,
        "phase": event.phase,
        "reason": event.reason,
    }


def _print_json(stdout: TextIO, value: dict[str, Any]) -> None:
    text = json.dumps(value, ensure_ascii=not _is_utf8(stdout))
    if not text.isascii() and hidden_characters(text):
        # Half characters have no UTF-8 form; JSON can escape them, and what a terminal would obey.
        text = json.dumps(value)
    stdout.write(text + "\n")
    stdout.flush()


def _is_utf8(stdout: TextIO) -> bool:
    return (getattr(stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
