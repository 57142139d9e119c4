"""Reading transcripts: line by line, whole or in pages, of any size.

Owns: which lines count, what is told of those that do not, and how a long file is read without all of
it: what lies before the last point where the model forgot everything matters in outline only.
Does not own: the form of a line (``session.codec``), what events mean. Blocks on the disk.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import BinaryIO

from pilotfish.core.errors import SessionError
from pilotfish.core.events import (
    TRANSCRIPT_FORMAT,
    ContextCleared,
    EventRecord,
    PromptSubmitted,
    SessionCreated,
    TurnStarted,
)
from pilotfish.core.ids import MessageId, ToolUseId
from pilotfish.session import codec
from pilotfish.session.transcript_cut import (
    CALL_BLOCK,
    Beginning,
    find_cut,
    without_long_parts,
    without_long_result,
)
from pilotfish.util.records import dataclass

MARK_BYTES = 256 * 1024
"""Distance of the places in a file that are remembered."""

CHUNK_BYTES = 4 * 1024 * 1024
"""How much is read at once while looking for something from the end."""

BUFFER_BYTES = 1024 * 1024
"""How much is read at once while going through a whole file beside other work: after each read this
thread waits for its turn again."""

MAX_OUTLINE_CALL_BYTES = 16 * 1024
"""A call with a longer line is left out of the outline; only its title would be of use."""

FORGETTING_KINDS = (b"context_cleared",)
"""Events after which nothing that came before reaches the model."""

_CONTENT_KINDS = frozenset({b"block_finished", b"tool_finished", b"result_shortened"})
"""What makes a transcript long, and what nobody but the model's conversation is made of."""

_SEQ = re.compile(rb'\{"seq":(\d+),')
_FINISHED_CALL = re.compile(
    rb'\{"seq":\d+,"time_ms":\d+,"event":\{"tool_use_id":"([^"\\]+)","status"'
)
_TAIL_BYTES = 2 * 1024
"""The end of a line holds at least what follows a call's texts."""

_DURATION = re.compile(rb'"duration_ms":(\d+),"type":"tool_finished"\}')


@dataclass
class TranscriptIndex:
    """Where in a file to begin reading for an event; grows with the file."""

    seqs: list[int] = field(default_factory=list[int])
    offsets: list[int] = field(default_factory=list[int])

    def note(self, seq: int, offset: int) -> None:
        """Remember where a line begins, unless a place nearby is known."""
        if not self.offsets or offset >= self.offsets[-1] + MARK_BYTES:
            self.seqs.append(seq)
            self.offsets.append(offset)

    def place_of(self, seq: int) -> int:
        """Return a place at or before an event."""
        at = bisect_right(self.seqs, seq) - 1
        return self.offsets[at] if at >= 0 else 0

    def place_before(self, offset: int, size: int) -> int:
        """Return a place at least ``size`` bytes before another; the beginning if there is none."""
        at = bisect_right(self.offsets, max(0, offset - size)) - 1
        return self.offsets[at] if at >= 0 else 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Cut:
    """Where what the model knows begins from now on."""

    prompt: MessageId
    seq: int
    """The first event of that prompt's turn."""


@dataclass(kw_only=True)
class Reading:
    """What came of reading a transcript."""

    created: SessionCreated | None = None
    cwd: str = ""
    """The session's folder; empty where nothing tells it."""
    model: str = ""
    """The model of its first turn."""
    damaged: int = 0
    """Lines that hold nothing that can be read, a torn last one left out."""
    foreign: int = 0
    """Whole lines of an unknown kind, from another version."""
    repeated: int = 0
    """Lines whose place in the session was taken already: two processes have written."""
    torn: bool = False
    """Whether the last line was cut off in the middle, as a crash does it."""
    size: int = 0
    """Length of the file in bytes."""
    index: TranscriptIndex = field(default_factory=TranscriptIndex)
    last_seq: int = 0
    cut: "Cut | None" = None
    """Set when the model's part of it was so long that only the latest was read whole."""
    shortened: bool = False
    """Whether the last turn is so long that older results of it are left out."""
    forgot_steps: bool = False
    """Whether its oldest steps are left out altogether."""

    def problem(self) -> str:
        """Return what the user should know; empty when all is well."""
        counted = (
            (self.damaged, "damaged"),
            (self.foreign, "of another version of Pilotfish"),
            (self.repeated, "that another process wrote into it"),
        )
        parts = [f"{_lines(count)} {what}" for count, what in counted if count]
        told = (
            [f"The history of this session has gaps; left out: {', '.join(parts)}."]
            if parts
            else []
        )
        if self.cut is not None:
            told.append(
                "This session is too long to be kept whole: the model knows only its latest turns "
                "from here on. You still see all of it."
            )
        if self.shortened:
            told.append(
                "The last turn is too long to be kept whole: of its older results the model knows only "
                "that there were some"
                + (", and of its oldest steps nothing." if self.forgot_steps else ".")
            )
        return " ".join(told)

    def take(self, line: bytes, offset: int) -> EventRecord | None:
        """Return the event of a line if it counts; keeps account of what does not."""
        record = codec.from_line(line)
        if record is None:
            self._reject(line)
            return None
        if record.seq <= self.last_seq:
            self.repeated += 1
            return None
        self.last_seq = record.seq
        self.index.note(record.seq, offset)
        match record.event:
            case SessionCreated() as event if self.created is None:
                self.created, self.cwd = event, event.cwd
            case TurnStarted(cwd=cwd, model=model):
                self.cwd, self.model = self.cwd or cwd, self.model or model
            case _:
                pass
        return record

    def _reject(self, line: bytes) -> None:
        if not line.strip():
            return
        if not line.endswith(b"\n"):
            self.torn = True
        elif codec.is_foreign(line):
            self.foreign += 1
        elif codec.is_beginning(line):
            # The last line of a process that was killed, with the next one's lines after it.
            self.torn = True
        else:
            self.damaged += 1


