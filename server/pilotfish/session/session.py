"""One session.

Owns: when a turn begins and with what, the prompts that wait, the questions, who listens.
Does not own: the events' storage (``session.log``), the turn that runs (``session.running_turn``), a
turn's inside (``engine``), what a turn is made of (``session.workbench``), what the user chooses
(``session.choices``).
"""

import asyncio
import logging
from collections.abc import Callable, Sequence

from pilotfish.core.dialogs import Answer, Question
from pilotfish.core.errors import PilotfishError, SessionError
from pilotfish.core.events import (
    ConversationRewound,
    KeptEvent,
    PromptSubmitted,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import (
    MAIN_AGENT,
    AgentId,
    MessageId,
    RequestId,
    SessionId,
    new_message_id,
    new_turn_id,
)
from pilotfish.core.mentions import Mention
from pilotfish.core.messages import (
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ToolUseBlock,
    text_of,
)
from pilotfish.core.passing_events import StateChanged, UserWarned
from pilotfish.core.reasons import SessionState
from pilotfish.engine.state import TurnEnd, TurnIdentity
from pilotfish.ports.clock import ClockPort
from pilotfish.session.agent_news import AgentNews
from pilotfish.session.agent_roster import AgentRoster
from pilotfish.session.audience import Audience
from pilotfish.session.choices import SessionChoices
from pilotfish.session.inbox import Inbox
from pilotfish.session.live import LiveView
from pilotfish.session.log import EventLog, Listener
from pilotfish.session.prompt_queue import Outcome, PromptQueue, WaitingPrompt
from pilotfish.session.reply_draft import ReplyDraft
from pilotfish.session.running_turn import RunningTurn
from pilotfish.session.session_list import title_of
from pilotfish.session.state import SessionData
from pilotfish.session.turn_ends import NO_TURN, USER_ENDS
from pilotfish.session.workbench import Workbench
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)


