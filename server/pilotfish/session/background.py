"""The background work of a session.

Owns: taking over commands that go on, their end as an event, telling the model of it exactly once,
noticing that one waits for an answer that nobody can give.
Does not own: the work itself (``tools.shell_job``), the list (a fold in ``session.state``).
See also: design 06 §10.4, 01 §7.
"""

import asyncio
import html
import logging
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

from pilotfish.config.schema import ShellSettings
from pilotfish.core.background import BackgroundTask, TaskEnd
from pilotfish.core.errors import SessionError
from pilotfish.core.events import (
    BackgroundEnded,
    BackgroundKept,
    BackgroundStarted,
    BackgroundTold,
    NoteAdded,
)
from pilotfish.core.ids import TaskId, ToolUseId
from pilotfish.ports.background import BackgroundWork
from pilotfish.ports.clock import ClockPort
from pilotfish.session.kept_works import KeptWorks
from pilotfish.session.log import EventLog
from pilotfish.util.tasks import TaskScope

T = TypeVar("T")

logger = logging.getLogger(__name__)

MAX_RUNNING = 64
"""Commands that may run in the background of one session."""

MAX_WORKS = 32
"""Ended tasks whose output is at hand, each with up to 0.4 MB; of older ones the file is left."""

LOOK_EVERY_S = 5.0
"""How often to look whether a command waits for an answer."""

MAX_RESULT_CHARS = 4_000
"""Of a command's output, what the note about its end holds; the file has all of it."""


