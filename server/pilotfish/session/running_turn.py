"""The turn of a session that runs, if one does.

Owns: its task, stopping it once, that it always ends with an event, and who waits for that.
Does not own: when a turn begins (``session.session``), its inside (``engine``).
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from pilotfish.core.events import TurnEnded
from pilotfish.engine.state import TurnEnd, TurnIdentity
from pilotfish.ports.clock import ClockPort
from pilotfish.session.log import EventLog
from pilotfish.session.recovery import close_open_calls
from pilotfish.session.turn_ends import end_of, ended_turn
from pilotfish.util.tasks import TaskScope


class RunningTurn:
    """At most one turn."""

    def __init__(
        self, log: EventLog, clock: ClockPort, tasks: TaskScope, on_end: Callable[[], None]
    ) -> None:
        """Begin without a turn.

        Args:
            log: The session's events.
            clock: For how long turns take.
            tasks: What they run in.
            on_end: Called when a turn has ended and its last event is out.
        """
        self._log = log
        self._clock = clock
        self._tasks = tasks
        self._on_end = on_end
        self._task: asyncio.Task[TurnEnd] | None = None
        self._stopping = False
        self._waiting: list[asyncio.Future[TurnEnded]] = []

    @property
    def runs(self) -> bool:
        """Whether there is one."""
        return self._task is not None

    def begin(self, identity: TurnIdentity, work: Coroutine[Any, Any, TurnEnd]) -> None:
        """Let a turn run: what is emitted from here on is of this turn."""
        began = self._clock.monotonic_s()
        self._log.turn_id = identity.turn_id
        task = self._tasks.start(work, name=f"turn {identity.session_id}")
        task.add_done_callback(lambda done: self._finish(identity, end_of(done), began))
        self._task = task

    def tell_end(self, *ended: "asyncio.Future[TurnEnded]") -> None:
        """Settle futures with the end of the turn that runs, or else of the one that begins next.

        They are those of the callers whose prompts it takes over.
        """
        self._waiting.extend(ended)

    async def interrupt(self) -> None:
        """Stop the turn and wait until it has ended; without one this does nothing."""
        if self._task is None:
            return
        if not self._stopping:
            self._stopping = True
            self._task.cancel()
        await asyncio.wait([self._task])
        await asyncio.sleep(0)  # the turn's last events come from its done callback

    async def abandon(self) -> None:
        """End the turn with the process: nobody is told, and its transcript stays open."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _finish(self, identity: TurnIdentity, end: TurnEnd, began_s: float) -> None:
        """Write the turn's last event. Runs when the task has ended."""
        close_open_calls(self._log, "The turn ended before this call ran.")
        duration_ms = round((self._clock.monotonic_s() - began_s) * 1000)
        ended = ended_turn(identity.turn_id, end, duration_ms)
        self._log.emit(ended)
        self._log.turn_id = None
        self._task = None
        self._stopping = False
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(ended)
        self._waiting.clear()
        self._on_end()
