"""Following changes of files in the folders of an index.

Owns: one watcher of the system for the folders that hold indexed files, bundling its signs.
Does not own: what a change means (``workspace_index``).

Only the folders that were chosen (``folders``) are watched, not what lies below them: a package folder with
a hundred thousand files that nobody indexes costs nothing. Where the system has no watch left to give, a
sign to look at everything comes now and then instead.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path

from pilotfish.util.folder_watch import load_awatch

logger = logging.getLogger(__name__)

QUIET_MS = 80
"""Changes count as over after so long without another one."""

LONGEST_MS = 1_000
"""Changes are told after so long even when more keep coming."""

LOOK_AGAIN_S = 30.0
"""How often to look at everything where watching is not possible."""

MAX_WATCHED_FOLDERS = 8_000
"""Folders that are watched; systems give out tens of thousands of watches for all programs together."""

Signs = AsyncGenerator[frozenset[str] | None]
"""Paths that changed; None when everything must be looked at."""


async def watch_folders(
    folders: Sequence[Path], stop: asyncio.Event, look_again_s: float = LOOK_AGAIN_S
) -> Signs:
    """Yield what changes directly in some folders, in bundles, until stopped."""
    watching = len(folders) <= MAX_WATCHED_FOLDERS
    if not watching:
        logger.warning(
            "%d folders are too many to watch; changes are found every %.0f s",
            len(folders), look_again_s,
        )  # fmt: skip
    while not stop.is_set():
        if watching:
            try:
                async for paths in _system_changes(folders, stop):
                    yield paths
            except (OSError, RuntimeError) as error:
                # A folder may vanish just before it is watched; limits of the system stay.
                logger.warning("changes are found every %.0f s only: %s", look_again_s, error)
                watching = False
            else:
                return
        try:
            async with asyncio.timeout(look_again_s):
                await stop.wait()
        except TimeoutError:
            yield None


async def _system_changes(
    folders: Sequence[Path], stop: asyncio.Event
) -> AsyncGenerator[frozenset[str]]:
    changes = load_awatch()(
        *folders,
        watch_filter=None,
        debounce=LONGEST_MS,
        step=QUIET_MS,
        stop_event=stop,
        recursive=False,
        ignore_permission_denied=True,
    )
    async with aclosing(changes):
        async for bundle in changes:
            yield frozenset(path for _, path in bundle)


async def next_sign(signs: Signs) -> frozenset[str] | None:
    """Wait for the next sign; when there will be none, look at everything now and then."""
    async for changed in signs:
        return changed
    await asyncio.sleep(LOOK_AGAIN_S)
    return None
