"""Transcripts: one JSONL file a session.

Owns: the files under ``<home>/projects/<slug>/``: append in order, flush on demand, load what a
crash left, list.
Does not own: what the events mean (``session.state``).
See also: design §11, 02 §6.3.
"""

import asyncio
import logging
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pilotfish.core.calls import ToolKind
from pilotfish.core.errors import SessionError
from pilotfish.core.events import (
    EventRecord,
    PromptSubmitted,
    QuestionAsked,
    SessionCreated,
    SessionEvent,
    TitleChanged,
    ToolStarted,
    TurnEnded,
)
from pilotfish.core.ids import SessionId
from pilotfish.core.messages import text_of
from pilotfish.session import codec
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

MAX_SLUG_CHARS = 80
"""Folder names stay readable and below every file system's limit."""

HEAD_BYTES = 64 * 1024
"""How much of a file a listing reads to find its first prompt."""

BATCH_S = 0.1
"""How long a record may wait for others, unless it ``must_last`` or is flushed (design 02 §6.3)."""

_HARMLESS_KINDS: frozenset[ToolKind] = frozenset({"read", "search", "think"})

MAX_BATCH_RECORDS = 200
"""Records that are written without waiting for more."""

MAX_QUEUED_RECORDS = 1_000
"""Records that may wait for the disk; reaching it is logged once, nothing is dropped."""

CLOSE_TIMEOUT_S = 5.0
"""How long the last records may take to reach the disk when a session ends."""

_ID = re.compile(r"^[0-9a-fA-F-]{8,64}$")


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionSummary:
    """A session as a list shows it."""

    session_id: SessionId
    cwd: str
    title: str
    updated_ms: int
    """Wall clock of the last write, milliseconds since the epoch."""


class TranscriptWriter:
    """Appends records to one file, in order, without holding up whoever emits them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._queue: list[EventRecord] = []
        self._wake = asyncio.Event()
        self._hurry = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._tasks = TaskScope("transcript")
        self._failed: Exception | None = None
        self._running = False

    def append(self, record: EventRecord) -> None:
        """Queue a record for writing: with others a little later, or at once if it must last."""
        self._queue.append(record)
        if len(self._queue) == MAX_QUEUED_RECORDS:
            logger.warning(
                "transcript %s: %d records wait for the disk", self.path, len(self._queue)
            )
        self._idle.clear()
        self._wake.set()
        if must_last(record.event) or len(self._queue) >= MAX_BATCH_RECORDS:
            self._hurry.set()
        if not self._running:
            self._running = True
            self._tasks.start(self._drain(), name=self.path.name)

    async def flush(self) -> None:
        """Wait until everything appended so far is on disk.

        Raises:
            SessionError: It cannot be written (disk full, folder gone); the records stay queued and
                are tried again.
        """
        if not self._idle.is_set():
            self._hurry.set()
        await self._idle.wait()
        if self._failed is not None:
            failed, self._failed = self._failed, None
            self._idle.clear()
            self._wake.set()
            raise SessionError(
                f"The transcript {self.path} cannot be written: {failed}.",
                hint="Make room, or mend the folder's permissions, and send the prompt again.",
            ) from failed

    async def close(self) -> None:
        """Write what is queued and end; gives a disk that does not answer up."""
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self.flush()
        except (SessionError, TimeoutError):
            logger.exception("transcript %s could not be completed", self.path)
        await self._tasks.close()
        self._running = False

    async def _drain(self) -> None:
        while True:
            await self._wake.wait()
            await self._gather()
            self._wake.clear()
            batch = self._queue
            if not batch:
                continue
            self._queue = []
            try:
                await asyncio.to_thread(_append, self.path, batch)
                self._failed = None
            except Exception as error:  # noqa: BLE001 - the writer's task root: a flush must hear of any failure
                self._queue = batch + self._queue
                self._failed = error
                logger.warning("transcript %s: %s", self.path, error)
            if not self._queue or self._failed is not None:
                self._idle.set()

    async def _gather(self) -> None:
        """Let records come together for one write, unless somebody waits for them."""
        try:
            async with asyncio.timeout(BATCH_S):
                await self._hurry.wait()
        except TimeoutError:
            pass
        self._hurry.clear()


def must_last(event: SessionEvent) -> bool:
    """Tell whether an event must be on disk even if the process is killed right after it.

    These are what the user has seen done (the end of a turn), what waits for the user, and calls
    that may change something: the model must not repeat them because nobody remembers.
    """
    match event:
        case QuestionAsked() | TurnEnded():
            return True
        case ToolStarted(kind=kind):
            return kind not in _HARMLESS_KINDS
        case _:
            return False


class TranscriptStore:
    """The folder of all transcripts."""

    def __init__(self, home: Path) -> None:
        self._projects = home / "projects"

    def path_for(self, session_id: SessionId, cwd: Path) -> Path:
        """Return where a session of a project keeps its transcript."""
        return self._projects / slug_of(cwd) / f"{session_id}.jsonl"

    async def find(self, session_id: SessionId) -> Path | None:
        """Return the transcript of a session, whatever its project; None when there is none."""
        if not _ID.match(session_id):
            return None
        return await asyncio.to_thread(self._find, session_id)

    async def load(self, path: Path) -> list[EventRecord]:
        """Read a transcript; torn and unknown lines are skipped and counted in the log."""
        return await asyncio.to_thread(lambda: list(_read(path)))

    async def list_sessions(self, cwd: Path | None = None) -> list[SessionSummary]:
        """Return the sessions of a project, or of all, the latest first."""
        return await asyncio.to_thread(self._list, cwd)

    async def delete(self, session_id: SessionId) -> bool:
        """Delete a transcript and what else is kept of its session; False when there is none.

        That is the texts of files that were changed, long results and the plan.
        """
        path = await self.find(session_id)
        if path is None:
            return False
        await asyncio.to_thread(self._delete, path)
        return True

    def _delete(self, path: Path) -> None:
        name, folder = path.stem, self._projects.parent
        for place in ("file-history", "tool-results"):
            shutil.rmtree(folder / place / name, ignore_errors=True)
        (folder / "plans" / f"{name}.md").unlink(missing_ok=True)
        path.unlink(missing_ok=True)

    def _find(self, session_id: SessionId) -> Path | None:
        return next(iter(self._projects.glob(f"*/{session_id}.jsonl")), None)

    def _list(self, cwd: Path | None) -> list[SessionSummary]:
        pattern = "*/*.jsonl" if cwd is None else f"{slug_of(cwd)}/*.jsonl"
        found: list[SessionSummary] = []
        for path in self._projects.glob(pattern):
            summary = _summarise(path)
            if summary is not None and (cwd is None or Path(summary.cwd) == cwd):
                found.append(summary)
        return sorted(found, key=lambda summary: summary.updated_ms, reverse=True)


def slug_of(cwd: Path) -> str:
    """Return a readable folder name for a project's path."""
    slug = re.sub(r"[^A-Za-z0-9]+", "-", str(cwd)).strip("-")
    return slug[-MAX_SLUG_CHARS:] or "root"


