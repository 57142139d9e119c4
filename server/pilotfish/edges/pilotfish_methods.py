"""The ``_pilotfish/*`` methods that do not need an editor.

Owns: decoding, one call into the session layer, the answer.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from pilotfish.core.dialogs import Answer, Question, UserQuestion
from pilotfish.core.errors import SessionError
from pilotfish.core.ids import AgentId, RequestId
from pilotfish.edges.channel import Handler
from pilotfish.edges.forms import answer_from_form
from pilotfish.edges.questions import answer_from_option, question_to_entry
from pilotfish.edges.snapshots import history_of, snapshot_of
from pilotfish.session.manager import SessionManager
from pilotfish.session.session import Session
from pilotfish.wire import interaction, methods
from pilotfish.wire import session as wire


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
        }

    async def _snapshot(self, params: wire.SnapshotParams) -> wire.SnapshotResponse:
        return await snapshot_of(self._session(params.session_id), params.since_seq)

    async def _history(self, params: wire.HistoryParams) -> wire.HistoryResponse:
        agent = None if params.agent_id is None else AgentId(params.agent_id)
        return await history_of(self._session(params.session_id), params.before_seq, agent)

    async def _inbox_list(
        self, params: interaction.InboxListParams
    ) -> interaction.InboxListResponse:
        sessions = (
            [self._session(params.session_id)]
            if params.session_id is not None
            else self._manager.open_sessions()
        )
        questions = [
            question_to_entry(question, session)
            for session in sessions
            for question in session.inbox.open_questions()
        ]
        questions.sort(key=lambda entry: entry.created_at_ms)
        stored = [] if params.stored_in is None else await self._stored(Path(params.stored_in))
        return interaction.InboxListResponse(questions=questions, stored=stored)

    async def _stored(self, folder: Path) -> list[interaction.StoredQuestion]:
        waiting = await self._manager.waiting_sessions(folder)
        return [
            interaction.StoredQuestion(
                session_id=one.session_id,
                session_title=one.session_title,
                tool_call_id=one.tool_use_id,
                title=one.title,
                created_at_ms=one.asked_ms,
            )
            for one in waiting
        ]

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
