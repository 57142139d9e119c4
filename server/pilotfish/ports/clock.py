"""Time, so that tests can turn it by hand."""

from typing import Protocol


class ClockPort(Protocol):
    """Wall clock, monotonic clock and waiting."""

    def now_ms(self) -> int:
        """Return the wall clock in milliseconds since the epoch."""
        ...

    def monotonic_s(self) -> float:
        """Return a clock that never goes back, in seconds."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait; ends at once on cancel."""
        ...
