"""Server-sent events whose data is one line each.

Owns: cutting a stream of bytes into the data of its events, whatever the boundaries of its pieces. Pure
but for awaiting the pieces.
"""

from collections.abc import AsyncGenerator, AsyncIterable

MAX_EVENT_BYTES = 32 * 1024 * 1024
"""Longest event: a server that never ends one must not fill the memory."""


class EventTooLongError(ValueError):
    """An event did not end within ``MAX_EVENT_BYTES``."""


async def data_lines(pieces: AsyncIterable[bytes]) -> AsyncGenerator[str, None]:
    """Yield the data of each event; an empty text for what is a sign of life only (a comment).

    Only line feeds end a line: other characters that some call line ends may stand in the data.

    Raises:
        EventTooLongError: An event does not end.
        UnicodeDecodeError: The data is no UTF-8.
    """
    rest: list[bytes] = []
    size = 0
    async for piece in pieces:
        *whole, last = piece.split(b"\n")
        for line in whole:
            yield _data_of(b"".join([*rest, line]))
            rest, size = [], 0
        rest.append(last)
        size += len(last)
        if size > MAX_EVENT_BYTES:
            raise EventTooLongError
    yield _data_of(b"".join(rest))


def _data_of(line: bytes) -> str:
    if not line.startswith(b"data:"):
        return ""
    return line[len(b"data:") :].strip().decode("utf-8")
