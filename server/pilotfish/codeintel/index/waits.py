"""What those who ask an index wait for, and when they need not.

Owns: waiting for what may never come, having everything looked at before an answer, when to try again
what has failed.
Does not own: keeping the index (``workspace_index``).
"""

import asyncio

RETRY_S = 30.0
"""An index that has failed is tried again after so long, then after twice as long each time."""

LONGEST_RETRY_S = 600.0
"""The longest that it is left alone. One that was kept for as long counts as new when it fails."""


class Milestone:
    """Something that is waited for and may never come."""

    def __init__(self) -> None:
        self.is_reached = False
        self._is_decided = asyncio.Event()

    def reach(self) -> None:
        """Let everybody go on."""
        self.is_reached = True
        self._is_decided.set()

    def give_up(self) -> None:
        """Let nobody wait for it any more; it may be reached all the same, later."""
        self._is_decided.set()

    async def wait(self, limit_s: float) -> bool:
        """Wait until it is reached, while it may be; tells whether it is."""
        try:
            async with asyncio.timeout(limit_s):
                await self._is_decided.wait()
        except TimeoutError:
            return False
        return self.is_reached


class LookAgain:
    """The wish that all files are looked at once more."""

    def __init__(self) -> None:
        self._wished = asyncio.Event()
        self._ended = asyncio.Event()

    async def look(self) -> None:
        """Have it done, and wait until it is; a look that was going on may be the one that ends."""
        self._ended.clear()
        self.wish()
        await self._ended.wait()

    def wish(self) -> None:
        """Have it done some time soon."""
        self._wished.set()

    async def wished(self) -> None:
        """Wait until somebody wishes it."""
        await self._wished.wait()

    def begin(self) -> None:
        """Say that a look begins: it does for all who have wished it."""
        self._wished.clear()

    def end(self) -> None:
        """Say that it is over, or that there will be none."""
        self._ended.set()


class BackOff:
    """When to try again what has failed, and why it had."""

    def __init__(self) -> None:
        self.why = ""
        """Empty while it works, and until it has been tried."""
        self._pause_s = RETRY_S
        self._until = 0.0
        self._tried_at = 0.0

    def may_try(self) -> bool:
        """Tell whether it has been left alone for long enough."""
        return asyncio.get_running_loop().time() >= self._until

    def tries(self) -> None:
        """Take note that it is tried from now on."""
        self._tried_at = asyncio.get_running_loop().time()

    def failed(self, why: str) -> None:
        """Leave it alone for a while."""
        now = asyncio.get_running_loop().time()
        if now - self._tried_at >= LONGEST_RETRY_S:
            self._pause_s = RETRY_S
        self.why = why
        self._until = now + self._pause_s
        self._pause_s = min(2 * self._pause_s, LONGEST_RETRY_S)

    def works(self) -> None:
        """Say that it answers with what is there; it may fail at the next step all the same."""
        self.why = ""