class Folds:
    """What a transcript is folded into while it is read."""

    def __init__(
        self,
        *,
        whole: Callable[[EventRecord], None],
        outline: Callable[[EventRecord], None],
        call_known: Callable[[ToolUseId], None],
        call_ended: Callable[[ToolUseId, int], None],
    ) -> None:
        """Name the folds.

        Args:
            whole: Takes an event that the model may still know of.
            outline: Takes one from before, for all but the model's conversation.
            call_known: Hears of a call from before.
            call_ended: Hears that one has its result, and how many milliseconds it took.
        """
        self.whole = whole
        self.outline = outline
        self.call_known = call_known
        self.call_ended = call_ended


def read_records(path: Path, reading: Reading | None = None) -> Iterator[EventRecord]:
    """Yield the events of a transcript, the oldest first."""
    reading = reading or Reading()
    with path.open("rb", buffering=BUFFER_BYTES) as file:
        for offset, line in _lines_of(file, 0):
            record = reading.take(line, offset)
            if record is not None:
                yield record


def load_transcript(path: Path, folds: Folds) -> Reading:
    """Read a transcript into a session.

    Raises:
        SessionError: A newer version has written it, in a way that this one would misread.
    """
    reading = Reading()
    with path.open("rb", buffering=BUFFER_BYTES) as file:
        beginning, is_cut = _first_whole(file)
        first = beginning.first
        is_old = first > 0
        reading.shortened = beginning.full_from > 0
        reading.forgot_steps = beginning.steps_from > 0
        for offset, line in _lines_of(file, 0):
            seq = _seq_of(line) or 0
            is_old = is_old and seq < first
            is_outline = is_old or seq < beginning.steps_from
            if is_outline and _outlined(line, offset, reading, folds):
                continue
            is_short = not is_old and seq < beginning.full_from
            record = reading.take(without_long_result(line) if is_short else line, offset)
            if record is None:
                continue
            check_format(record, path)
            is_prompt = not is_old and isinstance(record.event, PromptSubmitted)
            if is_outline and not is_prompt:
                folds.outline(record)
            else:
                folds.whole(without_long_parts(record) if is_short else record)
            if is_cut and is_prompt and isinstance(record.event, PromptSubmitted):
                reading.cut = Cut(prompt=record.event.message_id, seq=first)
                is_cut = False
        reading.size = file.tell()
    return reading


def _first_whole(file: BinaryIO) -> tuple[Beginning, bool]:
    """Return where what the model may know of begins, and whether it is to be cut before."""
    place = _last_of(file, FORGETTING_KINDS, 0)
    first = 0
    if place is not None:
        file.seek(place)
        first = _kept_from(file.readline())
    cut = find_cut(file, first)
    return (Beginning(first=first), False) if cut is None else (cut, cut.first > first)


def _kept_from(line: bytes) -> int:
    """Return the first event that the model knows of after it has forgotten something."""
    record = codec.from_line(line)
    if record is None:
        return 0
    kept = record.event.kept_seq if isinstance(record.event, ContextCleared) else 0
    return kept or record.seq


def index_of(path: Path) -> tuple[TranscriptIndex, int, int]:
    """Look through a transcript without reading what is in it.

    Returns:
        Where to begin reading, the place of the last event, and the length of the file in bytes.
    """
    index, latest, size = TranscriptIndex(), 0, 0
    with path.open("rb", buffering=BUFFER_BYTES) as file:
        for offset, line in _lines_of(file, 0):
            seq = _SEQ.match(line)
            size = offset + len(line)
            if seq is not None and int(seq[1]) > latest and line.endswith(b"}\n"):
                latest = int(seq[1])
                index.note(latest, offset)
    return index, latest, size


