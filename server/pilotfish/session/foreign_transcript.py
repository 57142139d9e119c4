"""Taking in a transcript that lies somewhere else: a backup, another machine's, one out of a report.

Owns: what of it becomes part of a new session. Nobody knows who has written the file, so that only what was
said and done comes along: no rule, no mode, no words for the system prompt, no worktree, no agent and nothing
that still ran. Tools that were withheld stay withheld. The new session asks (mode ``default``) even where the
settings begin new ones more freely: what the file makes the model believe is nobody's word here. Where they
begin them in a stricter mode, whoever opens it holds it to that. A file whose first line is lost goes on,
too, as it does in its own place: only what stood in that line is lost. Whoever goes on with it can choose a mode,
with ``--permission-mode`` from the start.
Does not own: where transcripts are (``session.transcript_store``). Blocks on the disk.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pilotfish import __version__
from pilotfish.core.agent_events import AgentSpent
from pilotfish.core.commands import CommandAnswered, CommandTyped
from pilotfish.core.errors import SessionError
from pilotfish.core.events import (
    BlockFinished,
    ContextCleared,
    ConversationRewound,
    EffortChanged,
    EventRecord,
    KeptEvent,
    MediaDropped,
    ModelChanged,
    NoteAdded,
    PriceMissing,
    PromptSubmitted,
    ReplyDiscarded,
    ReplyFinished,
    ResultShortened,
    SessionCreated,
    SideCallFinished,
    TitleChanged,
    TodosChanged,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import MAIN_AGENT, SessionId
from pilotfish.session.fork import end_of_copy, write_transcript
from pilotfish.session.transcript_reader import Reading, check_format, problem_of, read_records
from pilotfish.util.records import dataclass

_SAID_AND_DONE = (
    PromptSubmitted
    | CommandTyped
    | CommandAnswered
    | TurnStarted
    | BlockFinished
    | ReplyFinished
    | ReplyDiscarded
    | SideCallFinished
    | ToolStarted
    | ToolFinished
    | ResultShortened
    | MediaDropped
    | NoteAdded
    | PriceMissing
    | ContextCleared
    | ConversationRewound
    | ModelChanged
    | EffortChanged
    | TodosChanged
    | TitleChanged
    | AgentSpent
    | TurnEnded
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TakenIn:
    """The session of a transcript's file."""

    session_id: SessionId
    problem: str = ""
    """What the user should know of the file; empty when all of it could be read."""


def take_in(source: Path, target: Path, session_id: SessionId, cwd: Path) -> TakenIn:
    """Make a new session of a transcript: all up to the end of its last whole turn.

    Args:
        source: The file; it stays as it is.
        target: The new session's transcript, which is not there yet.
        session_id: Its id.
        cwd: The folder that it works in, whatever the file says.

    Raises:
        SessionError: The file is no transcript, or a newer version has written it.
        OSError: A file cannot be read or written.
    """
    first = next(iter(read_records(source)), None)
    reading = Reading()
    end = end_of_copy(read_records(source, reading))
    old = reading.created
    # An agent's transcript without its first line is not a session's.
    is_session = first is not None and first.agent_id == MAIN_AGENT and bool(reading.model)
    if first is None or (old is None and not is_session):
        raise SessionError(
            f"{source} is no transcript of a session.",
            hint="Name a .jsonl file of Pilotfish's projects folder, or a copy of one.",
        )
    if old is not None:
        check_format(replace(first, event=old), source)
    created = SessionCreated(
        session_id=session_id,
        cwd=str(cwd),
        version=__version__ if old is None else old.version,
        mode="default",
        model=reading.model if old is None else old.model,
        forked_from=None if old is None else old.session_id,
        disallowed_tools=() if old is None else old.disallowed_tools,
    )
    write_transcript(target, _taken(source, end, replace(first, seq=1, event=created), cwd))
    return TakenIn(session_id=session_id, problem=problem_of(reading, source))


def _taken(source: Path, end: int, first: EventRecord, cwd: Path) -> Iterator[EventRecord]:
    """Yield the new session's events, numbered without a gap."""
    yield first
    places = [0]
    """Where each event of the new session was in the old one."""
    for record in read_records(source):
        event = record.event
        if record.seq > end:
            return
        if not isinstance(event, _SAID_AND_DONE):
            continue
        if isinstance(event, TurnStarted):
            event = replace(event, cwd=str(cwd))
        places.append(record.seq)
        yield replace(
            record,
            seq=len(places),
            event=_at_new_place(event, places),
            agent_id=MAIN_AGENT,
            parent_tool_use_id=None,
        )


def _at_new_place(event: KeptEvent, places: list[int]) -> KeptEvent:
    if not isinstance(event, ContextCleared) or not event.kept_seq:
        return event
    return replace(event, kept_seq=bisect_left(places, event.kept_seq) + 1)
