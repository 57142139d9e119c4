"""One run: a prompt, its turn, an exit code.

Owns: driving a session from start to end without an editor.
Does not own: options (``options``), output (``printers``), asking (``terminal``).
"""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pilotfish.config.modes import clamp
from pilotfish.core.commands import CommandAnswered
from pilotfish.core.dialogs import Question
from pilotfish.core.errors import PilotfishError, SessionError
from pilotfish.core.events import (
    BlockFinished,
    EventRecord,
    PriceMissing,
    QuestionAsked,
    QuestionResolved,
    TurnEnded,
)
from pilotfish.core.ids import RequestId, SessionId
from pilotfish.core.messages import TextBlock
from pilotfish.core.permission import PERMISSION_MODES, PermissionMode
from pilotfish.core.reasons import to_stop_reason
from pilotfish.edges.headless.denials import Denials
from pilotfish.edges.headless.options import (
    CHOOSE,
    EXIT_DENIED,
    EXIT_DONE,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    RunOptions,
)
from pilotfish.edges.headless.printers import Printer, Result
from pilotfish.session.factory import NewSession
from pilotfish.session.manager import SessionManager
from pilotfish.session.session import Session
from pilotfish.session.session_list import SessionSummary
from pilotfish.session.usage import ModelUse
from pilotfish.util.tasks import TaskScope
from pilotfish.util.visible import visible

if TYPE_CHECKING:
    from pilotfish.edges.headless.terminal import TerminalAsker


MAX_CHOICES = 30
"""Sessions that are offered to choose from; ``pilotfish sessions list`` shows all."""

_CHOOSE_HINT = "Which session? Its number, or Enter for none: "


