"""Taking in a transcript that lies somewhere else: a backup, another machine's, one out of a report.

Owns: what of it becomes part of a new session. Nobody knows who has written the file, so that only what was
said and done comes along: no rule, no mode, no words for the system prompt, no worktree, no agent and nothing
that still ran. Tools that were withheld stay withheld. The new session asks (mode ``default``) even where the
settings begin new ones more freely: what the file makes the model believe is nobody's word here. Where they
begin them in a stricter mode, whoever opens it holds it to that. Whoever goes on with it can choose a mode,
with ``--permission-mode`` from the start.
Does not own: where transcripts are (``session.transcript_store``). Blocks on the disk.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

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
from pilotfish.session.fork import events_to_copy, write_transcript
from pilotfish.session.transcript_reader import check_format, read_records

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


def take_in(source: Path, target: Path, session_id: SessionId, cwd: Path) -> None:
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
    if first is None or not isinstance(first.event, SessionCreated):
        raise SessionError(
            f"{source} is no transcript of a session.",
            hint="Name a .jsonl file of Pilotfish's projects folder, or a copy of one.",
        )
    check_format(first, source)
    created = SessionCreated(
        session_id=session_id,
        cwd=str(cwd),
        version=first.event.version,
        mode="default",
        model=first.event.model,
        forked_from=first.event.session_id,
        disallowed_tools=first.event.disallowed_tools,
    )
    write_transcript(target, _taken(source, replace(first, seq=1, event=created)))


def _taken(source: Path, first: EventRecord) -> Iterator[EventRecord]:
    """Yield the new session's events, numbered without a gap."""
    yield first
    places = [0]
    """Where each event of the new session was in the old one."""
    for record in events_to_copy(source):
        event = record.event
        if not isinstance(event, _SAID_AND_DONE):
            continue
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
