"""Which children a server has, on disk: for the next server to end them, and for ``doctor`` to show.

Owns: one file per server that has children, the sweep of those whose server is gone.
Does not own: ending children while their server lives (``workspace.process``) or right after it was
killed (``workspace.guard``; the sweep is for what that one missed, because it was killed as well).

A process is known by its number together with its start time: the number alone may be somebody
else's by now.
"""

import io
import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
from pydantic import BaseModel, ConfigDict, ValidationError

from pilotfish.ports.processes import ProcessPurpose
from pilotfish.util.process_identity import is_same_process, start_since_boot
from pilotfish.util.whole_file import append_whole, unfinished_of
from pilotfish.workspace.marks import carriers, end_carriers
from pilotfish.workspace.posix_group import PosixGroup
from pilotfish.workspace.process_tree import end_tree

logger = logging.getLogger(__name__)

MAX_LINES = 5_000
"""Lines after which the file is written anew with what runs now."""

MAX_FILE_BYTES = 4 * 1024 * 1024
"""A longer file is none of ours."""

KILL_AFTER_S = 2.0
"""How long an orphan has between TERM and KILL."""


def process_records(state_folder: Path) -> Path:
    """Return where the servers of a user note their children."""
    return state_folder / "processes"


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    pid: int
    since_boot_s: float
    """Seconds since the system was started; a date would jump with the system's clock."""


class ServerLine(_Line):
    """The first line: the process whose children these are."""

    mark: str
    """What the marks of its children begin with."""


class ChildLine(_Line):
    """A child that was started, or, with ``gone``, that has ended."""

    purpose: ProcessPurpose
    label: str
    gone: bool = False


class ServerRecord(BaseModel):
    """What one file tells."""

    server: ServerLine
    children: tuple[ChildLine, ...]
    """Those that had not ended when the file was last written."""
    file: Path

    @property
    def server_lives(self) -> bool:
        """Whether the server still runs."""
        return still_runs(self.server)


class ProcessLedger:
    """The file of this process. Writing a line costs some 50 microseconds; it goes to the page cache."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: io.FileIO | None = None
        self._children: dict[int, ChildLine] = {}
        self._first: ServerLine | None = None
        self._lines = 0

    def begin(self, mark: str) -> None:
        """Learn what the marks of all children begin with; comes before the first child."""
        own = os.getpid()
        self._first = ServerLine(pid=own, since_boot_s=start_since_boot(own), mark=mark)

    def add(self, pid: int, purpose: ProcessPurpose, label: str) -> None:
        """Note a child."""
        try:
            started = start_since_boot(pid)
        except psutil.Error:  # it has ended already
            return
        line = ChildLine(pid=pid, since_boot_s=started, purpose=purpose, label=label)
        self._children[pid] = line
        self._write(line)

    def remove(self, pid: int) -> None:
        """Note that nothing of a child runs any more."""
        line = self._children.pop(pid, None)
        if line is not None:
            self._write(line.model_copy(update={"gone": True}))

    def close(self) -> None:
        """Remove the file: all children have ended."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if self._lines:
            _forget(self._path)

    @property
    def _path(self) -> Path:
        return self._folder / f"{os.getpid()}.jsonl"

    def _write(self, line: ChildLine) -> None:
        if self._first is None:
            return
        try:
            if self._file is None or self._lines >= MAX_LINES:
                self._start_anew(self._first)
            else:
                append_whole(self._file, _bytes(line))
                self._lines += 1
        except OSError as error:
            self._lines = MAX_LINES  # the next one brings what this one did not
            logger.warning("the children of this process cannot be recorded: %s", error)

    def _start_anew(self, first: ServerLine) -> None:
        """Write what runs now in the place of all that was written; where it does not fit, that stays."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lines = (first, *self._children.values())
        unfinished = unfinished_of(self._path)
        try:
            with _opened(unfinished, os.O_CREAT | os.O_TRUNC) as file:
                append_whole(file, b"".join(map(_bytes, lines)))
            if self._file is not None:  # Windows replaces no file that is open
                self._file.close()
                self._file = None
            unfinished.replace(self._path)
            self._file = _opened(self._path, 0)
        except OSError:
            _forget(unfinished)
            raise
        self._lines = len(lines)


def _opened(path: Path, flags: int) -> io.FileIO:
    flags |= os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
    return io.FileIO(os.open(path, flags, 0o600), "w")


def _bytes(line: _Line) -> bytes:
    return line.model_dump_json().encode() + b"\n"


def read_ledgers(folder: Path) -> list[ServerRecord]:
    """Return what all servers of this user have recorded. Blocking."""
    try:
        files = sorted(folder.glob("*.jsonl"))
    except OSError:
        return []
    return [record for file in files if (record := _read(file)) is not None]


def sweep_orphans(folder: Path) -> int:
    """End the children of servers that are gone, and forget these servers. Blocking.

    Returns:
        How many processes were ended.
    """
    ended = 0
    for record in read_ledgers(folder):
        if record.server_lives:
            continue
        orphans = [child for child in record.children if still_runs(child)]
        ended += _end(orphans) + _end_marked(record.server.mark)
        _forget(record.file)
    _forget_unfinished(folder)
    return ended


def _forget_unfinished(folder: Path) -> None:
    """Remove what servers left that were killed while they wrote their file anew."""
    with suppress(OSError):
        for file in folder.glob("*.jsonl.part"):
            server = file.name.partition(".")[0]
            with suppress(ValueError, OverflowError):  # a name that is none of ours
                if not psutil.pid_exists(int(server)):
                    _forget(file)


def _forget(file: Path) -> None:
    """Remove a file whose children have ended; one that stays names nobody who still runs."""
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("%s stays: %s", file, error)


def still_runs(line: _Line) -> bool:
    """Tell whether the process of a line still runs."""
    return is_same_process(line.pid, line.since_boot_s)


def _end(orphans: list[ChildLine]) -> int:
    """End process groups: a child leads its own."""
    for by_force in (False, True):
        for orphan in orphans:
            if still_runs(orphan):
                _end_group(orphan.pid, by_force=by_force)
        left = [psutil.Process(orphan.pid) for orphan in orphans if still_runs(orphan)]
        psutil.wait_procs(left, timeout=KILL_AFTER_S)
    return len(orphans)


def _end_marked(mark: str) -> int:
    """End what left its group."""
    found = end_carriers(mark)
    deadline = time.monotonic() + KILL_AFTER_S
    while found and carriers(mark):
        if time.monotonic() >= deadline:
            end_carriers(mark, by_force=True)
            break
        time.sleep(0.02)
    return found


def _end_group(leader: int, *, by_force: bool) -> None:
    if sys.platform == "win32":
        # Its job ended with its server, so this is for what had no job.
        end_tree(leader, by_force=by_force)
    else:
        PosixGroup(leader).end(by_force=by_force)


def _read(file: Path) -> ServerRecord | None:
    """Read one file; None when it is not one of ours."""
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            return None
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        server = ServerLine.model_validate_json(lines[0] if lines else "")
    except (OSError, ValidationError) as error:
        logger.warning("%s tells nothing of processes: %s", file, error)
        return None
    running: dict[int, ChildLine] = {}
    for child in _children(lines[1:]):
        if child.gone:
            running.pop(child.pid, None)
        else:
            running[child.pid] = child
    return ServerRecord(server=server, children=tuple(running.values()), file=file)


def _children(lines: list[str]) -> Iterator[ChildLine]:
    for line in lines:
        try:
            yield ChildLine.model_validate_json(line)
        except ValidationError:  # torn: the server was killed while it wrote
            continue
