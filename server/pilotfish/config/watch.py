"""Watching settings files.

Owns: one watcher of the system for all settings files of a process, and telling who is concerned by
a change. It follows files that do not exist yet, that are replaced in one step, and links.
Does not own: reading the files (``sources``), what a change means (the session).

Where the system has no watch left to give, this says so in the log and ends: settings are read at
each turn anyhow.
"""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing
from pathlib import Path

from pilotfish.util.folder_watch import (
    LostPauses,
    WatchLostError,
    load_awatch,
    pause_and_load,
)
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

QUIET_MS = 50
"""Changes count as over after so long without another one."""

LONGEST_MS = 400
"""Changes are told after so long even when more keep coming."""

LOOK_AGAIN_MS = 5_000
"""How often to look at the files without a sign from the system, which may have come too early."""

MAX_FAILURES = 3
"""Failures in a row to begin watching, after which it is given up until somebody new listens."""

Listener = Callable[[], Awaitable[None]]
Looks = Callable[[list[Path], asyncio.Event], AsyncGenerator[None]]
"""Watches folders, not what lies below them, and yields when it is worth to look at the files."""

FilePrint = tuple[int, int, int, int] | None
"""What tells one state of a file from another; None when there is no file."""


class SettingsWatch:
    """Tells listeners when their files changed. One per process."""

    def __init__(self, looks: Looks | None = None) -> None:
        self._looks = looks or _system_changes
        self._tasks = TaskScope("settings watch")
        self._listeners: dict[int, tuple[frozenset[Path], Listener]] = {}
        self._known: dict[Path, FilePrint] = {}
        """The files that somebody listens for, as last seen."""
        self._next = 0
        self._running = False
        self._again = asyncio.Event()
        """Set when what is watched must be worked out anew."""

    def listen(self, seen: Mapping[Path, FilePrint], on_change: Listener) -> Callable[[], None]:
        """Have a function called after changes of files; call what is returned to end that.

        Args:
            seen: The files, with the state that the listener knows (``look_at``).
            on_change: Called after each change; several in quick succession count as one.
        """
        key, self._next = self._next, self._next + 1
        self._listeners[key] = (frozenset(seen), on_change)
        for file, state in seen.items():
            self._known.setdefault(file, state)
        self._again.set()
        if not self._running:
            self._running = True
            self._tasks.start(self._run(), name="watch")

        def stop() -> None:
            if self._listeners.pop(key, None) is not None:
                self._again.set()

        return stop

    async def close(self) -> None:
        """End watching."""
        self._listeners.clear()
        await self._tasks.close()

    async def _run(self) -> None:
        failures, pauses = 0, LostPauses()
        try:
            await pause_and_load()
            while self._listeners and failures < MAX_FAILURES:
                self._again = asyncio.Event()
                try:
                    await self._watch()
                    failures = 0
                except WatchLostError:
                    await asyncio.sleep(pauses.take())
                except (OSError, RuntimeError) as error:
                    # A folder may vanish just before it is watched; limits of the system stay.
                    failures += 1
                    if failures == MAX_FAILURES:
                        logger.warning(
                            "settings files are not watched, changes count with the next turn: %s",
                            error,
                        )
        finally:
            self._running = False

    async def _watch(self) -> None:
        """Watch until the folders to watch are others."""
        again = self._again
        files = frozenset(file for files, _ in self._listeners.values() for file in files)
        folders = await asyncio.to_thread(_folders_of, files)
        async with aclosing(self._looks(folders, again)) as looks:
            look = self._tasks.start(_next(looks), name="look", awaited=True)
            try:
                # From here on the system takes note; what came before it is found by looking once.
                await asyncio.sleep(0)
                while True:
                    self._take(await asyncio.to_thread(look_at, files))
                    if await asyncio.to_thread(_folders_of, files) != folders:
                        again.set()
                    if not await look or again.is_set():
                        return
                    look = self._tasks.start(_next(looks), name="look", awaited=True)
            finally:
                look.cancel()
                await asyncio.wait([look])

    def _take(self, seen: dict[Path, FilePrint]) -> None:
        """Compare with what was there before, and tell whom it concerns."""
        before = self._known
        changed = {file for file in seen if file in before and before[file] != seen[file]}
        wanted = {file for files, _ in self._listeners.values() for file in files}
        # Files of somebody who has come meanwhile keep the state that he knows.
        self._known = {file: state for file, state in (before | seen).items() if file in wanted}
        for files, on_change in tuple(self._listeners.values()):
            if files & changed:
                self._tasks.start(_call(on_change), name="changed")


async def _next(looks: AsyncGenerator[None]) -> bool:
    """Wait for the next sign; False when there will be none."""
    async for _ in looks:
        return True
    return False


async def _call(on_change: Listener) -> None:
    await on_change()


async def _system_changes(folders: list[Path], stop: asyncio.Event) -> AsyncGenerator[None]:
    """Watch folders by the system's own means."""
    changes = load_awatch()(
        *folders,
        watch_filter=None,
        debounce=LONGEST_MS,
        step=QUIET_MS,
        stop_event=stop,
        rust_timeout=LOOK_AGAIN_MS,
        yield_on_timeout=True,
        recursive=False,
        ignore_permission_denied=True,
    )
    async with aclosing(changes):
        async for _ in changes:
            yield


def look_at(files: Iterable[Path]) -> dict[Path, FilePrint]:
    """Return the state of files. Touches the disk and blocks."""
    return {file: _print_of(file) for file in files}


def _folders_of(files: frozenset[Path]) -> list[Path]:
    """Return the folders to watch."""
    # The folder of the link tells of a new link, the other one of a new text behind it.
    parents = {file.parent for file in files}
    parents |= {Path(os.path.realpath(file)).parent for file in files}
    return sorted({_existing(parent) for parent in parents})


def _existing(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that exists: there it would appear."""
    for place in (folder, *folder.parents):
        if place.is_dir():
            return place
    return Path(folder.anchor)


def _print_of(file: Path) -> FilePrint:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode
