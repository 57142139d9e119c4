"""Watching that nothing blocks the event loop.

Owns: a thread that logs where the loop's thread is when the loop does not come round in time.
Does not own: the loop's work, what is done about it.

While the loop waits for something to happen, so does the thread: an idle server costs nothing. For loops
that serve a client; ``pilotfish run`` has none that could wait, and loads the model's SDK on its loop on
purpose (``app.engine``), so a watch would only put warnings among its output.
"""

import asyncio
import logging
import selectors
import sys
import threading
import time
import traceback
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

logger = logging.getLogger(__name__)

SLOW_STEP_S = 0.05
"""A round of the event loop that takes longer is logged with a stack (design §3)."""

PAUSE_S = 5.0
"""Shortest time between two such logs; a busy machine must not fill the log."""

LOOK_AGAIN_S = 10.0
"""How long a sign of the loop is waited for before looking."""

STACK_FRAMES = 12
"""Innermost calls that a log shows."""


def run_watched(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine as ``asyncio.run`` does, on a loop that is watched."""
    rounds = Rounds()
    LoopWatch(rounds).start()
    with asyncio.Runner(loop_factory=lambda: _watched_loop(rounds)) as runner:
        return runner.run(work)


class Rounds:
    """What a loop tells of its rounds: while it does not wait for something to happen, it works."""

    def __init__(self) -> None:
        self.working_since: float | None = None
        """When the loop's present round began; None while it waits."""
        self.sleeper: threading.Event | None = None
        """Set when the loop begins to work."""
        self.closed = False

    def between(self, wait: Callable[[T], R], limit: T) -> R:
        """Wait between two rounds: one is over, and the next begins."""
        self.working_since = None
        try:
            return wait(limit)
        finally:
            self.working_since = time.monotonic()
            if self.sleeper is not None:
                self._wake()

    def close(self) -> None:
        """There is nothing to watch any more."""
        self.closed = True
        self.working_since = None
        self._wake()

    def _wake(self) -> None:
        sleeper, self.sleeper = self.sleeper, None
        if sleeper is not None:
            sleeper.set()


if sys.platform == "win32":

    class WatchedProactor(asyncio.IocpProactor):
        """What the loop of Windows waits in, which alone can wait for children there."""

        def __init__(self, rounds: Rounds) -> None:
            self._rounds = rounds
            super().__init__()

        def close(self) -> None:
            """Close it."""
            super().close()
            self._rounds.close()

        def select(self, timeout: Any = None) -> Any:
            """Wait, and say so."""
            return self._rounds.between(super().select, timeout)

    def _watched_loop(rounds: Rounds) -> asyncio.AbstractEventLoop:
        return asyncio.ProactorEventLoop(WatchedProactor(rounds))

else:

    class WatchedSelector(selectors.DefaultSelector):
        """What the loop waits in."""

        def __init__(self, rounds: Rounds) -> None:
            self._rounds = rounds
            super().__init__()

        def close(self) -> None:
            """Close it."""
            super().close()
            self._rounds.close()

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            """Wait, and say so."""
            return self._rounds.between(super().select, timeout)

    def _watched_loop(rounds: Rounds) -> asyncio.AbstractEventLoop:
        return asyncio.SelectorEventLoop(WatchedSelector(rounds))


class LoopWatch(threading.Thread):
    """Looks at a loop that has begun to work once it should have come round."""

    def __init__(self, rounds: Rounds) -> None:
        """Watch the loop of this thread."""
        super().__init__(name="loop-watch", daemon=True)
        self._rounds = rounds
        self._loop_thread = threading.get_ident()
        self._told_at = float("-inf")

    def run(self) -> None:
        """Watch until the loop is closed."""
        while (began := self._wait_for_work()) is not None:
            time.sleep(max(0.0, began + SLOW_STEP_S - time.monotonic()))
            if self._rounds.working_since == began:
                self._tell()
                self._wait_for_end(began)

    def _wait_for_work(self) -> float | None:
        """Return when the loop's present round began, as soon as there is one; None at its end."""
        rounds = self._rounds
        while (began := rounds.working_since) is None and not rounds.closed:
            begun = threading.Event()
            rounds.sleeper = begun
            if rounds.working_since is None and not rounds.closed:
                # The loop may have taken an older event instead of this one: it is not waited for for ever.
                begun.wait(LOOK_AGAIN_S)
        return began

    def _wait_for_end(self, began: float) -> None:
        while self._rounds.working_since == began:
            time.sleep(SLOW_STEP_S)

    def _tell(self) -> None:
        now = time.monotonic()
        # Underscored, but documented: the one way to another thread's stack.
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
        frame = frames.get(self._loop_thread)
        if frame is None or now - self._told_at < PAUSE_S:
            return
        self._told_at = now
        stack = "".join(traceback.format_stack(frame)[-STACK_FRAMES:]).rstrip()
        logger.warning(
            "the event loop has been blocked for %.0f ms, here:\n%s",
            SLOW_STEP_S * 1000,
            stack,
        )
