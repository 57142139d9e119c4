"""A task list on disk.

Owns: one file for each entry, the mark of the highest id, the lock. All of it blocks.
Does not own: what a change means (``tasklist.changes``).

The lock is the system's, on an open file: it ends with the process that holds it, however that ends,
so there are no stale ones. Readers need none: each file is replaced in one step, and a pair of files
of which only one has been written is put right by whoever reads (``tasklist.edges``).
"""

import logging
import re
import shutil
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from pilotfish.config.files import read_text, write_text
from pilotfish.core.errors import SettingsError, WorkspaceError
from pilotfish.core.jsontypes import JsonValue
from pilotfish.tasklist.changes import changed, differing, merged_metadata, released
from pilotfish.tasklist.edges import mended
from pilotfish.tasklist.model import (
    MAX_DESCRIPTION_CHARS,
    MAX_ENTRIES,
    MAX_SUBJECT_CHARS,
    Entry,
    EntryChange,
    EntryId,
    EntryStatus,
    NewEntry,
    TaskListError,
    require,
)

logger = logging.getLogger(__name__)

LOCK_WAIT_S = 5.0
"""How long a change waits for others, other processes included: a dozen at once take far less."""

LOCK_POLL_S = 0.01
"""How often it is tried."""

_HIGH_WATER_MARK = ".highwatermark"
_LOCK = ".lock"
_FILE = re.compile(r"^([1-9][0-9]{0,8})\.json$")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")


class _Stored(BaseModel):
    """The form of a file."""

    model_config = ConfigDict(
        extra="ignore", alias_generator=to_camel, populate_by_name=True, defer_build=True
    )

    id: str
    subject: str = Field(max_length=MAX_SUBJECT_CHARS)
    description: str = Field(default="", max_length=MAX_DESCRIPTION_CHARS)
    active_form: str = Field(default="", max_length=MAX_SUBJECT_CHARS)
    owner: str = ""
    status: EntryStatus = "pending"
    blocks: tuple[str, ...] = ()
    blocked_by: tuple[str, ...] = ()
    metadata: Mapping[str, JsonValue] = Field(default_factory=dict[str, JsonValue])


class TaskStore:
    """The files of one list."""

    def __init__(self, folder: Path) -> None:
        """Name the folder; it is made with the first entry."""
        self._folder = folder

    def entries(self) -> dict[EntryId, Entry]:
        """Return the list. A file that cannot be read is left out, and told in the log."""
        found: list[Entry] = []
        for entry_id in self._ids():
            entry = self._read(entry_id)
            if entry is not None:
                found.append(entry)
        return mended(found)

    def create(self, new: NewEntry) -> Entry:
        """Add an entry at the end.

        Raises:
            TaskListError: The list is full, or the entry too large.
            WorkspaceError: The list cannot be written.
        """
        metadata = merged_metadata({}, new.metadata)
        with self._locked():
            ids = self._ids()
            if len(ids) >= MAX_ENTRIES:
                raise TaskListError(
                    "list_full",
                    f"The list has {MAX_ENTRIES} tasks already (list_full).",
                    hint="Delete what is done with: TaskUpdate with status deleted.",
                )
            entry = Entry(
                id=str(max([self._high_water_mark(), *(int(each) for each in ids)]) + 1),
                subject=new.subject,
                description=new.description,
                active_form=new.active_form,
                metadata=metadata,
            )
            self._write(entry)
        return entry

    def update(self, entry_id: EntryId, change: EntryChange, agent: str) -> Entry:
        """Change an entry; setting it in progress claims it for an agent.

        Raises:
            TaskListError: It is refused.
            WorkspaceError: The list cannot be written.
        """
        with self._locked():
            before = self.entries()
            after = changed(before, entry_id, change, agent)
            for entry in differing(before, after):
                self._write(entry)
        return after[entry_id]

    def delete(self, entry_id: EntryId) -> Entry:
        """Take an entry out, and every mention of it; its id is not used again.

        Raises:
            TaskListError: There is none of that id.
            WorkspaceError: The list cannot be written.
        """
        with self._locked():
            before = self.entries()
            gone = require(before, entry_id)
            mark = max(self._high_water_mark(), *(int(each) for each in before))
            _replace(self._folder / _HIGH_WATER_MARK, str(mark))
            self._file(entry_id).unlink(missing_ok=True)
            after = mended(entry for entry in before.values() if entry.id != entry_id)
            for entry in differing(before, after):
                self._write(entry)
        return gone

    def release(self, owners: frozenset[str]) -> bool:
        """Free what agents that are gone had not finished; returns whether there was anything.

        Raises:
            WorkspaceError: The list cannot be written.
        """
        if not self._folder.is_dir():
            return False
        with self._locked():
            before = self.entries()
            freed = list(differing(before, released(before, owners)))
            for entry in freed:
                self._write(entry)
        return bool(freed)

    def _ids(self) -> list[EntryId]:
        try:
            names = [path.name for path in self._folder.iterdir()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise WorkspaceError(
                f"The task list {self._folder} cannot be read: {error.strerror or error}."
            ) from error
        ids = [match[1] for name in names if (match := _FILE.match(name))]
        return sorted(ids, key=int)[:MAX_ENTRIES]

    def _read(self, entry_id: EntryId) -> Entry | None:
        file = self._file(entry_id)
        try:
            text = read_text(file)
            stored = None if text is None else _Stored.model_validate_json(text)
        except (SettingsError, ValidationError) as error:
            logger.warning("the task in %s is left out: %s", file, error)
            return None
        if stored is None:
            return None  # Deleted since the folder was listed.
        return replace(Entry(**dict(stored)), id=entry_id)

    def _write(self, entry: Entry) -> None:
        stored = _Stored.model_validate(entry, from_attributes=True)
        _replace(self._file(entry.id), stored.model_dump_json(by_alias=True, indent=2) + "\n")

    def _file(self, entry_id: EntryId) -> Path:
        return self._folder / f"{entry_id}.json"

    def _high_water_mark(self) -> int:
        try:
            text = (read_text(self._folder / _HIGH_WATER_MARK) or "").strip()
        except SettingsError as error:
            logger.warning("the mark of the highest task is left out: %s", error)
            return 0
        return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else 0

    @contextmanager
    def _locked(self) -> Generator[None]:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._folder / _LOCK, timeout=LOCK_WAIT_S, poll_interval=LOCK_POLL_S)
            with lock:
                yield
        except Timeout as error:
            raise WorkspaceError(
                "The task list is being changed by others.", hint="Try again in a moment."
            ) from error
        except OSError as error:
            raise WorkspaceError(
                f"The task list {self._folder} cannot be locked: {error.strerror or error}."
            ) from error


def list_name(text: str) -> str:
    """Return a name of a list as the name of its folder."""
    return _NOT_IN_NAMES.sub("-", text)[:64]


def copy_list(source: Path, target: Path) -> None:
    """Copy the files of a list; nothing happens where there is none.

    Raises:
        OSError: It cannot be copied.
    """
    if not source.is_dir():
        return
    target.mkdir(parents=True)
    for file in source.iterdir():
        if _FILE.match(file.name) or file.name == _HIGH_WATER_MARK:
            shutil.copyfile(file, target / file.name)


def _replace(file: Path, text: str) -> None:
    try:
        write_text(file, text)
    except SettingsError as error:
        raise WorkspaceError(error.message, hint=error.hint) from error
