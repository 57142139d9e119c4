"""A client's view of one session.

Owns: what a client is told of a session, and putting its questions to the user there.
Does not own: the way of an event (``edges.update_stream``), its agents' (``edges.agent_feeds``).
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

from pilotfish.core.commands import CommandTyped
from pilotfish.core.dialogs import Question, UserQuestion
from pilotfish.core.errors import SessionError
from pilotfish.core.events import (
    EffortChanged,
    EventRecord,
    FileChanged,
    ModeChanged,
    ModelChanged,
    PromptQueued,
    PromptSubmitted,
    QuestionAsked,
    QuestionResolved,
    ReplyFinished,
    SessionEvent,
    SideCallFinished,
    TurnEnded,
)
from pilotfish.core.ids import RequestId
from pilotfish.core.passing_events import (
    AgentsChanged,
    CommandsChanged,
    ReviewChanged,
    StateChanged,
    StatusLineChanged,
    UserWarned,
)
from pilotfish.core.worktree_events import WorktreeEntered, WorktreeLeft
from pilotfish.edges.agent_cards import AgentCards, named
from pilotfish.edges.agent_feeds import AgentFeeds
from pilotfish.edges.agent_wire import changed_of
from pilotfish.edges.channel import ChannelError, ClientGoneError
from pilotfish.edges.commands import commands_update
from pilotfish.edges.config_options import to_config_options
from pilotfish.edges.held_peer import HeldPeer
from pilotfish.edges.notice import notice
from pilotfish.edges.peer import Peer
from pilotfish.edges.questions import (
    QuestionRequest,
    answer_from_acp,
    asker_of,
    question_to_request,
)
from pilotfish.edges.status import status_of, usage_update
from pilotfish.edges.update_stream import UpdateStream
from pilotfish.edges.updates import UpdateMapper, notice_of
from pilotfish.session.event_pages import Page
from pilotfish.session.session import Session
from pilotfish.util.slices import Slices
from pilotfish.util.tasks import TaskScope
from pilotfish.wire import methods
from pilotfish.wire.agent_methods import CHANGED
from pilotfish.wire.edits import EditsChangedParams
from pilotfish.wire.session import StateParams

logger = logging.getLogger(__name__)

WARNING = 2
"""The protocol's number for a warning to the user."""

MAX_REPLAYED_PAGES = 16
"""How much of a long session ``session/load`` sends, in pages: a client keeps all of it."""

LEFT_OUT = (
    "This session is long: only its latest part is shown. All of it: pilotfish sessions show."
)


_PROMPTS = (PromptSubmitted, PromptQueued, CommandTyped)


