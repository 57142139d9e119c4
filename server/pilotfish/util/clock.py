"""The system's clock."""

import asyncio
import time


class SystemClock:
    """Real time; implements ``ports.clock.ClockPort``."""

    def now_ms(self) -> int:
        """Return the wall clock in milliseconds since the epoch."""
        return time.time_ns() // 1_000_000

    def monotonic_s(self) -> float:
        """Return a clock that never goes back, in seconds."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait; ends at once on cancel."""
        await asyncio.sleep(seconds)
