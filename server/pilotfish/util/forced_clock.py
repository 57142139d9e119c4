"""A clock that can be held and turned, for a server that is started for tests.

Owns: time that runs until it is held, and the waits that end when it is turned past them.
Implements ``ports.clock.ClockPort``.
"""

import asyncio
import time
from contextlib import suppress

from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class _Held:
    wall_ms: int
    monotonic_s: float


class ForcedClock:
    """The system's time until ``hold``; then it moves by ``advance`` alone, until ``release``."""

    def __init__(self) -> None:
        self._held: _Held | None = None
        self._ahead_s = 0.0
        """How far its monotonic clock is before the system's: it must not go back when released."""
        self._turned = asyncio.Event()
        """Set, and replaced, whenever the time is not what a wait has reckoned with."""
        self._waits = 0

    @property
    def is_held(self) -> bool:
        """Whether the time stands still."""
        return self._held is not None

    @property
    def waits(self) -> int:
        """How many waits are running."""
        return self._waits

    def now_ms(self) -> int:
        """Return the wall clock in milliseconds since the epoch."""
        return time.time_ns() // 1_000_000 if self._held is None else self._held.wall_ms

    def monotonic_s(self) -> float:
        """Return a clock that never goes back, in seconds."""
        if self._held is not None:
            return self._held.monotonic_s
        return time.monotonic() + self._ahead_s

    async def sleep(self, seconds: float) -> None:
        """Wait; ends at once on cancel."""
        until_s = self.monotonic_s() + seconds
        self._waits += 1
        try:
            await asyncio.sleep(0)
            while (left_s := until_s - self.monotonic_s()) > 0:
                await self._wait_for_turn(None if self.is_held else left_s)
        finally:
            self._waits -= 1

    def hold(self, now_ms: int | None = None) -> None:
        """Let the time stand still, at another wall time if one is given."""
        wall_ms = self.now_ms() if now_ms is None else now_ms
        self._held = _Held(wall_ms=wall_ms, monotonic_s=self.monotonic_s())
        self._wake()

    def advance(self, step_ms: int) -> None:
        """Move the time on, which stands still from here on, and end the waits that are over by then."""
        self._held = _Held(
            wall_ms=self.now_ms() + step_ms, monotonic_s=self.monotonic_s() + step_ms / 1000
        )
        self._wake()

    def release(self) -> None:
        """Let the time run again: the wall clock is the system's, the other goes on from where it is."""
        if self._held is not None:
            self._ahead_s = self._held.monotonic_s - time.monotonic()
            self._held = None
            self._wake()

    async def _wait_for_turn(self, limit_s: float | None) -> None:
        turned = self._turned
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await turned.wait()

    def _wake(self) -> None:
        self._turned.set()
        self._turned = asyncio.Event()
