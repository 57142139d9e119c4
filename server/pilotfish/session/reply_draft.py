"""The words of a reply that still streams, kept for the case that the process is killed.

A block is in the transcript once it is whole. Of a long one that would lose minutes of text, so what
has streamed is written beside the transcript now and then, and taken up when the session is loaded.

Owns: the file of the draft: when it is written, that it goes with the block it stands for, and what
of it still counts on load.
Does not own: what streams (``session.live``), the end of the turn that was cut (``session.recovery``).
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pilotfish.core.errors import SessionError
from pilotfish.core.events import (
    BlockFinished,
    EventRecord,
    ReplyDiscarded,
    ReplyFinished,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.passing_events import BlockDelta
from pilotfish.ports.clock import ClockPort
from pilotfish.session import codec
from pilotfish.session.live import LiveView
from pilotfish.session.log import EventLog
from pilotfish.util.tasks import TaskScope
from pilotfish.util.whole_file import replace_file

logger = logging.getLogger(__name__)

FIRST_S = 1.0
"""How long a text streams before it is worth a draft: most are whole by then, and cost nothing."""

AGAIN_S = 2.0
"""How long a draft stands before a longer one replaces it."""


class ReplyDraft:
    """The draft of one session."""

    def __init__(self, log: EventLog, live: LiveView, clock: ClockPort) -> None:
        """Follow a session.

        Args:
            log: Its events; ``live`` has heard each of them before this does.
            live: What streams.
            clock: For the times.
        """
        self._log = log
        self._live = live
        self._clock = clock
        self._timer: asyncio.TimerHandle | None = None
        """Runs from the first word of a text until it is worth a draft."""
        self._keeping: asyncio.Task[None] | None = None
        """Runs from then on until nothing streams and the draft is gone."""
        self._ended = asyncio.Event()
        self._has_file = False
        self._tasks = TaskScope("draft")
        self._remove = log.listen(self._hear)

    async def close(self) -> None:
        """End with the session, once its transcript is closed: what that has needs no draft."""
        self._remove()
        self._stop_timer()
        await self._tasks.close()
        if self._has_file and self._log.is_written:
            with suppress(OSError):
                await asyncio.to_thread(draft_of(self._log.path).unlink, missing_ok=True)

    def _hear(self, record: EventRecord) -> None:
        match record.event:
            case BlockDelta(kind="text"):
                if self._timer is None and self._keeping is None:
                    loop = asyncio.get_running_loop()
                    self._timer = loop.call_later(FIRST_S, self._begin)
            case BlockFinished() | ReplyFinished() | ReplyDiscarded() | TurnEnded():
                self._stop_timer()
                self._ended.set()
            case _:
                pass

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _begin(self) -> None:
        self._timer = None
        self._keeping = self._tasks.start(self._keep(), name=self._log.path.name)

    async def _keep(self) -> None:
        path = draft_of(self._log.path)
        try:
            while records := self._records():
                self._ended.clear()
                self._has_file = True
                await asyncio.to_thread(_write, path, records)
                with suppress(TimeoutError):
                    async with asyncio.timeout(AGAIN_S):
                        await self._ended.wait()
            # The draft stands in for the block until that is on disk.
            await self._log.flush()
            await asyncio.to_thread(path.unlink, missing_ok=True)
            self._has_file = False
        except (OSError, SessionError) as error:
            logger.warning("the draft %s: %s", path, error)
        finally:
            self._keeping = None

    def _records(self) -> list[EventRecord]:
        """Return what streams as events to be; nothing when that is over."""
        return [
            EventRecord(
                seq=self._log.data.seq,
                time_ms=self._clock.now_ms(),
                event=block,
                turn_id=self._log.turn_id,
                agent_id=self._log.agent_id,
            )
            for block in self._live.unfinished()
        ]


def draft_of(transcript: Path) -> Path:
    """Return where the draft of a transcript's running reply is."""
    return transcript.with_suffix(".draft")


async def take_up_draft(log: EventLog) -> None:
    """Keep what an earlier process had heard of a reply when it was killed, as far as it is new.

    Args:
        log: A session's events, just restored, its open turn not closed yet.
    """
    path = draft_of(log.path)
    try:
        records = await asyncio.to_thread(_read, path)
    except OSError as error:
        logger.warning("the draft %s cannot be read: %s", path, error)
        return
    if records is None:
        return
    log.turn_id = log.data.open_turn
    for event in _still_new(log, records):
        log.emit(event)
    log.turn_id = None
    try:
        await log.flush()
        await asyncio.to_thread(path.unlink, missing_ok=True)
    except (OSError, SessionError) as error:  # it is judged again the next time
        logger.warning("the draft %s stays: %s", path, error)


def _still_new(log: EventLog, records: Sequence[EventRecord]) -> list[BlockFinished]:
    """Return the blocks of a draft that neither were finished later nor given up."""
    since = log.held_after(records[0].seq) if records else []
    ended = {
        (one.event.message_id, one.event.block_index)
        for one in since
        if isinstance(one.event, BlockFinished)
    }
    given_up = any(isinstance(one.event, ReplyDiscarded | TurnEnded | TurnStarted) for one in since)
    if given_up or log.data.seq - len(since) > (records[0].seq if records else 0):
        return []
    return [
        one.event
        for one in records
        if isinstance(one.event, BlockFinished)
        and one.turn_id is not None
        and one.turn_id == log.data.open_turn
        and (one.event.message_id, one.event.block_index) not in ended
    ]


def _write(path: Path, records: Sequence[EventRecord]) -> None:
    replace_file(path, b"".join(codec.to_line(record) for record in records))


def _read(path: Path) -> list[EventRecord] | None:
    """Return the records of a draft; None when there is none."""
    if not path.is_file():
        return None
    lines = path.read_bytes().splitlines(keepends=True)
    return [record for line in lines if (record := codec.from_line(line)) is not None]
