"""The library that tells of changes in folders.

Owns: its type, when it is loaded, folders that are not worth following.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
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


class _Watchfiles(Protocol):
    """The library as it is used here; its own types name another library, for which there are none."""

    @property
    def awatch(self) -> Awatch: ...


def load_awatch() -> Awatch:
    """Return the library's function, loading it if need be."""
    import watchfiles

    return cast("_Watchfiles", watchfiles).awatch


async def pause_and_load() -> None:
    """Load the library when there is time for it, off the event loop.

    What changes before somebody watches must be found by looking once.
    """
    await asyncio.sleep(PAUSE_S)
    await asyncio.to_thread(load_awatch)