def title_of(text: str) -> str:
    """Return a session title for a first prompt: its first line, cut."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= MAX_SLUG_CHARS else line[: MAX_SLUG_CHARS - 1] + "…"


def _append(path: Path, records: list[EventRecord]) -> None:
    data = b"".join(codec.to_line(record) for record in records)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with path.open("ab", buffering=0) as file:
        before = file.tell()
        if before > 0 and not _ends_with_newline(path):
            data = b"\n" + data
        try:
            _write_all(file, data)
        except OSError:
            # A full disk took a part. All of it is written again later, and no event may be there
            # twice.
            file.truncate(before)
            raise


def _write_all(file: BinaryIO, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def _ends_with_newline(path: Path) -> bool:
    """Tell whether the last write was whole; a torn line must not swallow the next one."""
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) == b"\n"


def _read(path: Path) -> Iterator[EventRecord]:
    skipped = 0
    with path.open("rb") as file:
        for line in file:
            record = codec.from_line(line) if line.strip() else None
            if record is None:
                skipped += 1
            else:
                yield record
    if skipped:
        logger.warning("transcript %s: %d lines could not be read", path, skipped)


def _summarise(path: Path) -> SessionSummary | None:
    """Read just enough of a transcript to list it; None when it holds no prompt."""
    created: SessionCreated | None = None
    title = ""
    try:
        updated_ms = path.stat().st_mtime_ns // 1_000_000
        with path.open("rb") as file:
            lines = file.read(HEAD_BYTES).splitlines()
    except OSError:
        return None
    for line in lines:
        record = codec.from_line(line)
        match record.event if record is not None else None:
            case SessionCreated() as event:
                created = event
            case TitleChanged(title=new_title):
                title = new_title
            case PromptSubmitted() as event if not title:
                title = title_of(text_of(event.content))
            case _:
                pass
    if created is None or not title:
        return None
    return SessionSummary(
        session_id=created.session_id, cwd=created.cwd, title=title, updated_ms=updated_ms
    )
