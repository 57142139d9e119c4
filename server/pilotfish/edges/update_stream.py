"""Events on their way to one client.

Owns: sending the events of one list in order, streamed text in bundles.
Does not own: the mapping (``edges.updates``), whose events they are.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pilotfish.core.events import EventRecord
from pilotfish.core.passing_events import BlockDelta
from pilotfish.edges.updates import UpdateMapper

BUNDLE_S = 0.03
"""Streamed text waits this long for more of it, so that a fast model does not flood the client."""


class UpdateStream:
    """Sends the events of one conversation until ``close``."""

    def __init__(self, mapper: UpdateMapper, send: Callable[[dict[str, Any]], None]) -> None:
        """Set it up.

        Args:
            mapper: Makes updates of events.
            send: Takes the parameters of one ``session/update``.
        """
        self._mapper = mapper
        self._send = send
        self._bundle: EventRecord | None = None
        self._timer: asyncio.TimerHandle | None = None

    def hear(self, record: EventRecord) -> None:
        """Send an event; text that streams waits a moment for more of its block."""
        if isinstance(record.event, BlockDelta):
            self._collect(record, record.event)
            return
        self.flush()
        self.send(record)

    def send(self, record: EventRecord) -> None:
        """Send an event now."""
        for params in self._mapper.map(record):
            self._send(params)

    def flush(self) -> None:
        """Send what waits for more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        bundle, self._bundle = self._bundle, None
        if bundle is not None:
            self.send(bundle)

    def _collect(self, record: EventRecord, delta: BlockDelta) -> None:
        """Add a piece to the bundle of its block, or begin a new bundle."""
        waiting = self._bundle.event if self._bundle is not None else None
        if (
            isinstance(waiting, BlockDelta)
            and waiting.message_id == delta.message_id
            and waiting.block_index == delta.block_index
        ):
            delta = replace(delta, text=waiting.text + delta.text)
        else:
            self.flush()
            self._timer = asyncio.get_running_loop().call_later(BUNDLE_S, self.flush)
        self._bundle = replace(record, event=delta)
