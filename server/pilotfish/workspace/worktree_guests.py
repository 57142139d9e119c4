"""Who works in worktrees, in this process and in others.

Owns: a note on disk for each conversation that works in a worktree, the lock of a repository under
which they come and trees go.
Does not own: making and removing worktrees (``workspace.worktree``).

A note is in git's own folder of the worktree: outside of the tree itself, seen by whoever removes it,
and gone with it. It names its process by number and start time, so that the note of one that was
killed holds nobody up. A note that cannot be read may be of anybody, and keeps the tree.
"""

import asyncio
import logging
import os
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil
from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from pilotfish.core.errors import WorktreeError
from pilotfish.util.keyed_locks import KeyedLocks
from pilotfish.util.process_identity import is_same_process, start_since_boot
from pilotfish.util.whole_file import replace_file
from pilotfish.workspace.repository import admin_folder

logger = logging.getLogger(__name__)

POLL_S = 0.05
"""How often the lock that another process holds is tried."""

LOCK_WAIT_S = 60.0
"""How long it is waited for: making the worktree of a large repository takes a while."""

_FOLDER = "pilotfish-guests"
_LOCK = "pilotfish-worktrees.lock"
_SUFFIX = ".json"
_GUEST = re.compile(r"[A-Za-z0-9_-]{1,80}")
"""What may be the name of a note, and be repeated to whoever wants the worktree removed."""


class _Note(BaseModel):
    """What a note says."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    pid: int
    since_boot_s: float
    """When the process was started, in seconds since the system was."""


class WorktreeGuests:
    """Knows who works where, of those that stay for longer than a task."""

    def __init__(self) -> None:
        self._here: dict[Path, set[str]] = {}
        self._locks = KeyedLocks[Path]()

    def enter(self, path: Path, guest: str) -> None:
        """Note that somebody works in a worktree until they leave it. Blocks; under the lock."""
        self._here.setdefault(path, set()).add(guest)
        file = _note_of(path, guest)
        if file is None:
            return
        try:
            own = os.getpid()
            note = _Note(pid=own, since_boot_s=start_since_boot(own))
            file.parent.mkdir(exist_ok=True)
            replace_file(file, note.model_dump_json().encode())
        except (OSError, psutil.Error) as error:
            logger.warning("other processes do not see that %s is worked in: %s", path, error)

    def leave(self, path: Path, guest: str) -> None:
        """Note that somebody works in a worktree no longer. Blocks for a moment."""
        here = self._here.get(path, set())
        if guest not in here:
            return
        here.discard(guest)
        if not here:
            del self._here[path]
        file = _note_of(path, guest)
        if file is not None:
            with suppress(OSError):  # it holds nobody up any longer than this process lives
                file.unlink()

    def others(self, path: Path, but: str) -> tuple[str, ...]:
        """Return who works in a worktree beside somebody. Blocks for a moment."""
        here = self._here.get(path, set())
        elsewhere = _noted(path, here | {but})
        return tuple(sorted((here - {but}) | elsewhere))

    @asynccontextmanager
    async def hold(self, root: Path) -> AsyncGenerator[None]:
        """Hold the worktrees of a repository: nobody comes, and none goes, in any process.

        Raises:
            WorktreeError: Another process holds them for too long.
        """
        loop = asyncio.get_running_loop()
        async with self._locks.hold(root):
            file = root / ".git" / _LOCK
            lock = FileLock(str(file), thread_local=False)
            until = loop.time() + LOCK_WAIT_S
            try:
                while not await _tried(lock):
                    if loop.time() >= until:
                        raise WorktreeError(
                            f"Another Pilotfish has been working on the worktrees of {root} for "
                            f"{LOCK_WAIT_S:.0f} seconds; it holds {file}.",
                            hint="Try again when it is done, or close the window that it belongs to.",
                        )
                    await asyncio.sleep(POLL_S)
                yield
            finally:
                lock.release()


async def _tried(lock: FileLock) -> bool:
    """Try to take a lock; one taken after whoever wanted it has given up is let go of."""
    attempt = asyncio.get_running_loop().run_in_executor(None, _try, lock)
    try:
        return await asyncio.shield(attempt)
    except asyncio.CancelledError:
        attempt.add_done_callback(lambda _: lock.release())
        raise


def _try(lock: FileLock) -> bool:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    except (OSError, NotImplementedError) as error:
        # A folder that cannot be written, or a file system without locks: git says the former.
        logger.warning("%s cannot be locked: %s", lock.lock_file, error)
    return True


def _note_of(path: Path, guest: str) -> Path | None:
    admin = admin_folder(path)
    if admin is None or not _GUEST.fullmatch(guest):
        return None
    return admin / _FOLDER / f"{guest}{_SUFFIX}"


def _noted(path: Path, known: set[str]) -> set[str]:
    """Return whom the notes of a worktree name that are not known; notes of the dead are removed."""
    admin = admin_folder(path)
    if admin is None:
        return set()
    try:
        files = [one for one in (admin / _FOLDER).iterdir() if one.suffix == _SUFFIX]
    except FileNotFoundError:
        return set()
    except OSError as error:
        return {f"whoever wrote {admin / _FOLDER} ({error.strerror})"}
    found = (_worker_of(one) for one in files if one.stem not in known)
    return {one for one in found if one}


def _worker_of(file: Path) -> str:
    """Return whom a note stands for; nobody when its process has ended."""
    try:
        note = _Note.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return ""
    except (OSError, ValidationError):
        return f"whoever wrote {file}"
    if not is_same_process(note.pid, note.since_boot_s):
        with suppress(OSError):
            file.unlink()
        return ""
    name = file.stem if _GUEST.fullmatch(file.stem) else "one"
    return f"{name} in the process {note.pid}"
