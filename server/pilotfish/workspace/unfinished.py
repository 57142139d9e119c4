"""Temporary files of writes that were cut off.

Owns: a note for each write on its way, so that what a killed process left behind is found and removed
when the next one starts.
Does not own: writing (``workspace.disk``). All functions block; call in a thread.
"""

import contextlib
import logging
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil

logger = logging.getLogger(__name__)

TEMPORARY_SUFFIX = ".pilotfish-tmp"
"""How the names of temporary files end; nothing else is ever removed."""

_NAME_CHARS = 20
"""Characters of a file's name that its temporary file's name begins with."""


def temporary_beside(path: Path) -> Path:
    """Return a new name in the folder of a file, short enough for any file system."""
    return path.with_name(f".{path.name[:_NAME_CHARS]}.{secrets.token_hex(4)}{TEMPORARY_SUFFIX}")


class UnfinishedWrites:
    """The notes of all processes of this user."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def noted(self, temporary: Path) -> Generator[None]:
        """Keep a note while a temporary file may exist. Without a note the write goes on."""
        note = self._folder / f"{os.getpid()}-{secrets.token_hex(4)}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            note.write_bytes(os.fsencode(temporary))
        except OSError as error:
            logger.warning("no note of %s could be kept: %s", temporary, error)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                note.unlink(missing_ok=True)

    def sweep(self) -> int:
        """Remove what processes that are gone left behind; returns the number of files removed."""
        removed = 0
        try:
            notes = list(self._folder.iterdir())
        except OSError:
            return 0
        for note in notes:
            pid = note.name.partition("-")[0]
            if pid.isdigit() and not psutil.pid_exists(int(pid)):
                removed += self._remove(note)
        return removed

    def _remove(self, note: Path) -> int:
        try:
            temporary = Path(os.fsdecode(note.read_bytes()))
            found = temporary.name.endswith(TEMPORARY_SUFFIX) and temporary.exists()
            if found:
                temporary.unlink(missing_ok=True)
            note.unlink(missing_ok=True)
        except (OSError, ValueError) as error:
            logger.warning("what %s left behind could not be removed: %s", note.name, error)
            return 0
        return int(found)
