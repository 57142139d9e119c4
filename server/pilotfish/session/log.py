"""A session's event list.

Owns: the one place where an event gets its ``seq``, reaches the folds, the transcript and the
listeners, in that order.
Does not own: what events mean.
"""

from bisect import bisect_right
from collections.abc import Callable

from pilotfish.core.events import EventRecord, KeptEvent
from pilotfish.core.ids import MAIN_AGENT, TurnId
from pilotfish.core.passing_events import PassingEvent
from pilotfish.engine.conversation import Conversation
from pilotfish.ports.clock import ClockPort
from pilotfish.session.state import SessionData
from pilotfish.session.transcript import TranscriptWriter

Listener = Callable[[EventRecord], None]
"""Hears every event as it happens; must not block and must not raise."""


class EventLog:
    """Append-only; everything else is a fold of it."""

    def __init__(self, writer: TranscriptWriter, clock: ClockPort) -> None:
        self._writer = writer
        self._clock = clock
        self._records: list[EventRecord] = []
        self._listeners: list[Listener] = []
        self._frozen = False
        self.data = SessionData()
        self.conversation = Conversation()
        self.turn_id: TurnId | None = None
        """The turn that events belong to just now."""

    def restore(self, records: list[EventRecord]) -> None:
        """Take over the events of an earlier process; they are on disk already."""
        for record in records:
            self._fold(record)

    def emit(self, event: KeptEvent) -> None:
        """Append a kept event."""
        if self._frozen:
            return
        record = EventRecord(
            seq=self.data.seq + 1,
            time_ms=self._clock.now_ms(),
            event=event,
            turn_id=self.turn_id,
            agent_id=MAIN_AGENT,
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
                agent_id=MAIN_AGENT,
            )
        )

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Add a listener; call what is returned to remove it."""
        self._listeners.append(listener)

        def remove() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return remove

    def since(self, seq: int) -> list[EventRecord]:
        """Return the kept events after a seq."""
        start = bisect_right(self._records, seq, key=lambda record: record.seq)
        return self._records[start:]

    async def flush(self) -> None:
        """Make what was emitted durable; see ``TranscriptWriter.flush``."""
        await self._writer.flush()

    def freeze(self) -> None:
        """Take no more events: the process ends, and what is open stays open on disk."""
        self._frozen = True

    async def close(self) -> None:
        """Write what is queued and stop writing."""
        await self._writer.close()

    def _fold(self, record: EventRecord) -> None:
        self._records.append(record)
        self.data.apply(record)
        self.conversation.apply(record.event)

    def _publish(self, record: EventRecord) -> None:
        for listener in tuple(self._listeners):
            listener(record)
