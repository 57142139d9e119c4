"""Long work on the event loop, in slices.

Owns: how long one may last.
Does not own: what is done between two of them, whether something has changed meanwhile.
"""

import asyncio
import time

SLICE_S = 0.01
"""After so long others get the loop: far below what is taken for a blocked one (``util.loop_watch``)."""


class Slices:
    """One long piece of work; it begins with this."""

    def __init__(self) -> None:
        self._began = time.perf_counter()

    async def pause(self) -> None:
        """Let others run if this slice has lasted long enough; between two steps of the work."""
        if time.perf_counter() - self._began >= SLICE_S:
            await asyncio.sleep(0)
            self._began = time.perf_counter()
