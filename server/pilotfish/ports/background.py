"""Work that goes on while the conversation does."""

import asyncio
from collections.abc import Coroutine
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pilotfish.core.background import BackgroundTask, TaskEnd
from pilotfish.core.ids import TaskId, ToolUseId

T = TypeVar("T")


class BackgroundWork(Protocol):
    """One piece of work, as its tool knows it."""

    @property
    def started_in(self) -> Path:
        """The folder in which it was begun."""
        ...

    @property
    def output_path(self) -> Path:
        """The file that holds all of its output from the moment it is handed over."""
        ...

    @property
    def process(self) -> asyncio.Task[Any]:
        """What ends when the work does, and stops it when it is cancelled."""
        ...

    async def ended(self) -> TaskEnd:
        """Wait for its end. Giving up the wait does not stop the work."""
        ...

    def output(self) -> str:
        """Return its output so far for the model, the middle left out when it is long. Blocking."""
        ...

    def preview(self) -> str:
        """Return the last lines of its output for people."""
        ...

    def stop(self) -> None:
        """Stop it; ``ended`` tells when that is done."""
        ...

    def waits_for_input(self) -> str:
        """Return the question that it seems to wait for an answer to; empty when it does not."""
        ...


class BackgroundPort(Protocol):
    """The background work of one session. ``session.background`` implements it."""

    @property
    def allowed(self) -> bool:
        """Whether work may go to the background at all."""
        ...

    @property
    def foreground_s(self) -> float | None:
        """How long a command may hold up the conversation; None: until its own time limit."""
        ...

    @property
    def is_brief(self) -> bool:
        """Whether the session ends with its turn, and what goes on with it."""
        ...

    def start(self, coroutine: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
        """Start a task that lives as long as the session; whoever starts it takes its outcome."""
        ...

    def hold(self, call: ToolUseId) -> AbstractContextManager[asyncio.Event]:
        """Offer the user to move a running call to the background; the event says they want to."""
        ...

    def adopt(self, work: BackgroundWork, *, title: str, call: ToolUseId) -> BackgroundTask:
        """Take over work that goes on. The model is told once when it has ended.

        Raises:
            SessionError: Too much goes on already.
        """
        ...

    def find(self, task: TaskId) -> tuple[BackgroundTask, BackgroundWork | None] | None:
        """Return a task of this session; without its work when an earlier process ran it."""
        ...

    def running(self) -> tuple[BackgroundTask, ...]:
        """Return what goes on, oldest first."""
        ...

    async def wait(self, task: TaskId, limit_s: float) -> None:
        """Wait until a task has ended, at most so long."""
        ...

    def tell(self, task: TaskId) -> None:
        """Note that the model is being shown how a task ended."""
        ...
