"""Where the model's memory of a very long session begins when it is opened again.

Owns: how much of a transcript a request can hold at the most, finding the turn to begin with, and what
is left out of a turn that alone is longer.
Does not own: reading it (``session.transcript_reader``). Blocks on the disk.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO

from pilotfish.core.events import BlockFinished, EventRecord, ResultShortened, ToolFinished
from pilotfish.core.jsontypes import JsonValue
from pilotfish.core.messages import ImageBlock, TextBlock, ToolUseBlock
from pilotfish.session import codec
from pilotfish.util.records import dataclass

CUT_ABOVE = 24_000_000
"""Weight above which a conversation is cut. The largest windows hold a million tokens, of which four
letters make one; lines hold what people see beside it."""

KEPT_WEIGHT = 12_000_000
"""What stays then, so that the next cut is far away."""

MAX_KEPT_BYTES = 96_000_000
"""Most of a file that may be kept, pictures included."""

MEDIA_WEIGHT = 10_000
"""What a picture or document weighs, however long its base64: a model pays by its size and pages."""

STEP_WEIGHT = 500_000
"""How exactly the place in a turn is found from which on it stays whole."""

MAX_PART_CHARS = 2_000
"""What a result or a part of an input may hold where the rest of its turn is too long."""

LEFT_OUT = (
    "[left out: this turn became too long to be kept whole when the session was opened again; "
    "look again if you need it]"
)

_CONTENT, _DISPLAY, _DURATION = b'"content":[', b'"display":[', b'"duration_ms":'
_LEFT_OUT_CONTENT = b'"content":[{"text":' + json.dumps(LEFT_OUT).encode() + b',"type":"text"}],'

_MEDIA = re.compile(rb'"media_type":"')
_SEQ = re.compile(rb'\{"seq":(\d+),')


@dataclass(frozen=True, kw_only=True, slots=True)
class Beginning:
    """Where the model's memory begins, and how much of it is whole."""

    first: int
    """The event to begin with, the first of a turn."""
    full_from: int = 0
    """Long results and inputs before this event are left out: its turn alone is longer than all that
    should stay. 0: none are."""


def find_cut(file: BinaryIO, first: int) -> Beginning | None:
    """Return where to begin; None where all may stay.

    Args:
        file: The transcript.
        first: The first event that counts.
    """
    size = file.seek(0, 2)
    if size <= CUT_ABOVE:
        return None
    start = max(0, size - MAX_KEPT_BYTES)
    turns: list[tuple[int, int]] = []
    steps: list[tuple[int, int]] = []
    weight = seq = 0
    is_whole = start == 0
    for seq, line in _lines_from(file, start):
        if seq < first:
            is_whole = True
            continue
        if codec.kind_of(line) == b"turn_started":
            turns.append((seq, weight))
        if not steps or weight - steps[-1][1] >= STEP_WEIGHT:
            steps.append((seq, weight))
        weight += _weight(line)
    if weight <= CUT_ABOVE and is_whole:
        return None
    fitting = [seq for seq, before in turns if weight - before <= KEPT_WEIGHT]
    if fitting:
        return Beginning(first=fitting[0])
    # One turn is longer than all that should stay.
    last = turns[-1][0] if turns else _last_turn(file, first)
    full = [seq for seq, before in steps if weight - before <= KEPT_WEIGHT]
    return None if last is None else Beginning(first=last, full_from=full[0] if full else seq + 1)


def without_long_parts(record: EventRecord) -> EventRecord:
    """Return an event with only as much of its result or input as says what it was about."""
    match record.event:
        case ToolFinished(content=content) as event if _chars_of(content) > MAX_PART_CHARS:
            left_out = TextBlock(text=LEFT_OUT)
            return replace(record, event=replace(event, content=(left_out,), display=()))
        case ToolFinished() as event:
            return replace(record, event=replace(event, display=()))
        case ResultShortened(content=content) as event if _chars_of(content) > MAX_PART_CHARS:
            return replace(record, event=replace(event, content=(TextBlock(text=LEFT_OUT),)))
        case BlockFinished(block=ToolUseBlock() as block) as event:
            given = {key: _shortened(value) for key, value in block.input.items()}
            return replace(record, event=replace(event, block=replace(block, input=given)))
        case _:
            return record


def without_long_result(line: bytes) -> bytes:
    """Return the line of a call's end with a long result left out, so that reading it takes no time.

    Other lines come back as they are; what ``without_long_parts`` makes of the event stays the same.
    """
    if len(line) <= MAX_PART_CHARS or codec.kind_of(line) != b"tool_finished":
        return line
    # Inside a text every quote is escaped, so these can only be the event's own keys.
    content, display = line.find(_CONTENT), line.find(_DISPLAY)
    end = line.rfind(_DURATION)
    if not 0 <= content < display < end or not line.endswith(b"}\n"):
        return line
    # A letter has at most twelve bytes, when two halves of it are escaped.
    is_long = display - content > 12 * MAX_PART_CHARS
    result = _LEFT_OUT_CONTENT if is_long else line[content:display]
    return line[:content] + result + b'"display":[],' + line[end:]


def _chars_of(content: Iterable[TextBlock | ImageBlock]) -> int:
    return sum(len(one.text if isinstance(one, TextBlock) else one.data) for one in content)


def _shortened(value: JsonValue) -> JsonValue:
    if isinstance(value, str) and len(value) > MAX_PART_CHARS:
        return LEFT_OUT
    if isinstance(value, dict):
        return {key: _shortened(one) for key, one in value.items()}
    return [_shortened(one) for one in value] if isinstance(value, list) else value


def _last_turn(file: BinaryIO, first: int) -> int | None:
    """Return the first event of the last turn, wherever it is; None when there is no turn."""
    found: int | None = None
    for seq, line in _lines_from(file, 0):
        if seq >= first and codec.kind_of(line) == b"turn_started":
            found = seq
    return found


def _weight(line: bytes) -> int:
    media = len(_MEDIA.findall(line))
    return media * MEDIA_WEIGHT if media else len(line)


def _lines_from(file: BinaryIO, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield whole lines with their events' places."""
    file.seek(start)
    if start:
        file.readline()
    for line in file:
        seq = _SEQ.match(line)
        if seq is not None:
            yield int(seq[1]), line
