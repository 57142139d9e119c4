"""The library that tells of changes in folders.

Owns: its type, when it is loaded, folders that are not worth following, telling that it has stumbled.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Protocol, cast

Awatch = Callable[..., AsyncGenerator[set[tuple[int, str]]]]
"""``watchfiles.awatch``. Its numbers for what became of a file are those of LSP: 1 new, 2 changed, 3 gone."""

NOISY_FOLDERS = frozenset({
    ".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache",
    ".pytest_cache", ".ruff_cache", ".tox", "target", ".pilotfish",
})  # fmt: skip
"""Folders in which much changes that nobody needs to hear of."""

PAUSE_S = 0.3
"""Pause before the first watch: whoever opens a session has more urgent things to do, such as to ask a model."""

LOST_PAUSE_S = 1.0
"""Pause before one watches again what was lost: what made the library stumble may go on."""

LONGEST_LOST_PAUSE_S = 16.0
"""The longest such pause; after so long without another loss the next one counts as the first."""


class WatchLostError(Exception):
    """The library has stumbled while it watched, as it does over a name that is no UTF-8.

    Whoever wants to know what changed must watch anew, and look once.
    """


class LostPauses:
    """How long to wait after each loss, twice as long each time: to look at everything costs something."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Begin with the shortest; ``now`` tells the time in seconds."""
        self._now = now
        self._next_s = LOST_PAUSE_S
        self._calm_at = 0.0

    def take(self) -> float:
        """Return how many seconds to wait now."""
        now = self._now()
        if now >= self._calm_at:
            self._next_s = LOST_PAUSE_S
        pause_s = self._next_s
        self._next_s = min(2 * pause_s, LONGEST_LOST_PAUSE_S)
        self._calm_at = now + pause_s + LONGEST_LOST_PAUSE_S
        return pause_s


class _Watchfiles(Protocol):
    """The library as it is used here; its own types name another library, for which there are none."""

    @property
    def awatch(self) -> Awatch: ...


def load_awatch() -> Awatch:
    """Return what watches folders, loading the library if need be.

    It raises OSError or RuntimeError where the system does not let it watch, ``WatchLostError`` later.
    """
    import watchfiles

    awatch = cast("_Watchfiles", watchfiles).awatch

    async def watch(*folders: object, **options: object) -> AsyncGenerator[set[tuple[int, str]]]:
        try:
            async with aclosing(awatch(*folders, **options)) as changes:
                async for each in changes:
                    yield each
        except ExceptionGroup as several:
            raise WatchLostError(str(several.exceptions[0])) from several

    return watch


async def pause_and_load() -> None:
    """Load the library when there is time for it, off the event loop.

    What changes before somebody watches must be found by looking once.
    """
    await asyncio.sleep(PAUSE_S)
    await asyncio.to_thread(load_awatch)
