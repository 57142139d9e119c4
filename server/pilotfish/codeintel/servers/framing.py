"""Frames of the base protocol, as a server writes them.

Owns: finding whole messages in chunks of output, with limits.
Does not own: what they say (``rpc``).
"""

MAX_HEADER_BYTES = 8_192
"""Longest head of a message."""

MAX_MESSAGE_BYTES = 32 << 20
"""Longest message: some tens of thousands of diagnostics."""


class FrameFault(Exception):  # noqa: N818 - reads as what happened
    """The output is no sequence of messages; nothing after this can be understood."""


class FrameBuffer:
    """Collects chunks and gives out whole bodies."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._wanted: int | None = None
        """Length of the body that is being read; None while reading a head."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Add a chunk; returns the bodies that are complete now.

        Raises:
            FrameFault: A head that makes no sense, or a message that is too long.
        """
        self._kept += chunk
        found: list[bytes] = []
        while (body := self._next()) is not None:
            found.append(body)
        return found

    def _next(self) -> bytes | None:
        if self._wanted is None and not self._read_head():
            return None
        wanted = self._wanted or 0
        if len(self._kept) < wanted:
            return None
        body = bytes(self._kept[:wanted])
        del self._kept[:wanted]
        self._wanted = None
        return body

    def _read_head(self) -> bool:
        end = self._kept.find(b"\r\n\r\n")
        if end < 0:
            if len(self._kept) > MAX_HEADER_BYTES:
                raise FrameFault("its output is not in the language server protocol")
            return False
        self._wanted = _length_in(bytes(self._kept[:end]))
        del self._kept[: end + 4]
        return True


def _length_in(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            # More digits than any sensible length has would take long to convert.
            length = int(value) if len(value) < 20 else MAX_MESSAGE_BYTES + 1
            if length > MAX_MESSAGE_BYTES:
                raise FrameFault(f"it sent a message of more than {MAX_MESSAGE_BYTES >> 20} MiB")
            return length
    raise FrameFault("its output is not in the language server protocol")


def frame(body: bytes) -> bytes:
    """Return a message with its head."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body