class Run:
    """Drives one session for one prompt."""

    def __init__(
        self,
        manager: SessionManager,
        options: RunOptions,
        printer: Printer,
        asker: "TerminalAsker | None",
    ) -> None:
        self._manager = manager
        self._options = options
        self._printer = printer
        self._asker = asker
        self._tasks = TaskScope("run")
        self._asking: dict[RequestId, asyncio.Task[None]] = {}
        self._denials = Denials()
        self._session_id: SessionId | None = None
        self._interrupted = asyncio.Event()
        self._reader_gone = False
        self._was_taken_in = False
        """Whether the session is the copy of a transcript from elsewhere."""
        self._ends: list[TurnEnded] = []
        """How each turn ended: there are more than one where agents go on beside the first."""
        self._used_before = ModelUse()
        """What the session had used before this run; agents and their agents count in the difference."""
        self._api_ms_before = 0
        """How long models had worked for it before."""
        self._answer: CommandAnswered | None = None
        """What a command came to, if nothing was said since."""

    async def execute(self) -> int:
        """Run the prompt; returns the exit code.

        Raises:
            PilotfishError: The session cannot be opened, or takes no prompt.
        """
        try:
            return await self._execute()
        except PilotfishError as error:
            if self._options.output != "text":
                # Whoever reads the output waits for a result, whatever comes of it.
                self._printer.end(broken_off(str(error), self._session_id))
            raise

    async def _execute(self) -> int:
        session = await self._open()
        self._session_id = session.id
        self._used_before = session.data.used.total
        self._api_ms_before = session.data.worked.api_ms
        detach = session.attach(
            lambda record: self._hear(session, record),
            can_answer=self._asker is not None,
            can_fill_forms=self._asker is not None,
        )
        _warn(session)
        self._printer.begin(session.id)
        remove_signals = self._on_interrupt(session)
        try:
            ended = await session.prompt([TextBlock(text=self._options.prompt)])
            if not self._ends:  # a command was answered without a turn
                self._ends.append(ended)
            await self._hear_of_agents(session)
        finally:
            remove_signals()
            detach()
            await self._tasks.close()
        if not self._reader_gone:
            self._printer.end(self._result(session, self._ends))
        return self._exit_code(self._ends[-1])

    async def _hear_of_agents(self, session: Session) -> None:
        """Let the model hear of the agents that go on in the background, until none is left."""
        news = session.agent_news
        while self._ends[-1].reason == "completed" and (news.running or news.waiting):
            arrived = self._tasks.start(news.arrived(), name="news of agents")
            stopped = self._tasks.start(self._interrupted.wait(), name="interrupt")
            await asyncio.wait((arrived, stopped), return_when=asyncio.FIRST_COMPLETED)
            arrived.cancel()
            stopped.cancel()
            if self._interrupted.is_set():
                return
            if news.waiting:
                await session.hear_news()

    async def _open(self) -> Session:
        options = self._options
        mode = None if options.permission_mode is None else parse_mode(options.permission_mode)
        wishes = NewSession(
            cwd=options.cwd,
            extra_roots=options.extra_roots,
            mode=mode,
            model=options.model,
            allowed_tools=options.allowed_tools,
            disallowed_tools=options.disallowed_tools,
            system_prompt_append=options.append_system_prompt,
            max_turns=options.max_turns,
            max_budget_usd=options.max_budget_usd,
            one_shot=True,
        )
        session_id = await self._session_to_resume()
        if session_id is None:
            return await self._manager.create(wishes)
        session = await self._manager.load(session_id, wishes)
        if mode is None and self._was_taken_in:
            # Its own mode is nobody's word here, and one that the settings hold to less stays held.
            mode = clamp(session.workbench.start_mode, session.data.mode)
        if mode is not None:
            session.choices.set_mode(mode)
        if options.model is not None:
            session.choices.set_model(options.model)
        return session

    async def _session_to_resume(self) -> SessionId | None:
        wanted = self._options.resume
        if wanted == CHOOSE:
            return await self._chosen()
        if wanted is not None and wanted.endswith(".jsonl"):
            taken = await self._manager.take_in(Path(wanted), self._options.cwd)
            if taken.session_id != Path(wanted).stem:
                self._was_taken_in = True
                note = f"{wanted} stays as it is; its copy, session {taken.session_id}, goes on."
                sys.stderr.write(visible(note) + "\n")
            if taken.problem:
                sys.stderr.write(visible(f"Warning: {taken.problem}") + "\n")
            return taken.session_id
        if wanted is not None:
            return SessionId(wanted)
        if not self._options.resume_latest:
            return None
        latest = await self._manager.list_sessions(self._options.cwd)
        if not latest:
            raise SessionError(
                f"There is no earlier session of {self._options.cwd} to continue.",
                hint="Leave out --continue to begin one.",
            )
        return latest[0].session_id

    async def _chosen(self) -> SessionId:
        """Let the person at the terminal choose among the sessions of the folder, the latest first."""
        if self._asker is None:
            raise SessionError(
                "--resume without an id asks which session is meant, and there is no terminal to ask on.",
                hint="Name one (pilotfish sessions list), or go on with the latest by --continue.",
            )
        found = (await self._manager.list_sessions(self._options.cwd))[:MAX_CHOICES]
        if not found:
            raise SessionError(
                f"There is no earlier session of {self._options.cwd} to go on with.",
                hint="Leave out --resume to begin one.",
            )
        number = await self._asker.choose([_line_of(one) for one in found], _CHOOSE_HINT)
        if number is None:
            raise SessionError("No session was chosen.")
        return found[number].session_id

    def _hear(self, session: Session, record: EventRecord) -> None:
        self._print(session, record)
        self._denials.hear(record.event)
        match record.event:
            case QuestionAsked(question=question) if self._asker is not None:
                task = self._tasks.start(self._ask(session, question), name="question")
                self._asking[question.request_id] = task
            case QuestionResolved(request_id=request_id):
                task = self._asking.pop(request_id, None)
                if task is not None:
                    task.cancel()
            case PriceMissing(text=text) if self._options.output != "text":
                sys.stderr.write(visible(f"Warning: {text}") + "\n")
            case TurnEnded() as event:
                self._ends.append(event)
            case CommandAnswered() as event:
                self._answer = event
            case BlockFinished(block=TextBlock()):
                self._answer = None
            case _:
                pass

    def _print(self, session: Session, record: EventRecord) -> None:
        """Show an event; stop the turn when whoever read the output has gone."""
        if self._reader_gone:
            return
        try:
            self._printer.hear(record)
        except BrokenPipeError:
            self._reader_gone = True
            self._tasks.start(session.cancel(), name="cancel")

    async def _ask(self, session: Session, question: Question) -> None:
        if self._asker is not None:
            answer = await self._asker.ask(question)
            session.answer(question.request_id, answer)

    def _on_interrupt(self, session: Session) -> Any:
        """Let Ctrl+C stop the turn; a second one ends the process at once."""
        if sys.platform == "win32":
            return lambda: None
        loop = asyncio.get_running_loop()

        def interrupt() -> None:
            if self._interrupted.is_set():
                os._exit(EXIT_INTERRUPTED)  # the first one has been given its time
            self._interrupted.set()
            self._tasks.start(session.cancel(), name="cancel")

        numbers = (signal.SIGINT, signal.SIGTERM)
        for number in numbers:
            loop.add_signal_handler(number, interrupt)

        def remove() -> None:
            for number in numbers:
                loop.remove_signal_handler(number)

        return remove

    def _result(self, session: Session, ends: Sequence[TurnEnded]) -> Result:
        ended, answer = ends[-1], self._answer
        used = session.data.used.total.since(self._used_before)
        usage = used.usage
        failed = self._exit_code(ended) in (EXIT_FAILED, EXIT_INTERRUPTED) or self._answer_failed
        return {
            "type": "result",
            "stop_reason": to_stop_reason(ended.reason),
            "terminal_reason": ended.reason,
            "text": session.log.conversation.last_text() if answer is None else answer.text,
            "message": ended.message,
            "num_turns": sum(each.model_calls for each in ends),
            "usage": {
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "cache_read_input_tokens": usage.cache_read_tokens,
                "cache_creation_input_tokens": usage.cache_write_tokens,
            },
            "cost_usd": used.cost_usd,
            "duration_ms": sum(each.duration_ms for each in ends),
            "duration_api_ms": session.data.worked.api_ms - self._api_ms_before,
            "permission_denials": self._denials.calls,
            "num_denials": self._denials.count,
            "session_id": session.id,
            "is_error": failed,
        }

    def _exit_code(self, ended: TurnEnded) -> int:
        if self._interrupted.is_set() or ended.reason in ("aborted_streaming", "aborted_tools"):
            return EXIT_INTERRUPTED
        if ended.reason == "refused":
            return EXIT_DENIED
        if ended.reason != "completed":
            return EXIT_FAILED
        if self._denials.count:
            return EXIT_DENIED
        return EXIT_FAILED if self._answer_failed else EXIT_DONE

    @property
    def _answer_failed(self) -> bool:
        """Whether a command behind a slash came to nothing."""
        return self._answer is not None and self._answer.failed


