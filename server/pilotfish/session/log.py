"""A session's event list.

Owns: the one place where an event gets its ``seq``, reaches the folds, the transcript and the
listeners, in that order; and the latest events, for views. Older ones are read from the transcript.
Does not own: what events mean.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from pilotfish.core.errors import SessionBusy, SessionError
from pilotfish.core.events import ContextCleared, EventRecord, KeptEvent, NoteAdded
from pilotfish.core.ids import MAIN_AGENT, AgentId, TurnId
from pilotfish.core.passing_events import PassingEvent
from pilotfish.engine.conversation import Conversation
from pilotfish.ports.clock import ClockPort
from pilotfish.session.event_pages import PAGE_BYTES, Page, page_of, size_of
from pilotfish.session.state import SessionData
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.session.transcript_reader import Folds, Reading, load_transcript, read_page

Listener = Callable[[EventRecord], None]
"""Hears every event as it happens; must not block and must not raise."""

WINDOW_BYTES = 2 * PAGE_BYTES
"""How much of a session's events stays in memory, roughly, once they are in the transcript."""

MAX_WINDOW_EVENTS = 4_000
"""How many, whatever their size."""


ROOM_WAIT_S = 5.0
"""How long a prompt waits for a slow disk."""

BEGINNING_CUT = (
    "This conversation had grown too long to be kept whole when it was opened again: what came before "
    "the first message above is not known to you any more. Ask the user, or read the files again, "
    "where you need it."
)
"""Tells the model what it does not know."""


