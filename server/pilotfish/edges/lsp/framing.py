"""Frames of the base protocol.

Owns: ``Content-Length`` framing with a size limit, and reading without blocking the event loop; a
huge message is never loaded.
Does not own: what messages mean, waiting for a slow client (``edges.output``).

Imported before anything heavy: keep to the standard library.
"""

import logging
import threading
from collections.abc import Callable
from typing import Any, BinaryIO, cast

from pilotfish.edges.oversized import HEAD_BYTES, MAX_MESSAGE_BYTES, Oversized, oversized
from pilotfish.util import strict_json
from pilotfish.util.records import dataclass

logger = logging.getLogger(__name__)

MAX_HEADER_BYTES = 4096
"""Longest header line."""


class ConnectionClosed(Exception):  # noqa: N818 - reads as what happened
    """The other side closed its end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Malformed:
    """A message that is no JSON object."""

    problem: str


Frame = dict[str, Any] | Oversized | Malformed


def read_frame(stream: BinaryIO) -> Frame:
    """Read one message; blocks.

    Raises:
        ConnectionClosed: End of input, or headers that make no sense.
    """
    size = _read_headers(stream)
    if size > MAX_MESSAGE_BYTES:
        return _skip(stream, size)
    body = _read_exactly(stream, size)
    try:
        message = strict_json.loads(body)
    except (ValueError, RecursionError) as error:
        return Malformed(problem=f"not valid JSON: {error}")
    if not isinstance(message, dict):
        return Malformed(problem="a message must be a JSON object")
    return cast("dict[str, Any]", message)


def write_frame(stream: BinaryIO, body: bytes) -> None:
    """Write one message; blocks."""
    stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    stream.flush()


class FrameReader(threading.Thread):
    """Reads frames on a thread and hands each to a callback on that thread."""

    def __init__(
        self,
        stream: BinaryIO,
        on_frame: Callable[[Frame], None],
        on_closed: Callable[[], None],
    ) -> None:
        super().__init__(name="lsp-reader", daemon=True)
        self._stream = stream
        self._on_frame = on_frame
        self._on_closed = on_closed

    def run(self) -> None:
        """Read until the other side closes."""
        try:
            while True:
                self._on_frame(read_frame(self._stream))
        except (ConnectionClosed, OSError, ValueError) as error:
            # ValueError: the stream was closed under us.
            logger.debug("input ended: %s", error)
        finally:
            self._on_closed()


def _read_headers(stream: BinaryIO) -> int:
    size: int | None = None
    while True:
        line = stream.readline(MAX_HEADER_BYTES)
        if not line:
            raise ConnectionClosed("end of input")
        line = line.strip()
        if not line:
            if size is None:
                continue
            return size
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            if not value.strip().isdigit():
                raise ConnectionClosed(f"unusable header: {line!r}")
            size = int(value)


def _read_exactly(stream: BinaryIO, size: int) -> bytes:
    body = stream.read(size)
    if len(body) < size:
        raise ConnectionClosed("end of input inside a message")
    return body


def _skip(stream: BinaryIO, size: int) -> Oversized:
    head = _read_exactly(stream, HEAD_BYTES)
    left = size - len(head)
    while left > 0:
        left -= len(_read_exactly(stream, min(left, 1 << 20)))
    return oversized(head, size)
