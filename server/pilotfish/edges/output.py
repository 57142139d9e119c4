"""Sending without waiting for the client.

Owns: a queue and a thread between the engine and a pipe that may be full, with a cap.
Does not own: framing (each edge's own).

Imported before anything heavy: keep to the standard library.
"""

import logging
import queue
import threading
from collections.abc import Callable
from typing import BinaryIO

logger = logging.getLogger(__name__)

MAX_UNSENT_BYTES = 64 * 1024 * 1024
"""Output that may wait for the client; beyond it the client counts as gone."""


class OutputWriter:
    """Writes messages on a thread, in order, without holding up the caller."""

    def __init__(
        self,
        stream: BinaryIO,
        write: Callable[[BinaryIO, bytes], None],
        on_lost: Callable[[], None],
    ) -> None:
        """Start writing.

        Args:
            stream: Where to.
            write: Frames one message and writes it; may block.
            on_lost: Called once, from any thread, when the client is gone.
        """
        self._stream = stream
        self._write = write
        self._on_lost = on_lost
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unsent = 0
        self._lock = threading.Lock()
        self._lost = False
        self._thread = threading.Thread(target=self._drain, name="output", daemon=True)
        self._thread.start()

    def write(self, body: bytes) -> None:
        """Queue one message; dropped when the client is gone."""
        if self._lost:
            return
        with self._lock:
            self._unsent += len(body)
            too_much = self._unsent > MAX_UNSENT_BYTES
        if too_much:
            logger.error("the client has not read %d bytes; giving it up", self._unsent)
            self._lose()
            return
        self._queue.put(body)

    def close(self, timeout_s: float) -> None:
        """Send what is queued and end; waits at most ``timeout_s`` for a slow client."""
        self._queue.put(None)
        self._thread.join(timeout_s)

    def _drain(self) -> None:
        while (body := self._queue.get()) is not None:
            try:
                self._write(self._stream, body)
            except (OSError, ValueError):
                self._lose()
                return
            with self._lock:
                self._unsent -= len(body)

    def _lose(self) -> None:
        if not self._lost:
            self._lost = True
            self._on_lost()
