"""The ``_pilotfish/*`` methods that do not need an editor.

Owns: decoding, one call into the session layer, the answer.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from typing import Any

from pilotfish.core.dialogs import Answer, Question, UserQuestion
from pilotfish.core.errors import SessionError
from pilotfish.core.events import EventRecord
from pilotfish.core.ids import MAIN_AGENT, RequestId
from pilotfish.edges.channel import Handler
from pilotfish.edges.forms import answer_from_form
from pilotfish.edges.questions import answer_from_option, question_to_entry
from pilotfish.edges.status import status_of
from pilotfish.edges.todos import to_todo_entry
from pilotfish.edges.updates import UpdateMapper
from pilotfish.session.event_pages import Page
from pilotfish.session.manager import SessionManager
from pilotfish.session.session import Session
from pilotfish.wire import agent_methods, agents, editor, interaction, methods
from pilotfish.wire import session as wire
from pilotfish.wire.method import Empty


class PilotfishMethods:
    """Serves one client."""

    def __init__(self, manager: SessionManager, session: Callable[[str], Session]) -> None:
        self._manager = manager
        self._session = session

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            methods.SNAPSHOT.name: Handler(params=wire.SnapshotParams, call=self._snapshot),
            methods.HISTORY.name: Handler(params=wire.HistoryParams, call=self._history),
            methods.INBOX_LIST.name: Handler(
                params=interaction.InboxListParams, call=self._inbox_list
            ),
            methods.INBOX_ANSWER.name: Handler(
                params=interaction.InboxAnswerParams, call=self._inbox_answer
            ),
            agent_methods.LIST.name: Handler(params=agents.AgentsListParams, call=self._agents),
        }

    def testing_handlers(self, open_documents: Callable[[], int]) -> Mapping[str, Handler]:
        """Return the methods that exist only with ``--testing``."""

        async def stats(_: Empty) -> editor.StatsResponse:
            return self._stats(open_documents())

        return {methods.TESTING_STATS.name: Handler(params=Empty, call=stats)}

    async def _snapshot(self, params: wire.SnapshotParams) -> wire.SnapshotResponse:
        session = self._session(params.session_id)
        page = await session.log.page(after=params.since_seq)
        data = session.data
        mapper = UpdateMapper(session.id)
        updates = [update for record in page.records for update in mapper.map(record)]
        for event in session.live.events():
            record = EventRecord(
                seq=data.seq,
                time_ms=data.updated_ms,
                event=event,
                turn_id=session.log.turn_id,
                agent_id=MAIN_AGENT,
            )
            updates.extend(mapper.map(record))
        return wire.SnapshotResponse(
            session_id=session.id,
            title=data.title,
            cwd=str(data.cwd),
            seq=data.seq,
            state=session.state,
            waiting_for=session.waiting_for,
            updates=updates,
            first_seq=_first_seq(page, data.seq),
            has_earlier=page.has_earlier,
            todos=[to_todo_entry(todo) for todo in data.todos],
            questions=[question_to_entry(one) for one in session.inbox.open_questions()],
            status=status_of(session),
            can_resume=data.last_reason == "interrupted",
        )

    async def _history(self, params: wire.HistoryParams) -> wire.HistoryResponse:
        session = self._session(params.session_id)
        page = await session.log.page(before=params.before_seq)
        mapper = UpdateMapper(session.id)
        return wire.HistoryResponse(
            updates=[update for record in page.records for update in mapper.map(record)],
            first_seq=_first_seq(page, params.before_seq - 1),
            has_earlier=page.has_earlier,
        )

    async def _inbox_list(
        self, params: interaction.InboxListParams
    ) -> interaction.InboxListResponse:
        sessions = (
            [self._session(params.session_id)]
            if params.session_id is not None
            else self._manager.open_sessions()
        )
        questions = [
            question_to_entry(question)
            for session in sessions
            for question in session.inbox.open_questions()
        ]
        questions.sort(key=lambda entry: entry.created_at_ms)
        return interaction.InboxListResponse(questions=questions)

    async def _inbox_answer(
        self, params: interaction.InboxAnswerParams
    ) -> interaction.InboxAnswerResponse:
        request_id = RequestId(params.request_id)
        for session in self._manager.open_sessions():
            question = session.inbox.find(request_id)
            if question is not None:
                answer = _answer_of(question, params)
                return interaction.InboxAnswerResponse(accepted=session.answer(request_id, answer))
        return interaction.InboxAnswerResponse(accepted=False)

    async def _agents(self, _: agents.AgentsListParams) -> agents.AgentsListResponse:
        return agents.AgentsListResponse(agents=[], viewing=None, revision=0)

    def _stats(self, open_documents: int) -> editor.StatsResponse:
        children: list[dict[str, Any]] = [
            {"pid": child.pid, "purpose": child.purpose, "label": child.label}
            for child in self._manager.children()
        ]
        return editor.StatsResponse(
            pid=os.getpid(),
            memory_bytes=self._manager.memory_bytes(),
            pending_tasks=len(asyncio.all_tasks()),
            open_documents=open_documents,
            sessions=len(self._manager.open_sessions()),
            children=children,
        )


def _first_seq(page: Page, last_seq: int) -> int:
    return page.records[0].seq if page.records else last_seq + 1


def _answer_of(question: Question, params: interaction.InboxAnswerParams) -> Answer:
    """Read the part of the parameters that answers this kind of question."""
    if isinstance(question, UserQuestion):
        if params.form is None:
            raise SessionError("form: the question is a form, and no form was sent.")
        return answer_from_form(question, params.form)
    if params.option_id is None:
        raise SessionError("optionId: the question has options, and none was chosen.")
    answer = answer_from_option(question, params.option_id, params.answer)
    if answer is None:
        raise SessionError("optionId: it is none of the question's options.")
    return answer