class Session:
    """One conversation with the user."""

    def __init__(
        self,
        session_id: SessionId,
        log: EventLog,
        clock: ClockPort,
        tasks: TaskScope,
        *,
        agent_id: AgentId = MAIN_AGENT,
        main: "Session | None" = None,
    ) -> None:
        """Begin idle.

        Args:
            session_id: Its id; an agent's conversation has that of the session it works for.
            log: Its events.
            clock: For the times.
            tasks: What its turns run in.
            agent_id: Whose conversation it is.
            main: The session that an agent works for: its questions go there, and it lists the
                agent's own agents. None for a session of the user's.
        """
        self.id = session_id
        self.agent_id = agent_id
        self._log = log
        self._workbench: Workbench | None = None
        self._turn = RunningTurn(log, clock, tasks, self._go_on)
        self.choices = SessionChoices(log, lambda: self.workbench)
        """What the user chooses: mode, model, effort, title."""
        self._closed = False
        self._stops = 0
        """How often the user has stopped it: what was on its way then does not begin a turn."""
        self._queue = PromptQueue(log.emit)
        self._held = False
        """What waits goes on waiting when the turn ends: something else comes first."""
        self._audience = Audience(log, self._on_nobody)
        self._live = LiveView()
        self.history_problem = ""
        """What is missing of the history that was loaded, for the user; empty when nothing is."""
        if main is not None:
            self.inbox, self.roster = main.inbox, main.roster
        else:
            self.inbox = Inbox(
                self._emit_question,
                can_ask=lambda: self._audience.answerers > 0,
                can_ask_forms=lambda: self._audience.form_fillers > 0,
            )
            self.roster = AgentRoster(log, self.inbox, clock)
        self._watched_log = log if main is None else main.log
        self.agent_news = AgentNews(self._watched_log, agent_id, self.wake)
        log.listen(lambda record: self._live.apply(record.event))
        self._draft = ReplyDraft(log, self._live, clock) if main is None else None

    def equip(self, workbench: Workbench) -> None:
        """Hand over what turns are made of; done once, before the first turn."""
        self._workbench = workbench

    @property
    def data(self) -> SessionData:
        """The folded state; read only."""
        return self._log.data

    @property
    def log(self) -> EventLog:
        """The event list, for views."""
        return self._log

    @property
    def live(self) -> LiveView:
        """What is in no kept event yet, for views."""
        return self._live

    @property
    def workbench(self) -> Workbench:
        """What turns are made of."""
        if self._workbench is None:
            raise SessionError("The session is not ready.")
        return self._workbench

    @property
    def state(self) -> SessionState:
        """What the session is doing."""
        if self._open_questions():
            return "requires_action"
        return "running" if self._turn.runs else "idle"

    @property
    def turn_running(self) -> bool:
        """Whether a turn runs, which can be stopped and takes up what is sent."""
        return self._turn.runs

    @property
    def waiting_for(self) -> str:
        """Title of the oldest open question; empty when there is none."""
        questions = self._open_questions()
        return questions[0].title if questions else ""

    @property
    def queue(self) -> PromptQueue:
        """The prompts that wait for the running turn."""
        return self._queue

    def attach(
        self, listener: Listener, *, can_answer: bool, can_fill_forms: bool = False
    ) -> Callable[[], None]:
        """Add a view; call what is returned to remove it.

        Args:
            listener: Hears every event.
            can_answer: Whether the view can put questions to the user.
            can_fill_forms: Whether it can also show a form of several questions.
        """
        return self._audience.attach(listener, can_answer=can_answer, can_fill_forms=can_fill_forms)

    def _on_nobody(self) -> None:
        if self.agent_id == MAIN_AGENT:
            self.inbox.withdraw_all()

    async def prompt(
        self,
        content: Sequence[TextBlock | ImageBlock],
        context: Sequence[str] = (),
        documents: Sequence[DocumentBlock] = (),
        mentions: Sequence[Mention] = (),
    ) -> TurnEnded:
        """Submit a prompt and wait for the end of the turn that answers it.

        During a turn the prompt is queued and reaches the model at the next loop boundary. A
        cancelled wait does not stop the turn: ``cancel`` does. A command that the model has no part
        in is answered at once, without a turn.

        Raises:
            SessionError: The prompt is empty or holds what the model cannot take, or too many prompts
                wait, or the disk takes nothing.
        """
        if not any(not isinstance(block, TextBlock) or block.text.strip() for block in content):
            raise SessionError("The prompt is empty.")
        stops = self._stops
        await self._log.make_room()
        self._require_room()
        if await self.workbench.commands.answer(content):
            return NO_TURN
        submitted = (await self.workbench.intake.take(content, documents, mentions)).submitted(
            context
        )
        if self._stops != stops and not self._closed:
            return self._queue.drop(submitted)
        return await asyncio.shield(self._submit(submitted).ended)

    def say(self, text: str) -> None:
        """Submit a text and do not wait; during a turn it is queued like any prompt.

        Raises:
            SessionError: As ``prompt``.
        """
        self._require_room()
        self._submit(PromptSubmitted(message_id=new_message_id(), content=(TextBlock(text=text),)))

    def _require_room(self) -> None:
        if self._log.is_overloaded():
            raise SessionError(
                "Too much of this session waits to be written to disk.",
                hint="Make room, or mend the permissions of Pilotfish's folder, and try again.",
            )

    def _submit(self, submitted: PromptSubmitted) -> WaitingPrompt:
        """Begin a turn with a prompt, or queue it."""
        if self._closed:
            raise SessionError("The session was closed.")
        waiting = WaitingPrompt(submitted, asyncio.get_running_loop().create_future())
        if self._is_free:
            self._turn.tell_end(waiting.ended)
            self._start(submitted, ())
        else:
            self._queue.add(waiting)
        return waiting

    def wake(self) -> None:
        """Begin a turn of the session's own accord, because the model has news to hear.

        A running turn takes the news by itself. Where nobody watches, or after the user has stopped
        the last turn, they wait for the next prompt; whoever started an agent watches it.
        """
        stopped = self.data.last_reason in USER_ENDS
        watched = self._audience.answerers > 0 or self.agent_id != MAIN_AGENT
        if self._is_free and watched and not stopped:
            self._start(None, ())

    async def hear_news(self) -> TurnEnded:
        """Let the model hear what it has not been told yet, and wait for the end of that turn.

        That is a turn of the session's own, unless one runs: it takes the news by itself.
        """
        ended: asyncio.Future[TurnEnded] = asyncio.get_running_loop().create_future()
        self._turn.tell_end(ended)
        if self._is_free:
            self._start(None, ())
        return await asyncio.shield(ended)

    def resume(self, waiting: tuple[ToolUseBlock, ...]) -> None:
        """Put the questions of an interrupted turn again, without calling the model first."""
        if waiting and not self._turn.runs:
            self._start(None, waiting)

    async def cancel(self) -> None:
        """Stop the running turn and wait until it has ended. Background agents go on."""
        self._stops += 1
        if not self._turn.runs:
            return
        self._turn.tell_end(*(waiting.ended for waiting in self._queue.drop_all()))
        await self._turn.interrupt()

    async def send_now(self, prompt: MessageId) -> Outcome:
        """Stop the running turn and go on with a queued prompt; the others follow it."""
        outcome = self._queue.move_to_front(prompt)
        if outcome == "done":
            await self._turn.interrupt()
        return outcome

    async def replace(self, prompt: MessageId, other: PromptSubmitted) -> None:
        """Go back to before a prompt and ask another one; a running turn is stopped.

        Raises:
            SessionError: The model does not know the prompt, or the disk takes nothing.
        """
        self._require_room()
        self._held = True
        try:
            await self._turn.interrupt()
            self.workbench.review.rewind_to(prompt)
            self._held = False
            self._submit(other)
        finally:
            self._held = False
            self._go_on()

    def answer(self, request_id: RequestId, answer: Answer) -> bool:
        """Answer an open question; False when it is closed already."""
        return self.inbox.answer(request_id, answer)

    def rewind(self, prompt: MessageId) -> None:
        """Make the model forget a prompt and what followed.

        Raises:
            SessionError: A turn is running, or the model does not know the prompt.
        """
        if self._turn.runs:
            raise SessionError("A turn is running.", hint="Stop it, or wait for its end.")
        if not self._log.conversation.can_go_back_to(prompt):
            raise SessionError("That prompt is not part of the conversation.")
        self._log.emit(ConversationRewound(message_id=prompt))

    def warn(self, text: str) -> None:
        """Tell the user something in the words of Pilotfish, whosever conversation is looked at."""
        self._watched_log.tell(UserWarned(text=text))

    async def close(self) -> None:
        """Stop the turn and finish the transcript."""
        self._closed = True
        await self.cancel()
        await self._release()

    async def suspend(self) -> None:
        """End with the process: an open question stays open on disk and is put again on load."""
        self._closed = True
        self._log.freeze(self._live.unfinished())
        await self._turn.abandon()
        await self._release()

    async def _release(self) -> None:
        if self._workbench is not None:
            await self._workbench.close()
        self.agent_news.close()
        if self.agent_id == MAIN_AGENT:
            await self.roster.close()
        await self._log.close()
        if self._draft is not None:
            await self._draft.close()

    def _start(self, prompt: PromptSubmitted | None, unanswered: tuple[ToolUseBlock, ...]) -> None:
        """Begin a turn: its first events are out before this returns."""
        resumed = self.data.open_turn if prompt is None else None
        identity = TurnIdentity(
            session_id=self.id, turn_id=resumed or new_turn_id(), agent_id=self.agent_id
        )
        self._turn.begin(identity, self._work(identity, prompt, unanswered))
        if resumed is None:
            data = self.data
            self._log.emit(
                TurnStarted(turn_id=identity.turn_id, model=data.model, cwd=str(data.cwd))
            )
        if prompt is not None:
            self._log.emit(prompt)
            if not self.data.title:
                self.choices.set_title(title_of(text_of(prompt.content)))
        self._tell_state()

    async def _work(
        self,
        identity: TurnIdentity,
        prompt: PromptSubmitted | None,
        unanswered: tuple[ToolUseBlock, ...],
    ) -> TurnEnd:
        try:
            if prompt is not None and not await self.workbench.commands.begin(prompt, identity):
                return TurnEnd(reason="completed")
            turn = await self.workbench.build_turn(identity, self._take_queued)
        except PilotfishError as error:
            return TurnEnd(reason="model_error", message=str(error))
        return await turn.run(unanswered)

    def _go_on(self) -> None:
        """Begin a turn with what waits first, unless one runs or something else comes before it."""
        if self._is_free and self._queue:
            following = self._queue.take_first()
            self._turn.tell_end(following.ended)
            self._start(following.prompt, ())
        else:
            self._tell_state()

    def _take_queued(self) -> list[PromptSubmitted]:
        """Return what the running turn takes up: a command begins a turn of its own, after it."""
        taken = self._queue.take_until(self.workbench.commands.needs_turn)
        self._turn.tell_end(*(waiting.ended for waiting in taken))
        return [waiting.prompt for waiting in taken]

    @property
    def _is_free(self) -> bool:
        """Whether a turn may begin now."""
        return not self._turn.runs and not self._held and not self._closed

    def _open_questions(self) -> tuple[Question, ...]:
        """Return what waits for the user: of an agent its own, of a session all of its agents'."""
        questions = self.inbox.open_questions()
        if self.agent_id == MAIN_AGENT:
            return questions
        return tuple(each for each in questions if each.agent_id == self.agent_id)

    def _emit_question(self, event: KeptEvent) -> None:
        self._log.emit(event)
        self._tell_state()

    def _tell_state(self) -> None:
        """Tell what the session is doing; a question of an agent may be open while no turn runs."""
        self._log.tell(
            StateChanged(
                state=self.state, waiting_for=self.waiting_for, turn_running=self.turn_running
            )
        )
