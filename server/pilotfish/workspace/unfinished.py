"""Writes that were cut off.

Owns: a note for each temporary file on its way, so that what a killed process left behind is found and
removed when the next one starts; a journal of each write in place, by which a torn file is finished
then.
Does not own: writing (``workspace.disk``). All functions block; call in a thread.

Layout: ``<pid>-<token>`` names a temporary file; ``in-place/<pid>-<token>/`` holds ``old`` and ``new``
content and ``path``, which is written last; ``kept/<token>/`` what could not be mended.
"""

import contextlib
import errno
import logging
import os
import secrets
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil

from pilotfish.util.records import dataclass
from pilotfish.workspace.encoded import Content, write_content

logger = logging.getLogger(__name__)

TEMPORARY_SUFFIX = ".pilotfish-tmp"
"""How the names of temporary files end; nothing else is ever removed."""

_NAME_CHARS = 20
"""Characters of a file's name that its temporary file's name begins with."""


def temporary_beside(path: Path) -> Path:
    """Return a new name in the folder of a file, short enough for any file system."""
    return path.with_name(f".{path.name[:_NAME_CHARS]}.{secrets.token_hex(4)}{TEMPORARY_SUFFIX}")


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A write in place: both contents are safe until it is closed."""

    folder: Path

    @property
    def old(self) -> Path:
        """Where the content before is."""
        return self.folder / "old"

    @property
    def new(self) -> Path:
        """Where the intended content is."""
        return self.folder / "new"

    def close(self) -> None:
        """Forget it: the file is whole, the old one or the new one."""
        shutil.rmtree(self.folder, ignore_errors=True)


class UnfinishedWrites:
    """The notes of all processes of this user."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._news: list[str] = []

    @property
    def news(self) -> tuple[str, ...]:
        """What the user should know of writes that earlier processes did not finish."""
        return tuple(self._news)

    def begin_in_place(self, path: Path, data: Content) -> JournalEntry:
        """Keep what a file holds and is to hold, before it is written in place.

        Raises:
            OSError: That cannot be kept; the file must not be written then.
        """
        token = secrets.token_hex(4)
        entry = JournalEntry(self._folder / "in-place" / f"{os.getpid()}-{token}")
        entry.folder.mkdir(parents=True, mode=0o700)
        with contextlib.ExitStack() as undo:
            undo.callback(entry.close)
            shutil.copyfile(path, entry.old)
            with entry.new.open("wb") as file:
                write_content(file, data)
            (entry.folder / "path").write_bytes(os.fsencode(path))
            undo.pop_all()
        return entry

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
        """Remove or finish what processes that are gone left behind; returns the number of files."""
        handled = sum(self._remove(note) for note in _abandoned(self._folder))
        return handled + sum(self._mend(entry) for entry in _abandoned(self._folder / "in-place"))

    def _mend(self, folder: Path) -> int:
        """Finish a write in place that was cut off, unless the file was changed since."""
        entry = JournalEntry(folder)
        try:
            path = Path(os.fsdecode((folder / "path").read_bytes()))
            old, new = entry.old.read_bytes(), entry.new.read_bytes()
        except (OSError, ValueError):
            entry.close()  # the write had not begun
            return 0
        try:
            found = path.read_bytes()
            if found in (old, new):
                entry.close()
                return 0
            _check_torn(found, old, new)
            with path.open("r+b") as file:
                file.write(new)
                file.truncate()
        except OSError as error:
            self._give_up(path, entry, error)
            return 0
        entry.close()
        logger.warning("a write of %s that was cut off was finished", path)
        self._news.append(f"A write of {path} had been cut off in its middle; it was finished now.")
        return 1

    def _give_up(self, path: Path, entry: JournalEntry, error: OSError) -> None:
        kept = JournalEntry(self._folder / "kept" / entry.folder.name)
        try:
            kept.folder.parent.mkdir(exist_ok=True, mode=0o700)
            entry.folder.rename(kept.folder)
        except OSError:
            kept = entry
        text = (
            f"A write of {path} was cut off and could not be finished ({error.strerror}); the file "
            f"may be torn. Its text before is in {kept.old}, the intended one in {kept.new}."
        )
        logger.error(text)
        self._news.append(text)

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


def _abandoned(folder: Path) -> list[Path]:
    """Return the entries of a folder that belong to processes that are gone."""
    try:
        entries = list(folder.iterdir())
    except OSError:
        return []
    pids = [(entry, entry.name.partition("-")[0]) for entry in entries]
    return [entry for entry, pid in pids if pid.isdigit() and not psutil.pid_exists(int(pid))]


def _check_torn(found: bytes, old: bytes, new: bytes) -> None:
    """Make sure that nobody but an interrupted write has touched a file.

    Raises:
        OSError: Somebody has.
    """
    if not _is_torn(found, old, new):
        raise OSError(errno.ESTALE, "it was changed by somebody else since")


def _is_torn(found: bytes, old: bytes, new: bytes) -> bool:
    """Tell whether a file is what an interrupted overwriting of ``old`` by ``new`` leaves."""
    if len(found) > len(old):
        return new.startswith(found)
    if len(found) < len(old):
        return False  # the file is cut to its length last, when all of ``new`` is there
    written = _common_start(found, new)
    return found[written:] == old[written:]


def _common_start(one: bytes, other: bytes) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
