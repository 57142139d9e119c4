"""Watching how long a stream is silent.

Owns: noting stalls, and giving up after too long a silence. A slow consumer does not count: only the
wait for the network is measured.
See also: design 02 §7.4.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

logger = logging.getLogger(__name__)

STALL_S = 30.0
"""Silence that is noted. It ends nothing: long reasoning is legal."""


class SilenceWatch:
    """Watches one stream."""

    def __init__(self, limit_s: float, now: Callable[[], float] = time.monotonic) -> None:
        self._limit_s = limit_s
        self._now = now
        self.stalls = 0
        self.stalled_s = 0.0
        """Sum of the silences that were noted, in seconds."""

    async def next(self, arriving: Awaitable[T]) -> T:
        """Wait for what arrives next.

        Raises:
            TimeoutError: Nothing did for too long.
        """
        began = self._now()
        async with asyncio.timeout(self._limit_s):
            arrived = await arriving
        silent_s = self._now() - began
        if silent_s > STALL_S:
            self.stalls += 1
            self.stalled_s += silent_s
            logger.warning("the model was silent for %.0f s (stall %d)", silent_s, self.stalls)
        return arrived