class Attachment:
    """Connects one session with one client until ``close``."""

    def __init__(
        self,
        session: Session,
        peer: Peer,
        *,
        can_answer: bool,
        can_fill_forms: bool,
        extended: bool,
        on_closed: Callable[[], None],
    ) -> None:
        """Attach.

        Args:
            session: The session to follow.
            peer: The client.
            can_answer: Whether the client shows permission questions.
            can_fill_forms: Whether it shows forms.
            extended: Whether the client knows ``_pilotfish/*``; others get pure ACP, where the
                client shows the user's own prompts itself.
            on_closed: Called once when the attachment ends.
        """
        self._session = session
        self._peer = HeldPeer(peer)
        self._can_fill_forms = can_fill_forms
        self._extended = extended
        self._on_closed = on_closed
        self._stream = UpdateStream(UpdateMapper(session.id), self._send)
        self._agents = AgentFeeds(session, self._send)
        self._cards = AgentCards(session, self._update)
        self._tasks = TaskScope(f"attachment {session.id}")
        self._asking: dict[RequestId, asyncio.Task[None]] = {}
        self._detach = session.attach(
            self._hear, can_answer=can_answer, can_fill_forms=can_fill_forms
        )
        for question in session.inbox.open_questions():
            self._put(question)
        if extended and session.data.agents:
            self._show_agents()

    async def replay(self, history: Sequence[EventRecord]) -> None:
        """Send a history that was collected before, and what has happened since.

        What happens while it is being sent comes after it.
        """
        records = [*history, *self._session.log.held_after(history[-1].seq if history else 0)]
        mapper = UpdateMapper(self._session.id)
        slices = Slices()
        with self._peer.held() as direct:
            for record in records:
                for params in mapper.map(record):
                    direct.notify("session/update", params)
                if text := self._words_for(record.event):
                    direct.notify(*self._said(text))
                await slices.pause()
            if records and records[0].seq > 1:
                direct.notify(*self._said(LEFT_OUT))
        if not self._extended:
            self._cards.show_again()

    async def caught_up(self) -> None:
        """Wait until the client has been sent all that has happened."""
        await self._peer.flows()

    def say(self, text: str) -> None:
        """Tell the user something in the words of Pilotfish, not of the model."""
        self._peer.notify(*self._said(text))

    def _said(self, text: str) -> tuple[str, dict[str, Any]]:
        if self._extended:
            return "window/showMessage", {"type": WARNING, "message": text}
        return "session/update", notice(self._session.id, text)

    def send_status(self) -> None:
        """Send what a status line shows."""
        status = status_of(self._session)
        if self._extended:
            self._peer.notify(methods.STATUS.name, status.model_dump(by_alias=True))
        elif status.last is not None:
            self._update(usage_update(status))

    def send_commands(self) -> None:
        """Send what can be typed behind a slash."""
        self._update(commands_update(self._session.workbench.commands.listed()))

    async def close(self) -> None:
        """Stop following; open questions stay open for other clients."""
        self._detach()
        self._stream.flush()
        self._agents.close()
        await self._tasks.close()
        self._on_closed()

    def _hear(self, record: EventRecord) -> None:
        if self._extended or not isinstance(record.event, _PROMPTS):
            self._stream.hear(record)  # others show their user's prompts themselves
        match record.event:
            case QuestionAsked(question=question):
                self._put(question)
            case QuestionResolved(request_id=request_id):
                self._withdraw(request_id)
            case UserWarned(text=text) if self._extended:
                self.say(text)
            case ReplyFinished() | SideCallFinished() | ModeChanged() | StatusLineChanged():
                self.send_status()
            case ModelChanged() | EffortChanged():
                self._send_options()
            case CommandsChanged():
                self.send_commands()
            case event if self._extended:
                self._hear_more(event)
            case event:
                self._cards.hear(event)
                if text := self._words_for(event):
                    self.say(text)

    def _words_for(self, event: SessionEvent) -> str:
        """Return the words for what pure ACP has no update for; others show it their own way."""
        return "" if self._extended else notice_of(event)

    def _hear_more(self, event: SessionEvent) -> None:
        """Tell what pure ACP has no word for."""
        match event:
            case StateChanged():
                self._send_state(event)
            case FileChanged(path=path):
                self._send_review((path,))
            case ReviewChanged(paths=paths):
                self._send_review(paths)
            case AgentsChanged():
                self._show_agents()
            case WorktreeEntered() | WorktreeLeft() | TurnEnded():
                self.send_status()  # how long the turns took is known at their end
            case _:
                pass

    def _send_options(self) -> None:
        self.send_status()
        options = to_config_options(self._session.workbench.model_options())
        self._update({"sessionUpdate": "config_option_update", "configOptions": options})

    def _update(self, update: dict[str, Any]) -> None:
        """Send an update that stands for the present state, not for an event."""
        self._peer.notify("session/update", {"sessionId": self._session.id, "update": update})

    def _send(self, params: dict[str, Any]) -> None:
        self._peer.notify("session/update", params)

    def _show_agents(self) -> None:
        """Send the list of agents, and follow those that are shown."""
        self._agents.sync()
        params = changed_of(self._session)
        self._peer.notify(CHANGED.name, params.model_dump(by_alias=True))

    def _send_state(self, event: StateChanged) -> None:
        params = StateParams(
            session_id=self._session.id,
            state=event.state,
            waiting_for=event.waiting_for,
            turn_running=event.turn_running,
            queued_prompts=len(self._session.queue),
        )
        self._peer.notify(methods.STATE.name, params.model_dump(by_alias=True))

    def _send_review(self, paths: Sequence[str]) -> None:
        params = EditsChangedParams(session_id=self._session.id, paths=list(paths))
        self._peer.notify(methods.EDITS_CHANGED.name, params.model_dump(by_alias=True))

    def _put(self, question: Question) -> None:
        if isinstance(question, UserQuestion) and not self._can_fill_forms:
            return  # another client of the session shows it
        task = self._tasks.start(self._ask(question), name=question.request_id)
        self._asking[question.request_id] = task
        task.add_done_callback(lambda _: self._asking.pop(question.request_id, None))

    def _request(self, question: Question) -> QuestionRequest:
        request = question_to_request(question, self._session)
        return request if self._extended else named(request, asker_of(question, self._session))

    def _withdraw(self, request_id: RequestId) -> None:
        task = self._asking.get(request_id)
        if task is not None:
            task.cancel()

    async def _ask(self, question: Question) -> None:
        """Show a question once it is on disk, so that it outlives this process, and take the answer."""
        try:
            await self._session.log.flush()
        except SessionError as error:
            logger.warning("a question is shown that is not stored: %s", error)
        try:
            response = await self._peer.ask(*self._request(question))
        except ClientGoneError:
            return  # it stays open on disk, and is put again to whoever loads the session
        except ChannelError as error:
            logger.warning("the client could not ask the user: %s", error)
            self._session.inbox.withdraw(question.request_id)
        else:
            self._session.answer(question.request_id, answer_from_acp(question, response))


async def collect_history(session: Session) -> list[EventRecord]:
    """Return a session's events as ``session/load`` sends them; of a very long one, the latest part.

    Raises:
        SessionError: Older events cannot be read from the transcript.
    """
    pages: list[Page] = []
    for _ in range(MAX_REPLAYED_PAGES):
        page = await session.log.page(before=pages[0].records[0].seq if pages else None)
        pages.insert(0, page)
        if not page.has_earlier:
            break
    return [record for page in pages for record in page.records]
