"""Writing a session's transcript: one JSONL file.

Owns: append in order and in batches, flush on demand, notice when somebody else has written.
Does not own: what the events mean (``session.state``), reading (``session.transcript_reader``), the
folder (``session.transcript_store``).
See also: design §11, 02 §6.3.
"""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from pilotfish.core.calls import ToolKind
from pilotfish.core.errors import SessionBusy, SessionError
from pilotfish.core.events import (
    EventRecord,
    QuestionAsked,
    SessionEvent,
    ToolStarted,
    TurnEnded,
)
from pilotfish.session import codec
from pilotfish.session.transcript_lock import TranscriptLock
from pilotfish.session.transcript_reader import Reading, TranscriptIndex
from pilotfish.util.os_reason import os_reason
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

BATCH_S = 0.1
"""How long a record may wait for others, unless it ``must_last`` or is flushed (design 02 §6.3)."""

_HARMLESS_KINDS: frozenset[ToolKind] = frozenset({"read", "search", "think"})

MAX_BATCH_RECORDS = 200
"""Records that are written without waiting for more."""

MAX_QUEUED_RECORDS = 1_000
"""Records that may wait for the disk before no more work is begun; nothing is dropped."""

MAX_BATCH_BYTES = 1024 * 1024
"""One write takes no more lines once it has this many bytes (design 02 §6.3)."""

CLOSE_TIMEOUT_S = 5.0
"""How long the last records may take to reach the disk when a session ends."""


class _Attempt:
    """One write, for all who wait for its end."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.failure: Exception | None = None
        """Why it came to nothing; None while it is not over, or went well."""

    def end(self, failure: Exception | None) -> "_Attempt":
        """Tell who waits how it ended; returns the next one."""
        self.failure = failure
        self.ended.set()
        return _Attempt()


class TranscriptWriter:
    """Appends records to one file, in order, without holding up whoever emits them."""

    def __init__(self, path: Path, lock: TranscriptLock | None = None) -> None:
        """Write to a file.

        Args:
            path: The transcript.
            lock: The right to write it; let go of when the writer closes.
        """
        self.path = path
        self.index = TranscriptIndex()
        self.written_seq = 0
        """The last event that is in the file."""
        self._lock = lock
        self._size: int | None = None
        """How long the file is if nobody else writes; None before the first write."""
        self._whole = False
        """Whether the file's last line is one that was written here."""
        self._queue: list[EventRecord] = []
        self._wake = asyncio.Event()
        self._hurry = asyncio.Event()
        self._attempt = _Attempt()
        """The write that comes next, or is on its way."""
        self._tasks = TaskScope("transcript")
        self._running = False

    def go_on(self, reading: Reading) -> None:
        """Write after what has been read."""
        self.index = reading.index
        self.written_seq = reading.last_seq
        self._size = reading.size

    def is_overloaded(self) -> bool:
        """Tell whether as much waits for the disk as may."""
        return len(self._queue) >= MAX_QUEUED_RECORDS

    def append(self, record: EventRecord) -> None:
        """Queue a record for writing: with others a little later, or at once if it must last."""
        self._queue.append(record)
        if len(self._queue) == MAX_QUEUED_RECORDS:
            logger.warning(
                "transcript %s: %d records wait for the disk", self.path, len(self._queue)
            )
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
                are tried again. Everybody who waits hears of it.
        """
        due = self._queue[-1].seq if self._queue else 0
        while self._queue and self._queue[0].seq <= due:
            self._wake.set()
            self._hurry.set()
            attempt = self._attempt
            await attempt.ended.wait()
            if attempt.failure is not None:
                raise self._unwritten(attempt.failure) from attempt.failure

    async def close(self) -> None:
        """Write what is queued and end; gives a disk that does not answer up."""
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self.flush()
        except SessionError as error:
            # No stack: on a terminal this is what people read.
            logger.warning("%s It is not complete.", error.message)
        except TimeoutError:
            logger.warning("The transcript %s is not complete: the disk is silent.", self.path)
        await self._tasks.close()
        self._running = False
        if self._lock is not None:
            await asyncio.to_thread(self._lock.release)

    async def _drain(self) -> None:
        while True:
            await self._wake.wait()
            await self._gather()
            self._wake.clear()
            batch = tuple(self._queue)
            if not batch:
                continue
            failure: Exception | None = None
            try:
                written = await asyncio.to_thread(self._write, batch)
                del self._queue[:written]
                if written < len(batch):
                    self._wake.set()
                    self._hurry.set()
            except Exception as error:  # noqa: BLE001 - the writer's task root: a flush must hear of any failure
                failure = error
                logger.warning("transcript %s: %s", self.path, os_reason(error))
            self._attempt = self._attempt.end(failure)

    def _unwritten(self, failure: Exception) -> SessionError:
        """Return what whoever waits for the disk is told of a failed write."""
        if isinstance(failure, SessionBusy):
            return SessionBusy(failure.message, hint=failure.hint)
        return SessionError(
            f"The transcript {self.path} cannot be written: {os_reason(failure)}.",
            hint="Make room, or mend the folder's permissions, and send the prompt again.",
        )

    def _write(self, batch: Sequence[EventRecord]) -> int:
        """Append the first records of a batch; returns how many. Blocks."""
        lines: list[bytes] = []
        size = 0
        for record in batch:
            lines.append(codec.to_line(record))
            size += len(lines[-1])
            if size >= MAX_BATCH_BYTES:
                break
        offset, self._size = _append(self.path, b"".join(lines), self._size, whole=self._whole)
        self._whole = True
        for record, line in zip(batch, lines, strict=False):
            self.index.note(record.seq, offset)
            offset += len(line)
            self.written_seq = record.seq
        return len(lines)

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


def _append(path: Path, data: bytes, expected: int | None, *, whole: bool) -> tuple[int, int]:
    """Append to a file that nobody else writes; returns where the data begin, and end.

    Args:
        path: The file; it and its folder are made where there are none.
        data: Whole lines.
        expected: How long it is if nobody else has written; None when that is not known.
        whole: Whether its last line is known to be whole.

    Raises:
        SessionBusy: The file is not as long as expected, or not there any more.
        OSError: It cannot be written; nothing of the data is in it then.
    """
    if expected and not path.exists():
        raise SessionBusy(
            f"The transcript {path} was deleted by another program.",
            hint="Start a new chat: what is said here can no longer be kept.",
        )
    with _open_to_append(path) as file:
        before = file.tell()
        if expected is not None and before != expected:
            raise SessionBusy(
                f"The transcript {path} was changed by another program; what both wrote must not be "
                "mixed.",
                hint="Fork the session and go on with the copy.",
            )
        torn = not whole and before > 0 and not _ends_with_newline(path)
        try:
            _write_all(file, b"\n" + data if torn else data)
        except OSError:
            # A full disk took a part. All of it is written again later, and no event may be there
            # twice.
            file.truncate(before)
            raise
        start = before + torn
        return start, start + len(data)


def _open_to_append(path: Path) -> BinaryIO:
    """Open a transcript, made anew with its folder where there is none."""
    try:
        return path.open("ab", buffering=0)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return path.open("ab", buffering=0)


def _write_all(file: BinaryIO, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def _ends_with_newline(path: Path) -> bool:
    """Tell whether the last write was whole; a torn line must not swallow the next one."""
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) == b"\n"
