"""Reading a recording.

Owns: which line belongs to which turn, and that what is no recording is said to be none.
Does not own: playing it (``session.replay``), writing it (``session.recording``). Blocks on the disk.
"""

import json
from collections import deque
from dataclasses import field
from pathlib import Path
from typing import Any

from pilotfish.core.errors import SessionError
from pilotfish.core.ids import MAIN_AGENT
from pilotfish.core.jsontypes import JsonObject
from pilotfish.engine.conversation import ConversationState
from pilotfish.session.recording import RECORDING_FORMAT, state_adapter
from pilotfish.util.records import dataclass


@dataclass(kw_only=True)
class RecordedDecisions:
    """How one call was decided."""

    judgements: list[JsonObject] = field(default_factory=list[JsonObject])
    """What the chain said, in order: again after each change of rules while the call waited."""
    answers: deque[JsonObject] = field(default_factory=deque[JsonObject])
    """What the user said."""
    changed: deque[JsonObject] = field(default_factory=deque[JsonObject])
    """What the user made of the call."""
    by_agent: bool = False
    """Whether a sub-agent made the call: its turn goes on after a refusal."""


@dataclass(kw_only=True)
class RecordedTurn:
    """One turn of a recording."""

    settings: JsonObject
    by_agent: bool = False
    recalled: ConversationState | None = None
    """What was said before, where an earlier process or a skill has said it."""
    calls: deque[JsonObject] = field(default_factory=deque[JsonObject])
    """Model calls in their order."""
    prepared: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    outcomes: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    events: list[JsonObject] = field(default_factory=list[JsonObject])
    decisions: dict[str, RecordedDecisions] = field(default_factory=dict[str, RecordedDecisions])
    """How calls were decided; older recordings did not say."""


def read_recording(path: Path) -> list[RecordedTurn]:
    """Return the turns of a recording. Blocks on the disk.

    Raises:
        SessionError: It is no recording, or one of a newer form.
    """
    try:
        # Not by every mark that may end a line: such marks stand in texts as they are.
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        head, rest = lines[0], lines[1:]
        known = head["type"] == "recording" and head["format"] <= RECORDING_FORMAT
        by_agent = head.get("agent", MAIN_AGENT) != MAIN_AGENT
        turns = _turns(rest, by_agent=by_agent) if known else []
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise SessionError(f"{path} is no recording: {error}.") from error
    if not known:
        raise SessionError(f"{path} was recorded by a newer Pilotfish.", hint="Update Pilotfish.")
    return turns


def _turns(lines: list[dict[str, Any]], *, by_agent: bool) -> list[RecordedTurn]:
    turns: list[RecordedTurn] = []
    waiting: list[JsonObject] = []
    recalled: ConversationState | None = None
    standings: dict[int, JsonObject] = {}
    for line in lines:
        kind = line["type"]
        if kind == "recording":
            pass  # an agent goes on that had ended
        elif kind == "recalled":
            # What happened before it is part of it.
            recalled, waiting = state_adapter().validate_python(line["state"]), []
        elif kind == "settings":
            turns.append(
                RecordedTurn(
                    settings=line["settings"], by_agent=by_agent, recalled=recalled, events=waiting
                )
            )
            recalled, waiting = None, []
        elif kind == "standing":
            standings[line["number"]] = line["standing"]
        elif kind == "judgement":
            _decisions(turns[-1], line).judgements.append(
                {**line, "standing": standings[line["standing"]]}
            )
        elif kind == "event" and (line["event"]["type"] == "turn_started" or not turns or waiting):
            # A turn's first events come before its settings are known.
            waiting.append(line["event"])
        else:
            _take(turns[-1], line)
    return turns


def _take(turn: RecordedTurn, line: dict[str, Any]) -> None:
    match line["type"]:
        case "model_call":
            turn.calls.append(line)
        case "call":
            turn.prepared[line["id"]] = line
        case "outcome":
            turn.outcomes[line["id"]] = line["outcome"]
        case "event":
            turn.events.append(line["event"])
        case "answer":
            _decisions(turn, line).answers.append(line["answer"])
        case "changed":
            _decisions(turn, line).changed.append(line)
        case _:
            pass


def _decisions(turn: RecordedTurn, line: dict[str, Any]) -> RecordedDecisions:
    return turn.decisions.setdefault(line["id"], RecordedDecisions(by_agent=turn.by_agent))