def broken_off(message: str, session_id: SessionId | None) -> Result:
    """Return the result of a run that came to no turn: its session could not be opened, or takes no prompt."""
    usage = (
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
    )
    return {
        "type": "result",
        "stop_reason": None,
        "terminal_reason": "not_begun",
        "text": "",
        "message": message,
        "num_turns": 0,
        "usage": dict.fromkeys(usage, 0),
        "cost_usd": 0.0,
        "duration_ms": 0,
        "duration_api_ms": 0,
        "permission_denials": [],
        "num_denials": 0,
        "session_id": session_id,
        "is_error": True,
    }


def _warn(session: Session) -> None:
    """Say what is wrong: settings, torn files, missing history. Unread rules protect nobody."""
    if session.history_problem:
        sys.stderr.write(visible(f"Warning: {session.history_problem}") + "\n")
    for text in session.workbench.news():
        sys.stderr.write(visible(f"Warning: {text}") + "\n")
    for problem in session.workbench.problems():
        place = f"{problem.file}:{problem.line or 1}: " if problem.file is not None else ""
        sys.stderr.write(visible(f"Warning: {place}{problem.text}") + "\n")


def parse_mode(name: str) -> PermissionMode:
    """Return the mode of a name.

    Raises:
        SessionError: There is no such mode.
    """
    for mode in PERMISSION_MODES:
        if mode == name:
            return mode
    raise SessionError(
        f"There is no permission mode {name!r}.", hint=f"Modes: {', '.join(PERMISSION_MODES)}."
    )


def _line_of(summary: SessionSummary) -> str:
    when = datetime.fromtimestamp(summary.updated_ms / 1000, UTC).astimezone()
    return f"{when:%Y-%m-%d %H:%M}  {summary.title}"
