"""Copying a session.

Owns: which events the copy has: all up to the end of the last whole turn, or up to a prompt.
Does not own: where transcripts are (``session.transcript_store``). Blocks on the disk.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pilotfish.core.errors import SessionError
from pilotfish.core.events import (
    EventRecord,
    PromptSubmitted,
    SessionCreated,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import MessageId, SessionId, TurnId
from pilotfish.session import codec
from pilotfish.session.transcript_reader import read_records


def copy_transcript(
    source: Path,
    target: Path,
    session_id: SessionId,
    before: MessageId | None,
    unwritten: Sequence[EventRecord] = (),
) -> frozenset[TurnId]:
    """Write the copy of a transcript under another id.

    Args:
        source: The transcript.
        target: A file that is not there yet.
        session_id: The copy's id.
        before: The first prompt that the copy has not; None for all whole turns.
        unwritten: The session's latest events where they could not be written: what stands in the file
            in their place is somebody else's.

    Returns:
        The turns that the copy has.

    Raises:
        SessionError: There is no such prompt.
        OSError: A file cannot be read or written.
    """
    return write_copy(target, events_to_copy(source, before, unwritten), session_id)


def write_copy(
    target: Path, records: Iterable[EventRecord], session_id: SessionId
) -> frozenset[TurnId]:
    """Write events as those of another session, which knows whose copy it is.

    Args:
        target: A file that is not there yet.
        records: The events.
        session_id: The copy's id.

    Returns:
        The turns among them.

    Raises:
        OSError: A file cannot be read or written.
    """
    turns: set[TurnId] = set()

    def copied() -> Iterator[EventRecord]:
        for record in records:
            event = record.event
            if isinstance(event, SessionCreated):
                forked = replace(event, session_id=session_id, forked_from=event.session_id)
                yield replace(record, event=forked)
                continue
            if isinstance(event, TurnStarted):
                turns.add(event.turn_id)
            yield record

    write_transcript(target, copied())
    return frozenset(turns)


def write_transcript(target: Path, records: Iterable[EventRecord]) -> None:
    """Write a whole transcript; the file is there once all of it is on disk, or not at all.

    Raises:
        OSError: It cannot be written.
    """
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = target.with_suffix(".part")
    try:
        with unfinished.open("xb") as file:
            for record in records:
                file.write(codec.to_line(record))
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    finally:
        with suppress(OSError):  # where nothing can be written, nothing can be removed either
            unfinished.unlink()


def events_to_copy(
    source: Path, before: MessageId | None = None, unwritten: Sequence[EventRecord] = ()
) -> Iterator[EventRecord]:
    """Yield what a copy has: all up to the end of the last whole turn, or up to a prompt.

    Raises:
        SessionError: There is no such prompt.
        OSError: The file cannot be read.
    """
    end = end_of_copy(_events_of(source, unwritten), before)
    for record in _events_of(source, unwritten):
        if record.seq > end:
            return
        yield record


def _events_of(source: Path, unwritten: Sequence[EventRecord]) -> Iterator[EventRecord]:
    """Yield a session's events: those of its file, and then those that are not in it."""
    for record in read_records(source):
        if unwritten and record.seq >= unwritten[0].seq:
            break
        yield record
    yield from unwritten


def end_of_copy(records: Iterable[EventRecord], before: MessageId | None = None) -> int:
    """Return the last event that a copy has.

    Raises:
        SessionError: There is no such prompt.
    """
    whole = last = 0
    started = 0
    is_open = False
    for record in records:
        match record.event:
            case TurnStarted():
                is_open, started = True, record.seq
            case TurnEnded():
                is_open = False
            case PromptSubmitted(message_id=prompt) if prompt == before:
                if not is_open:
                    return last
                return started - 1
            case _:
                pass
        last = record.seq
        if not is_open:
            whole = last
    if before is not None:
        raise SessionError("That prompt is not part of the session.")
    return whole
