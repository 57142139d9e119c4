"""Server-sent events as the data they carry.

Owns: cutting a stream of bytes into the data of its events, whatever the boundaries of its pieces, and
seeing that it is no such stream at all. Pure but for awaiting the pieces.
"""

from codecs import BOM_UTF8
from collections.abc import AsyncGenerator
from contextlib import aclosing

MAX_EVENT_BYTES = 32 * 1024 * 1024
"""Longest event: a server that never ends one must not fill the memory."""

MAX_FOREIGN_BYTES = 4096
"""How much that is no event may come before the first one."""

_FIELDS = frozenset({b"data", b"event", b"id", b"retry"})


class EventTooLongError(ValueError):
    """An event did not end within ``MAX_EVENT_BYTES``."""


class NotEventsError(ValueError):
    """The stream holds something else than events."""

    def __init__(self, beginning: bytes) -> None:
        super().__init__("not an event stream")
        self.beginning = beginning
        """Its first bytes."""


class _Decoder:
    """Takes lines, gives the data of events."""

    def __init__(self) -> None:
        self._data: list[str] = []
        self._size = 0
        self._any = False
        """Whether an event or a comment has come."""
        self._foreign = b""
        self._is_first = True

    def line(self, line: bytes) -> str | None:
        """Take a line; return an event's data at its end, ``""`` for a sign of life, else None."""
        line = line.removesuffix(b"\r")
        if self._is_first:
            self._is_first, line = False, line.removeprefix(BOM_UTF8)
        if not line:
            return self.end()
        field, _, value = line.partition(b":")
        if not field:
            self._any = True
            return ""
        if field == b"data":
            self._size += len(value)
            if self._size > MAX_EVENT_BYTES:
                raise EventTooLongError
            self._any = True
            self._data.append(value.strip().decode("utf-8"))
        elif field not in _FIELDS and not self._any:
            self._foreign += line[: MAX_FOREIGN_BYTES + 1] + b"\n"
            if len(self._foreign) > MAX_FOREIGN_BYTES:
                self.close()
        return None

    def end(self) -> str | None:
        """Return the data of the event that ends here, if there is one."""
        if not self._data:
            return None
        data, self._data, self._size = "\n".join(self._data), [], 0
        return data

    def close(self) -> None:
        """Make sure that there were events, if anything was there at all."""
        if self._foreign and not self._any:
            raise NotEventsError(self._foreign)


async def data_of_events(pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[str, None]:
    """Yield the data of each event; an empty text for what is a sign of life only (a comment).

    Only line feeds end a line: other characters that some call line ends may stand in the data.

    Raises:
        EventTooLongError: An event does not end.
        NotEventsError: It is no event stream: a page, for example.
        UnicodeDecodeError: The data is no UTF-8.
    """
    decoder = _Decoder()
    rest: list[bytes] = []
    size = 0
    async with aclosing(pieces):
        async for piece in pieces:
            *whole, last = piece.split(b"\n")
            for line in whole:
                data = decoder.line(b"".join([*rest, line]) if rest else line)
                rest, size = [], 0
                if data is not None:
                    yield data
            if last:
                rest.append(last)
                size += len(last)
            if size > MAX_EVENT_BYTES:
                raise EventTooLongError
    data = decoder.line(b"".join(rest))
    if data is None:
        data = decoder.end()
    if data is not None:
        yield data
    decoder.close()
