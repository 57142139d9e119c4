"""Commands that go on when their session is closed, because the user wants them to.

Owns: the tasks that run commands, for all sessions of the process, and what waits for its session to
be opened again.
Does not own: which ones are kept (a fold in ``session.state``), the end with the process (the governor).
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from pilotfish.core.ids import SessionId, TaskId
from pilotfish.ports.background import BackgroundWork
from pilotfish.util.tasks import TaskScope

T = TypeVar("T")

MAX_KEPT = 16
"""Commands of closed sessions that may run: nobody looks at them any more."""


class KeptWorks:
    """One for the process. The app closes it."""

    def __init__(self) -> None:
        self._scope = TaskScope("commands")
        self._works: dict[tuple[SessionId, TaskId], BackgroundWork] = {}

    def start(self, coroutine: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
        """Start a task that may outlive its session; whoever starts it takes its outcome."""
        return self._scope.start(coroutine, name=name, awaited=True)

    def put(self, session: SessionId, task: TaskId, work: BackgroundWork) -> bool:
        """Keep a command whose session closes; False when there are too many."""
        running = [each for each in self._works.values() if not each.process.done()]
        if len(running) >= MAX_KEPT:
            return False
        self._works[session, task] = work
        # Of those that have ended the output is all that is left, and it is in a file, too.
        ended = [key for key, each in self._works.items() if each.process.done()]
        for key in ended[:-MAX_KEPT]:
            del self._works[key]
        return True

    def take(self, session: SessionId, task: TaskId) -> BackgroundWork | None:
        """Hand a command back to its session; None when it is not here."""
        return self._works.pop((session, task), None)

    async def close(self) -> None:
        """End everything."""
        self._works.clear()
        await self._scope.close()