class BackgroundTasks:
    """Implements ``ports.background.BackgroundPort`` and ``ports.attachments.AttachmentSource``."""

    allowed = True
    """Whether commands may go to the background."""
    foreground_s: float | None = None
    """How long a command may hold up the conversation; None: until its own time limit."""

    def __init__(
        self,
        log: EventLog,
        clock: ClockPort,
        wake: Callable[[], None],
        kept: KeptWorks,
        *,
        is_brief: bool = False,
    ) -> None:
        """Set it up.

        Args:
            log: The session's events.
            clock: For the times.
            wake: Called when there is news for the model.
            kept: Runs the commands, and has those that outlive their session.
            is_brief: Whether the session ends with its first turn.
        """
        self._log = log
        self._clock = clock
        self._wake = wake
        self.is_brief = is_brief
        self._scope = TaskScope("background")
        self._kept = kept
        self._own: set[asyncio.Task[Any]] = set()
        """What ends with the session, unless it is kept."""
        self._works: dict[TaskId, BackgroundWork] = {}
        self._watches: dict[TaskId, asyncio.Task[None]] = {}
        self._held: dict[ToolUseId, asyncio.Event] = {}
        self._notices: list[str] = []

    def take(self, shell: ShellSettings) -> None:
        """Take over settings."""
        self.allowed = shell.background
        waits = self.is_brief or not shell.background or shell.foreground_ms == 0
        self.foreground_s = None if waits else shell.foreground_ms / 1000

    def start(self, coroutine: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
        """Start a task that lives as long as the session, or longer if the user wants it to."""
        task = self._kept.start(coroutine, name=name)
        self._own.add(task)
        task.add_done_callback(self._own.discard)
        return task

    @contextmanager
    def hold(self, call: ToolUseId) -> Generator[asyncio.Event]:
        """Offer the user to move a running call to the background."""
        event = asyncio.Event()
        self._held[call] = event
        try:
            yield event
        finally:
            self._held.pop(call, None)

    def move(self, call: ToolUseId) -> bool:
        """Move a running call to the background, as the user wants; False when it cannot be."""
        event = self._held.get(call)
        if event is None or not self.allowed:
            return False
        event.set()
        return True

    def adopt(self, work: BackgroundWork, *, title: str, call: ToolUseId) -> BackgroundTask:
        """Take over work that goes on."""
        if len(self._watches) >= MAX_RUNNING:
            raise SessionError(
                f"{MAX_RUNNING} commands run in the background already.",
                hint="Stop some with TaskStop, or wait for them with TaskOutput.",
            )
        task = BackgroundTask(
            task_id=TaskId(f"bash_{self._log.data.background_count + 1}"),
            title=title,
            tool_use_id=call,
            output_path=str(work.output_path),
            started_ms=self._clock.now_ms(),
            folder=str(work.started_in),
        )
        self._log.emit(BackgroundStarted(task=task))
        self._follow(task.task_id, work)
        return task

    def _follow(self, task: TaskId, work: BackgroundWork) -> None:
        self._works[task] = work
        while len(self._works) > MAX_WORKS:
            ended = next((each for each in self._works if each not in self._watches), None)
            if ended is None:
                break
            del self._works[ended]
        self._watches[task] = self._scope.start(self._watch(task, work), name=f"watch {task}")

    def keep(self, task: TaskId, *, kept: bool) -> bool:
        """Let a running task go on when the session is closed, or no longer.

        Returns:
            Whether there was anything to change.
        """
        known = self._log.data.background.get(task)
        if known is None or known.status != "running" or known.kept == kept or self.is_brief:
            return False
        self._log.emit(BackgroundKept(task_id=task, kept=kept))
        return True

    def find(self, task: TaskId) -> tuple[BackgroundTask, BackgroundWork | None] | None:
        """Return a task of this session."""
        known = self._log.data.background.get(task)
        return None if known is None else (known, self._works.get(task))

    def all(self) -> tuple[BackgroundTask, ...]:
        """Return all tasks that are remembered, oldest first."""
        return tuple(self._log.data.background.values())

    def running(self) -> tuple[BackgroundTask, ...]:
        """Return what goes on, oldest first."""
        return tuple(task for task in self.all() if task.status == "running")

    async def wait(self, task: TaskId, limit_s: float) -> None:
        """Wait until a task has ended, at most so long."""
        watch = self._watches.get(task)
        if watch is not None:
            await asyncio.wait([watch], timeout=limit_s)

    def tell(self, task: TaskId) -> None:
        """Note that the model is being shown how a task ended."""
        known = self._log.data.background.get(task)
        if known is not None and known.status != "running" and not known.told:
            self._log.emit(BackgroundTold(task_id=task))

    async def collect(self) -> list[NoteAdded]:
        """Return what the model has to hear of ended and stuck tasks, each once."""
        notes: list[NoteAdded] = []
        for task in self.all():
            if task.status == "running" or task.told:
                continue
            work = self._works.get(task.task_id)
            output = "" if work is None else await asyncio.to_thread(work.output)
            text = _notification(task, output)
            notes.append(NoteAdded(text=text, origin="task", task_id=task.task_id))
        # Last: a turn that is stopped while the outputs are read has taken none of them.
        notices, self._notices = self._notices, []
        return [*(NoteAdded(text=text, origin="task") for text in notices), *notes]

    @property
    def has_news(self) -> bool:
        """Whether there is something that the model has not been told."""
        ended = any(task.status != "running" and not task.told for task in self.all())
        return ended or bool(self._notices)

    def settle(self) -> None:
        """Take up what was kept; close what an earlier process left open: it ended, and its commands."""
        session = self._log.data.session_id
        for task in self.running():
            work = self._kept.take(session, task.task_id)
            if work is not None:
                self._own.add(work.process)
                work.process.add_done_callback(self._own.discard)
                self._follow(task.task_id, work)
            elif task.task_id not in self._watches:
                self._log.emit(
                    BackgroundEnded(
                        task_id=task.task_id,
                        status="lost",
                        outcome="its session was closed or Pilotfish ended, and the command with it",
                    )
                )

    async def close(self) -> None:
        """End everything that runs and is not kept."""
        self._hand_over()
        own = set(self._own)
        for task in own:
            task.cancel()
        await self._scope.close()
        await asyncio.gather(*own, return_exceptions=True)

    def _hand_over(self) -> None:
        for task in self.running():
            work = self._works.get(task.task_id)
            if work is None or not task.kept:
                continue
            if self._kept.put(self._log.data.session_id, task.task_id, work):
                self._own.discard(work.process)

    async def _watch(self, task: TaskId, work: BackgroundWork) -> None:
        try:
            end = await self._until_end(task, work)
        except Exception as error:  # whatever goes wrong, it has an end and somebody hears of it
            logger.exception("%s could not be followed", task)
            end = TaskEnd(status="failed", outcome=f"Pilotfish could not follow it: {error!r}")
        finally:
            del self._watches[task]
        self._log.emit(BackgroundEnded(task_id=task, status=end.status, outcome=end.outcome))
        if end.status != "stopped":  # whoever stopped it knows, and the model hears in time
            self._wake()

    async def _until_end(self, task: TaskId, work: BackgroundWork) -> TaskEnd:
        told = False
        ending = self.start(work.ended(), name=f"end of {task}")
        try:
            while True:
                done, _ = await asyncio.wait([ending], timeout=LOOK_EVERY_S)
                if done:
                    return ending.result()
                question = "" if told else work.waits_for_input()
                if question:
                    told = True
                    self._notices.append(_stuck(task, question))
                    self._wake()
        finally:
            ending.cancel()


def _notification(task: BackgroundTask, output: str) -> str:
    """Tell how a task ended. What the command wrote is escaped: it must not forge a tag."""
    shown = output if len(output) <= MAX_RESULT_CHARS else "…" + output[-MAX_RESULT_CHARS:]
    fields = {
        "task-id": task.task_id,
        "tool-use-id": task.tool_use_id,
        "status": task.status,
        "summary": f"The background command `{task.title[:200]}` ended: {task.outcome}.",
        "output-file": task.output_path,
        "result": shown,
    }
    lines = [
        f"<{name}>{html.escape(text, quote=False)}</{name}>"
        for name, text in fields.items()
        if text
    ]
    return "\n".join(["<task-notification>", *lines, "</task-notification>"])


def _stuck(task: TaskId, question: str) -> str:
    return (
        f"The background command {task} has written nothing for a while and looks as if it waits "
        f"for input, which it cannot get: {html.escape(question, quote=False)!r}. Stop it with "
        "TaskStop and run it so that it needs no answer."
    )
