"""Where the model's memory of a very long session begins when it is opened again.

Owns: how much of a transcript a request can hold at the most, finding the turn to begin with, and what
is left out of a turn that alone is longer.
Does not own: reading it (``session.transcript_reader``). Blocks on the disk.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import field, replace
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

SHORT_WEIGHT = 4_000_000
"""What stays of such a turn before that place, with long results and inputs left out."""

SHORT_STEP_WEIGHT = 50_000
"""How exactly it is found where that begins."""

MAX_PART_CHARS = 2_000
"""What a result or a part of an input may hold where the rest of its turn is too long."""

LEFT_OUT = (
    "[left out: this turn became too long to be kept whole when the session was opened again; "
    "look again if you need it]"
)

_CONTENT, _DISPLAY, _DURATION = b'"content":[', b'"display":[', b'"duration_ms":'
_LEFT_OUT_CONTENT = b'"content":[{"text":' + json.dumps(LEFT_OUT).encode() + b',"type":"text"}],'

CALL_BLOCK = re.compile(
    rb'\{"seq":\d+,"time_ms":\d+,"event":\{"message_id":"[^"]*","block_index":\d+,'
    rb'"block":\{"id":"([^"\\]+)"'
)
"""The line of a call, with its id."""

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
    steps_from: int = 0
    """Of the steps before this event the model knows nothing: even without long parts they are more
    than a request can hold. 0: there are none."""


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
    scan = _Scan.of(file, start, first)
    if scan.weight <= CUT_ABOVE and (start == 0 or scan.from_first):
        return None
    fitting = [seq for seq, before in scan.turns if scan.weight - before <= KEPT_WEIGHT]
    if fitting:
        return Beginning(first=fitting[0])
    if not scan.turns:
        scan = _Scan.of(file, 0, first)
    return scan.within_last_turn() if scan.turns else None


@dataclass(kw_only=True)
class _Scan:
    """What lines weigh, from some place of a transcript to its end."""

    from_first: bool = False
    """Whether the first event that counts is among them."""
    turns: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """The first event of each turn, and what lies before it."""
    places: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    """Events some way apart, with what lies before, whole and without long parts."""
    replies: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Beginnings of replies of the last turn, some way apart, with what lies before without long parts."""
    weight: int = 0
    short: int = 0
    last: int = 0
    replied: bool = False
    """Whether the next block is the first one of a reply."""

    @classmethod
    def of(cls, file: BinaryIO, start: int, first: int) -> "_Scan":
        """Look through whole lines from a place on.

        Args:
            file: The transcript.
            start: The place, in bytes.
            first: The first event that counts.
        """
        scan = cls()
        for seq, line in _lines_from(file, start):
            if seq < first:
                scan.from_first = True
            else:
                scan._add(seq, line)
        return scan

    def within_last_turn(self) -> Beginning:
        """Return what stays where the last turn alone is longer than all that should."""
        full, short = next(
            (
                (seq, short)
                for seq, before, short in self.places
                if self.weight - before <= KEPT_WEIGHT
            ),
            (self.last + 1, self.short),
        )
        fitting = [seq for seq, before in self.replies if short - before <= SHORT_WEIGHT]
        steps = fitting[:1] or [seq for seq, _ in self.replies[-1:]]
        is_all = not self.replies or steps[0] == self.replies[0][0]
        return Beginning(
            first=self.turns[-1][0], full_from=full, steps_from=0 if is_all else steps[0]
        )

    def _add(self, seq: int, line: bytes) -> None:
        kind = codec.kind_of(line)
        if kind == b"turn_started":
            self.turns.append((seq, self.weight))
            self.replies.clear()
            self.replied = True
        elif kind == b"block_finished" and self.replied:
            self.replied = False
            if not self.replies or self.short - self.replies[-1][1] >= SHORT_STEP_WEIGHT:
                self.replies.append((seq, self.short))
        elif kind == b"reply_finished":
            self.replied = True
        if not self.places or self.weight - self.places[-1][1] >= STEP_WEIGHT:
            self.places.append((seq, self.weight, self.short))
        self.weight += _weight(line)
        self.short += _short_weight(kind, line)
        self.last = seq


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


def _weight(line: bytes) -> int:
    media = len(_MEDIA.findall(line))
    return media * MEDIA_WEIGHT if media else len(line)


def _short_weight(kind: bytes, line: bytes) -> int:
    """Return what a line weighs once its long parts are left out."""
    if kind == b"tool_finished" or CALL_BLOCK.match(line):
        return min(len(line), MAX_PART_CHARS)
    return len(line) if kind == b"block_finished" else 0


def _lines_from(file: BinaryIO, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield whole lines with their events' places."""
    file.seek(start)
    if start:
        file.readline()
    for line in file:
        seq = _SEQ.match(line)
        if seq is not None:
            yield int(seq[1]), line
