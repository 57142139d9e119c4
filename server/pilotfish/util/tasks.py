"""Owning background tasks.

Owns: keeping references, reporting failures, ending tasks with their owner.
"""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

logger = logging.getLogger(__name__)


class TaskScope:
    """Holds tasks that outlive the function that starts them, and ends them together.

    Unlike ``asyncio.TaskGroup``, one task's failure does not cancel the others: it is logged and
    the rest go on. Whoever owns the scope closes it.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    def start(
        self, coroutine: Coroutine[Any, Any, T], *, name: str, awaited: bool = False
    ) -> asyncio.Task[T]:
        """Start a task that belongs to this scope.

        Args:
            coroutine: What to run.
            name: For the log.
            awaited: True when somebody takes the task's outcome, its failure included; otherwise a
                failure is logged here.

        Raises:
            RuntimeError: The scope is closed.
        """
        if self._closed:
            coroutine.close()
            raise RuntimeError(f"task scope {self._name} is closed")
        task = asyncio.get_running_loop().create_task(coroutine, name=f"{self._name}:{name}")
        self._tasks.add(task)
        task.add_done_callback(self._forget if awaited else self._finished)
        return task

    def __len__(self) -> int:
        return len(self._tasks)

    async def close(self) -> None:
        """Cancel what still runs and wait until it has ended."""
        self._closed = True
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            logger.error("task %s failed", task.get_name(), exc_info=error)