def read_page(path: Path, start: int, before_seq: int) -> list[EventRecord]:
    """Return the events from a place in the file up to one that is known already."""
    found: list[EventRecord] = []
    reading = Reading()
    with path.open("rb") as file:
        for offset, line in _lines_of(file, start):
            seq = _SEQ.match(line)
            if seq is not None and int(seq[1]) >= before_seq:
                break
            record = reading.take(line, offset)
            if record is not None:
                found.append(record)
    return found


def _outlined(line: bytes, offset: int, reading: Reading, folds: Folds) -> bool:
    """Take a long line from before the boundary without reading it; False when it must be read."""
    kind = codec.kind_of(line)
    if kind == b"tool_started":
        skip = len(line) > MAX_OUTLINE_CALL_BYTES
    elif kind in _CONTENT_KINDS:
        skip = True
    else:
        return False
    seq = _SEQ.match(line)
    if not skip or seq is None or not line.endswith(b"}\n") or int(seq[1]) <= reading.last_seq:
        return False
    reading.last_seq = int(seq[1])
    reading.index.note(reading.last_seq, offset)
    call = CALL_BLOCK.match(line)
    if call is not None:
        folds.call_known(ToolUseId(call[1].decode()))
    ended = _FINISHED_CALL.match(line)
    if ended is not None:
        # A call's text cannot look like this: its quotes are escaped.
        took = _DURATION.search(line, max(ended.end(), len(line) - _TAIL_BYTES))
        folds.call_ended(ToolUseId(ended[1].decode()), 0 if took is None else int(took[1]))
    return True


def last_seq(path: Path) -> int:
    """Return the place of the last event in a transcript; 0 when there is none."""
    with path.open("rb") as file:
        end = file.seek(0, 2)
        while end > 0:
            start = _line_start(file, end - 1)
            file.seek(start)
            record = codec.from_line(file.read(end - start))
            if record is not None:
                return record.seq
            end = start
    return 0


def place_before_end(path: Path, size: int) -> int:
    """Return where the line begins that is at least so many bytes before the end; 0 if there is none."""
    with path.open("rb") as file:
        end = file.seek(0, 2)
        return 0 if end <= size else _line_start(file, end - size)


def last_line_of_kind(file: BinaryIO, kind: bytes, since: int = 0) -> bytes | None:
    """Return the last line of one kind of event that begins at or after a place; None if none."""
    begin = _last_of(file, (kind,), since)
    if begin is None:
        return None
    file.seek(begin)
    return file.readline()


def _last_of(file: BinaryIO, kinds: Sequence[bytes], since: int) -> int | None:
    """Return where the last line begins that holds an event of some kinds; None if there is none."""
    marks = [b'"type":"' + kind + b'"' for kind in kinds]
    overlap = max(len(mark) for mark in marks)
    end = file.seek(0, 2)
    while end > since:
        start = max(since, end - CHUNK_BYTES)
        file.seek(start)
        chunk = file.read(end - start + overlap)
        at = max(chunk.rfind(mark) for mark in marks)
        while at >= 0:
            begin = _line_start(file, start + at)
            file.seek(begin)
            # The mark may be the input of a call; what the line is about decides.
            if begin >= since and codec.kind_of(file.readline()) in kinds:
                return begin
            at = max(chunk.rfind(mark, 0, max(0, begin - start)) for mark in marks)
        end = start
    return None


def _seq_of(line: bytes) -> int | None:
    found = _SEQ.match(line)
    return None if found is None else int(found[1])


def _line_start(file: BinaryIO, offset: int) -> int:
    """Return where the line begins that holds a place."""
    end = offset
    while end > 0:
        start = max(0, end - MARK_BYTES)
        file.seek(start)
        at = file.read(end - start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def _lines_of(file: BinaryIO, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield each line with the place where it begins."""
    file.seek(start)
    offset = start
    for line in file:
        yield offset, line
        offset += len(line)


def check_format(record: EventRecord, path: Path) -> None:
    """Refuse what this version would misread.

    Raises:
        SessionError: A newer version has written the transcript.
    """
    event = record.event
    if isinstance(event, SessionCreated) and event.format > TRANSCRIPT_FORMAT:
        raise SessionError(
            f"{path.name} was written by Pilotfish {event.version}, in a form that this version does "
            f"not know ({event.format}; it knows {TRANSCRIPT_FORMAT}).",
            hint="Update Pilotfish to go on with this session.",
        )


def problem_of(reading: Reading, path: Path) -> str:
    """Return what the user should know of a transcript; empty when all is well."""
    if reading.created is not None:
        return reading.problem()
    return (
        f"The first line of {path} is lost. The conversation goes on, but what this session must not do, and "
        "what was added to its instructions, stood in that line and no longer holds. It asks before it acts. "
        f"{reading.problem()}"
    ).strip()


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
