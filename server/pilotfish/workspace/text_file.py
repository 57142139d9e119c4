"""Text files as bytes and back, without losing one.

Owns: telling text from binary, finding the encoding, keeping byte order mark and line endings,
proving that what was decoded encodes back to the same bytes.
Does not own: matching and writing (``workspace.edit_pipeline``, ``workspace.disk``).
"""

import codecs
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pilotfish.core.errors import WorkspaceError

Eol = Literal["none", "lf", "crlf", "cr", "mixed"]
"""How lines end: no line ending at all, one style throughout, or several."""

MAX_TEXT_BYTES = 1024**3
"""Largest file that is loaded whole (design 06 §5.1: 1 GiB)."""

SNIFF_BYTES = 65_536
"""How much is looked at to tell text from binary."""

MAX_CONTROL_SHARE = 0.05
"""Share of control characters in the looked-at part from which a file counts as binary."""

_DETECT_BYTES = 32_768
"""How much is given to the encoding detector, lines with non-ASCII bytes only."""

_MIN_DETECT_LETTERS = 40
"""Non-ASCII bytes below which the detector's guess is worth nothing."""

_MAX_CHAOS = 0.1
"""Largest "mess" of the detector's best guess that counts as good confidence."""

_MIN_COHERENCE = 0.3
"""Smallest resemblance to a language that counts as good confidence."""

_FALLBACK_ENCODING = "cp1252"

_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    # Before UTF-16: the little-endian mark of UTF-32 begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_CONTROLS = bytes(set(range(32)) - {7, 8, 9, 10, 12, 13, 27}) + b"\x7f"
"""Control bytes that text does not hold; bell, backspace, form feed and escape occur in logs."""


class NotTextError(WorkspaceError):
    """The file is binary, or in no encoding that can be written back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextFile:
    """A text file as it is on disk."""

    text: str
    """Decoded, without byte order mark, line endings as they are."""
    encoding: str
    """Python's name of the codec."""
    bom: bytes = b""
    """The byte order mark; empty when there is none."""
    mtime_ns: int = 0
    size: int = 0
    """Bytes on disk."""
    mode: int = 0o644
    """Permission bits."""

    @property
    def eol(self) -> Eol:
        """How its lines end."""
        return eol_of(self.text)


def eol_of(text: str) -> Eol:
    """Tell how the lines of a text end."""
    crlf = text.count("\r\n")
    lf = text.count("\n") - crlf
    cr = text.count("\r") - crlf
    styles: list[tuple[Eol, int]] = [("lf", lf), ("crlf", crlf), ("cr", cr)]
    present: list[Eol] = [style for style, count in styles if count]
    if not present:
        return "none"
    return present[0] if len(present) == 1 else "mixed"


def load_text_file(path: Path) -> TextFile:
    """Read a text file. Blocking; call it in a thread.

    Raises:
        FileNotFoundError: There is no such file.
        NotTextError: The file is binary or cannot be decoded without loss.
        WorkspaceError: It is no regular file, too large, or unreadable.
    """
    data, info = read_bytes(path)
    text, encoding, bom = decode(data, path.name)
    return TextFile(
        text=text,
        encoding=encoding,
        bom=bom,
        mtime_ns=info.st_mtime_ns,
        size=info.st_size,
        mode=stat.S_IMODE(info.st_mode),
    )


def read_bytes(path: Path) -> tuple[bytes, os.stat_result]:
    """Read a regular file with the state it had when it was read. Blocking.

    Raises:
        FileNotFoundError: There is no such file.
        WorkspaceError: It is no regular file, too large, or unreadable.
    """
    try:
        # Non-blocking: opening a pipe without a writer would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be read: {error.strerror}.") from error
    with os.fdopen(descriptor, "rb") as file:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise WorkspaceError(f"{path} is not a regular file.")
        if info.st_size > MAX_TEXT_BYTES:
            raise WorkspaceError(f"{path} is {info.st_size:,} bytes; 1 GiB is the limit.")
        try:
            return file.read(), info
        except OSError as error:
            raise WorkspaceError(f"{path} cannot be read: {error.strerror}.") from error


def decode(data: bytes, name: str) -> tuple[str, str, bytes]:
    """Decode the bytes of a text file.

    Args:
        data: The whole file.
        name: For the error's text.

    Returns:
        Text, codec name and byte order mark; ``encode`` gives the same bytes back.

    Raises:
        NotTextError: Binary, or not decodable without loss.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _decode_exactly(data[len(bom) :], encoding, name), encoding, bom
    reason = binary_reason(data[:SNIFF_BYTES])
    if reason:
        raise NotTextError(f"{name} is a binary file ({reason}).")
    try:
        # Strict UTF-8 has one form for each text, so there is nothing to prove.
        return data.decode("utf-8"), "utf-8", b""
    except UnicodeDecodeError:
        pass
    for encoding in _legacy_guesses(data):
        try:
            return _decode_exactly(data, encoding, name), encoding, b""
        except NotTextError:
            continue
    raise NotTextError(
        f"{name} is neither UTF-8 nor in a legacy encoding that can be written back without loss.",
        hint="Convert it to UTF-8 first, for example with iconv.",
    )


def encode(text: str, like: TextFile, name: str) -> bytes:
    """Encode a text for a file that keeps its encoding and byte order mark.

    Raises:
        WorkspaceError: The file's encoding has no room for a character of the text.
    """
    try:
        return like.bom + text.encode(like.encoding)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise WorkspaceError(
            f"{name} is encoded as {like.encoding}, which cannot hold "
            f"{character!r} (U+{ord(character):04X}); nothing was written.",
            hint="Use characters of that encoding, or convert the file to UTF-8 first.",
        ) from error


def binary_reason(head: bytes) -> str:
    """Say why the first bytes of a file without byte order mark are no text; empty if they are."""
    null = head.find(b"\0")
    if null >= 0:
        return f"NUL byte at offset {null}"
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls > MAX_CONTROL_SHARE * len(head):
        return f"{controls} control characters in the first {len(head):,} bytes"
    return ""


def _decode_exactly(data: bytes, encoding: str, name: str) -> str:
    try:
        text = data.decode(encoding)
        same = text.encode(encoding) == data
    except UnicodeError as error:
        raise NotTextError(f"{name} is not valid {encoding}: {error}.") from error
    if not same:
        raise NotTextError(f"{name} cannot be written back as {encoding} without loss.")
    return text


def _legacy_guesses(data: bytes) -> list[str]:
    """Return encodings to try for bytes that are not UTF-8, the likeliest first."""
    lines: list[bytes] = []
    room = _DETECT_BYTES
    for line in data.split(b"\n"):
        if not line.isascii() and room > 0:
            lines.append(line[:room])
            room -= len(line)
    sample = b"\n".join(lines)
    if sum(byte > 127 for byte in sample) < _MIN_DETECT_LETTERS:
        return [_FALLBACK_ENCODING]
    # Loading it costs 40 ms, and hardly any file needs it.
    from charset_normalizer import from_bytes  # noqa: PLC0415

    best = from_bytes(sample).best()
    if best is None or best.chaos > _MAX_CHAOS or best.coherence < _MIN_COHERENCE:
        return [_FALLBACK_ENCODING]
    return [best.encoding, _FALLBACK_ENCODING]
