"""A clock that tests turn by hand.

Owns: time that stands still until ``advance``, and sleepers that wake when their time has come.
Implements ``ports.clock.ClockPort``.
"""

import asyncio

from tests.support.waiting import WAIT_S

START_MS = 1_700_000_000_000
"""Wall clock of a fresh fake clock, milliseconds since the epoch."""


class FakeClock:
    """Time by hand. With ``auto_advance``, every sleep returns at once and moves the time."""

    def __init__(self, *, auto_advance: bool = False) -> None:
        self.slept_s: list[float] = []
        """Every sleep that was asked for, in seconds."""
        self._now_s = 0.0
        self._auto_advance = auto_advance
        self._sleepers: list[tuple[float, asyncio.Event]] = []
        self._changed = asyncio.Event()

    def now_ms(self) -> int:
        """Return the wall clock in milliseconds since the epoch."""
        return START_MS + round(self._now_s * 1000)

    def monotonic_s(self) -> float:
        """Return the seconds since the clock was made."""
        return self._now_s

    async def sleep(self, seconds: float) -> None:
        """Wait until the time was moved far enough."""
        self.slept_s.append(seconds)
        if self._auto_advance:
            self.advance(seconds)
            await asyncio.sleep(0)
            return
        sleeper = (self._now_s + seconds, asyncio.Event())
        self._sleepers.append(sleeper)
        self._changed.set()
        try:
            if seconds > 0:
                await sleeper[1].wait()
        finally:
            self._sleepers.remove(sleeper)

    @property
    def sleepers(self) -> int:
        """How many sleeps are running."""
        return len(self._sleepers)

    def advance(self, seconds: float) -> None:
        """Move the time and wake whoever's time has come."""
        self._now_s += seconds
        for until_s, event in self._sleepers:
            if until_s <= self._now_s:
                event.set()

    async def wait_for_sleeper(self, count: int = 1) -> None:
        """Wait, in real time, until that many sleeps are running."""
        async with asyncio.timeout(WAIT_S):
            while len(self._sleepers) < count:
                self._changed.clear()
                await self._changed.wait()
