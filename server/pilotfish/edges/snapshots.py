"""What a fresh view of a conversation needs, and older pages of it.

Owns: snapshots and pages of a session and of its agents, those that have ended included.
Does not own: the events, their mapping (``edges.updates``).
"""

from collections.abc import Sequence
from typing import Any

from pilotfish.core.agents import AgentEntry
from pilotfish.core.events import EventRecord
from pilotfish.core.ids import MAIN_AGENT, AgentId
from pilotfish.edges.questions import question_to_entry
from pilotfish.edges.queue_methods import entries_of
from pilotfish.edges.status import status_of
from pilotfish.edges.todos import to_todo_entry
from pilotfish.edges.updates import UpdateMapper
from pilotfish.session.agent_transcripts import agent_transcript
from pilotfish.session.event_pages import PAGE_BYTES, Page, for_an_answer
from pilotfish.session.session import Session
from pilotfish.session.session_view import SessionView
from pilotfish.session.stored_events import StoredEvents
from pilotfish.util.slices import Slices
from pilotfish.wire import session as wire

LOOK_BYTES = PAGE_BYTES // 8
"""How much of an agent's transcript a look into it begins with, roughly: people go to and fro between
agents, and each look should open at once."""


async def snapshot_of(
    session: Session, since_seq: int, agent: AgentEntry | None = None
) -> wire.SnapshotResponse:
    """Return what a fresh view needs.

    Args:
        session: The one that the user talks with.
        since_seq: The last event that the view has; 0 for none.
        agent: One of its agents, for a view of that.

    Raises:
        SessionError: Older events cannot be read from the transcript.
    """
    if agent is None:
        return await _of_view(session, session, since_seq)
    live = session.roster.live(agent.agent_id)
    if live is None:
        return await _of_ended(session, agent, since_seq)
    return await _of_view(session, live, since_seq, agent)


async def history_of(
    session: Session, before_seq: int, agent: AgentId | None = None
) -> wire.HistoryResponse:
    """Return the events before one that a view has; of the session, or of one of its agents.

    Raises:
        SessionError: There is no such agent, or the events cannot be read.
    """
    page = for_an_answer(await _page(session, before_seq, agent))
    mapped = _Mapped(session)
    await mapped.add(page.records)
    return wire.HistoryResponse(
        updates=mapped.updates,
        first_seq=_first_seq(page, before_seq - 1),
        has_earlier=page.has_earlier,
    )


def live_records(view: SessionView, agent: AgentId) -> list[EventRecord]:
    """Return what is in no kept event of a conversation yet; ``agent`` is whose it is."""
    return [
        EventRecord(
            seq=view.data.seq,
            time_ms=view.data.updated_ms,
            event=event,
            turn_id=view.log.turn_id,
            agent_id=agent,
        )
        for event in view.live.events()
    ]


async def _page(session: Session, before_seq: int, agent: AgentId | None) -> Page:
    if agent is None or agent == MAIN_AGENT:
        return await session.log.page(before=before_seq)
    session.roster.row(agent)  # says so when there is none
    live = session.roster.live(agent)
    if live is not None:
        return await live.log.page(before=before_seq)
    return (await _stored(session, agent).page(before=before_seq)).page


async def _of_view(
    session: Session, view: SessionView, since_seq: int, agent: AgentEntry | None = None
) -> wire.SnapshotResponse:
    most = PAGE_BYTES if agent is None else LOOK_BYTES
    page = for_an_answer(await view.log.page(after=since_seq, max_bytes=most))
    data = view.data
    last_seq, first_seq, mapped = data.seq, _first_seq(page, data.seq), _Mapped(session)
    await mapped.add(page.records)
    while since := view.log.held_after(last_seq):  # what has happened meanwhile
        last_seq = since[-1].seq
        await mapped.add(since)
    # From here on nothing waits, so that all of it is of one moment.
    mapped.add_at_once(live_records(view, MAIN_AGENT if agent is None else agent.agent_id))
    return wire.SnapshotResponse(
        session_id=session.id,
        title=data.title if agent is None else agent.facts.description,
        cwd=str(data.cwd) if agent is None else agent.facts.cwd,
        seq=data.seq,
        state=view.state,
        waiting_for=view.waiting_for,
        turn_running=view.turn_running,
        updates=mapped.updates,
        first_seq=first_seq,
        has_earlier=page.has_earlier,
        todos=[to_todo_entry(todo) for todo in data.todos],
        questions=[
            question_to_entry(one, session)
            for one in session.inbox.open_questions()
            if agent is None or one.agent_id == agent.agent_id
        ],
        queue=entries_of(view.queue.prompts),
        status=status_of(view),
        can_resume=agent is None and data.last_reason == "interrupted",
    )


async def _of_ended(session: Session, agent: AgentEntry, since_seq: int) -> wire.SnapshotResponse:
    stored = await _stored(session, agent.agent_id).page(after=since_seq, max_bytes=LOOK_BYTES)
    mapped = _Mapped(session)
    await mapped.add(stored.page.records)
    return wire.SnapshotResponse(
        session_id=session.id,
        title=agent.facts.description,
        cwd=agent.facts.cwd,
        seq=stored.last_seq,
        state="idle",
        waiting_for="",
        updates=mapped.updates,
        first_seq=_first_seq(stored.page, stored.last_seq),
        has_earlier=stored.page.has_earlier,
        todos=[to_todo_entry(todo) for todo in stored.todos],
        questions=[],
        status=status_of(session),
        can_resume=False,
    )


def _stored(session: Session, agent: AgentId) -> StoredEvents:
    return StoredEvents(agent_transcript(session.log.path, agent))


class _Mapped:
    """Events as updates."""

    def __init__(self, session: Session) -> None:
        self._mapper = UpdateMapper(session.id)
        self.updates: list[dict[str, Any]] = []

    async def add(self, records: Sequence[EventRecord]) -> None:
        """Map some; others have the loop meanwhile."""
        slices = Slices()
        for record in records:
            self.updates.extend(self._mapper.map(record))
            await slices.pause()

    def add_at_once(self, records: Sequence[EventRecord]) -> None:
        """Map a few."""
        for record in records:
            self.updates.extend(self._mapper.map(record))


def _first_seq(page: Page, last_seq: int) -> int:
    return page.records[0].seq if page.records else last_seq + 1