class EventLog:
    """Append-only; everything else is a fold of it."""

    def __init__(
        self, writer: TranscriptWriter, clock: ClockPort, agent_id: AgentId = MAIN_AGENT
    ) -> None:
        """Begin a list.

        Args:
            writer: The transcript.
            clock: For the times.
            agent_id: Whose list it is; a sub-agent has one of its own.
        """
        self._writer = writer
        self._clock = clock
        self.agent_id = agent_id
        self._window: deque[EventRecord] = deque()
        """The latest events without a gap; those that are not in the transcript yet are all here."""
        self._window_bytes = 0
        self._listeners: list[Listener] = []
        self._frozen = False
        self._restoring = False
        self.restored_seq = 0
        """The last event of an earlier process; 0 when there was none."""
        self.data = SessionData()
        self.conversation = Conversation()
        self.turn_id: TurnId | None = None
        """The turn that events belong to just now."""

    @property
    def path(self) -> Path:
        """The transcript's file."""
        return self._writer.path

    @property
    def is_frozen(self) -> bool:
        """Whether nothing is taken any more: the process ends."""
        return self._frozen

    @property
    def is_written(self) -> bool:
        """Whether all events are in the transcript."""
        return self._writer.written_seq >= self.data.seq

    async def restore(self) -> Reading:
        """Take over the events of an earlier process from the transcript.

        Raises:
            SessionError: It cannot be read, or a newer version has written it, in a way that this
                one would misread.
        """
        folds = Folds(
            whole=self._fold,
            outline=self._fold_outline,
            call_known=self.conversation.note_call,
            call_ended=self.data.end_call,
        )
        self._restoring = True
        try:
            reading = await asyncio.to_thread(load_transcript, self._writer.path, folds)
        except OSError as error:
            raise self._unreadable(error) from error
        finally:
            self._restoring = False
        self._writer.go_on(reading)
        self.restored_seq = reading.last_seq
        if reading.cut is not None:
            self.emit(ContextCleared(kept_from=reading.cut.prompt, kept_seq=reading.cut.seq))
            self.emit(NoteAdded(text=BEGINNING_CUT, origin="recovery"))
        return reading

    def emit(self, event: KeptEvent) -> None:
        """Append a kept event."""
        if self._frozen:
            return
        record = EventRecord(
            seq=self.data.seq + 1,
            time_ms=self._clock.now_ms(),
            event=event,
            turn_id=self.turn_id,
            agent_id=self.agent_id,
        )
        self._fold(record)
        self._writer.append(record)
        self._publish(record)

    def tell(self, event: PassingEvent) -> None:
        """Pass live news to whoever listens."""
        if self._frozen:
            return
        self._publish(
            EventRecord(
                seq=self.data.seq,
                time_ms=self._clock.now_ms(),
                event=event,
                turn_id=self.turn_id,
                agent_id=self.agent_id,
            )
        )

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Add a listener; call what is returned to remove it."""
        self._listeners.append(listener)

        def remove() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return remove

    @property
    def listeners(self) -> int:
        """How many listen."""
        return len(self._listeners)

    async def page(
        self, *, after: int = 0, before: int | None = None, max_bytes: int = PAGE_BYTES
    ) -> Page:
        """Return the latest kept events of a range, as many as fit a page.

        Without ``before`` the page ends with the last event there is when this returns.

        Args:
            after: The page follows this event; 0 for the beginning.
            before: The page ends before this event; None for the end.
            max_bytes: What the page may hold, roughly.

        Raises:
            SessionError: Older events cannot be read from the transcript.
        """
        while True:
            first = self._window[0].seq if self._window else self.data.seq + 1
            older: list[EventRecord] = []
            if after + 1 < first and self._needs_older(before, max_bytes):
                older = await self._read_older(min(first, before or first), max_bytes)
            # What has been said meanwhile is in the window; it must not have left it again.
            if not self._window or self._window[0].seq <= first:
                held = [one for one in self._window if one.seq >= first]
                records = [*older, *(one for one in held if before is None or one.seq < before)]
                return page_of(records, after=after, max_bytes=max_bytes)

    def held_after(self, seq: int) -> list[EventRecord]:
        """Return the events after one that has just been seen; no further back than memory goes."""
        return [record for record in self._window if record.seq > seq]

    def _needs_older(self, before: int | None, max_bytes: int) -> bool:
        """Tell whether the events in memory do not fill the page."""
        held = sum(size_of(one) for one in self._window if before is None or one.seq < before)
        return held < max_bytes

    async def _read_older(self, before: int, max_bytes: int) -> list[EventRecord]:
        index = self._writer.index
        start = index.place_before(index.place_of(before), max_bytes)
        try:
            return await asyncio.to_thread(read_page, self._writer.path, start, before)
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> SessionError:
        return SessionError(
            f"The transcript {self._writer.path} cannot be read: {error.strerror or error}."
        )

    async def flush(self) -> None:
        """Make what was emitted durable; see ``TranscriptWriter.flush``."""
        await self._writer.flush()

    async def unwritten(self) -> tuple[EventRecord, ...]:
        """Write what was emitted; returns what cannot be, since somebody else has written to the file.

        Raises:
            SessionError: The disk takes nothing, see ``TranscriptWriter.flush``.
        """
        try:
            await self.flush()
        except SessionBusy:
            return tuple(self.held_after(self._writer.written_seq))
        return ()

    async def make_room(self) -> None:
        """Wait a moment for the disk where too much waits for it: that it is slow refuses nothing yet.

        Raises:
            SessionError: It takes nothing, see ``TranscriptWriter.flush``.
        """
        if self.is_overloaded():
            with suppress(TimeoutError):
                async with asyncio.timeout(ROOM_WAIT_S):
                    await self.flush()

    def is_overloaded(self) -> bool:
        """Tell whether so much waits for the disk that no more should be begun."""
        return self._writer.is_overloaded()

    def freeze(self, last: Sequence[KeptEvent] = ()) -> None:
        """Take no more events: the process ends, and what is open stays open on disk.

        Args:
            last: What is still to be kept.
        """
        for event in last:
            self.emit(event)
        self._frozen = True

    async def close(self) -> None:
        """Write what is queued and stop writing."""
        await self._writer.close()
        self._frozen = True

    def _fold(self, record: EventRecord) -> None:
        self._keep(record)
        self.data.apply(record)
        self.conversation.apply(record.event)

    def _fold_outline(self, record: EventRecord) -> None:
        """Take an event into account of which the model knows nothing any more."""
        self.data.apply(record)
        # The window has no gap: what was kept before this one is read from the file from now on.
        self._window.clear()
        self._window_bytes = 0

    def _keep(self, record: EventRecord) -> None:
        self._window.append(record)
        self._window_bytes += size_of(record)
        while self._window_bytes > WINDOW_BYTES or len(self._window) > MAX_WINDOW_EVENTS:
            stored = self._restoring or self._window[0].seq <= self._writer.written_seq
            if not stored or len(self._window) == 1:
                break
            self._window_bytes -= size_of(self._window.popleft())

    def _publish(self, record: EventRecord) -> None:
        for listener in tuple(self._listeners):
            listener(record)
