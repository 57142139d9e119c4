"""Text files as bytes and back, without losing one.

Owns: telling text from binary, finding the encoding, keeping byte order mark and line endings,
proving that what was decoded encodes back to the same bytes.
Does not own: matching and writing (``workspace.edit_pipeline``, ``workspace.disk``).
"""

import codecs
import io
import os
import stat
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from pilotfish.core.errors import WorkspaceError
from pilotfish.util.records import dataclass
from pilotfish.util.text_span import text_pieces
from pilotfish.workspace.encoded import EncodedText, holds
from pilotfish.workspace.encodings import (
    AmbiguousEncodingError,
    EncodingGuess,
    guess_legacy,
    unmarked_unicode,
)

Eol = Literal["none", "lf", "crlf", "cr", "mixed"]
"""How lines end: no line ending at all, one style throughout, or several."""

MAX_TEXT_BYTES = 1024**3
"""Largest file that is loaded whole (design 06 §5.1: 1 GiB)."""

SNIFF_BYTES = 65_536
"""How much is looked at to tell text from binary."""

MAX_CONTROL_SHARE = 0.05
"""Share of control characters in the looked-at part from which a file counts as binary."""

BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    # Before UTF-16: the little-endian mark of UTF-32 begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_CONTROLS = bytes(set(range(32)) - {7, 8, 9, 10, 12, 13, 27}) + b"\x7f"
"""Control bytes that text does not hold; bell, backspace, form feed and escape occur in logs."""


_WAY_OUT = (
    "Open it in the editor with its encoding (VS Code's setting files.encoding), and it is read and "
    "changed there; or convert it to UTF-8 in the shell (iconv -f ENCODING -t UTF-8)."
)


class NotTextError(WorkspaceError):
    """The file is binary, or in no encoding that can be written back."""


class TooLargeError(WorkspaceError):
    """The file is larger than whoever loads it can do with."""

    def __init__(self, path: Path, size: int, max_bytes: int) -> None:
        """Say by how much."""
        super().__init__(f"{path} is {size:,} bytes; the limit is {max_bytes:,}.")
        self.size = size
        """Bytes on disk."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextFile:
    """A text file as it is on disk."""

    text: str
    """Decoded, without byte order mark, line endings as they are."""
    encoding: str
    """Python's name of the codec."""
    bom: bytes = b""
    """The byte order mark; empty when there is none."""
    rivals: tuple[str, ...] = ()
    """Encodings that the file may be in as well: nothing is written that they read differently."""
    mtime_ns: int = 0
    size: int = 0
    """Bytes on disk."""
    mode: int = 0o644
    """Permission bits."""

    @property
    def eol(self) -> Eol:
        """How its lines end."""
        return eol_of(self.text)


class Decoded(NamedTuple):
    """A text and how it was decoded."""

    text: str
    encoding: str
    bom: bytes = b""
    rivals: tuple[str, ...] = ()
    """As in ``TextFile``."""


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


def load_text_file(
    path: Path, known: Iterable[str] = (), max_bytes: int = MAX_TEXT_BYTES
) -> TextFile:
    """Read a text file. Blocking; call it in a thread.

    Args:
        path: The file.
        known: Texts that it may hold: if it does, that very object is returned and no copy made.
        max_bytes: Largest file that is loaded.

    Raises:
        FileNotFoundError: There is no such file.
        NotTextError: The file is binary or cannot be decoded without loss.
        TooLargeError: It is larger than allowed.
        WorkspaceError: It is no regular file, or unreadable.
    """
    with _opened(path, max_bytes) as (file, info):
        candidates = [text for text in known if len(text) <= info.st_size]
        decoded = _recognised(file, candidates)
        if decoded is None:
            file.seek(0)
            decoded = decode(file.read(), path.name)
            # The legacy encodings are only told by decoding.
            same = next((text for text in candidates if text == decoded.text), decoded.text)
            decoded = decoded._replace(text=same)
    return TextFile(
        text=decoded.text,
        encoding=decoded.encoding,
        bom=decoded.bom,
        rivals=decoded.rivals,
        mtime_ns=info.st_mtime_ns,
        size=info.st_size,
        mode=stat.S_IMODE(info.st_mode),
    )


def head_of_text(path: Path, max_bytes: int) -> tuple[str, bool]:
    """Return the beginning of a text file, to be shown, and whether it is all of it. Blocking.

    Raises:
        FileNotFoundError: There is no such file.
        NotTextError: It is binary or cannot be decoded.
        WorkspaceError: It is no regular file, too large, or unreadable.
    """
    with _opened(path, MAX_TEXT_BYTES) as (file, info):
        data = file.read(max_bytes)
    whole = len(data) >= info.st_size
    if not whole and b"\n" in data:
        # No character is torn at the end of a line, in any encoding that has ASCII.
        data = data[: data.rfind(b"\n") + 1]
    return decode(data, path.name).text, whole


def read_bytes(path: Path) -> tuple[bytes, os.stat_result]:
    """Read a regular file with the state it had when it was read. Blocking.

    Raises:
        FileNotFoundError: There is no such file.
        WorkspaceError: It is no regular file, too large, or unreadable.
    """
    with _opened(path, MAX_TEXT_BYTES) as (file, info):
        return file.read(), info


@contextmanager
def _opened(path: Path, max_bytes: int) -> Generator[tuple[io.BufferedReader, os.stat_result]]:
    """Open a regular file of no unreasonable size."""
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
        if info.st_size > max_bytes:
            raise TooLargeError(path, info.st_size, max_bytes)
        try:
            yield file, info
        except OSError as error:
            raise WorkspaceError(f"{path} cannot be read: {error.strerror}.") from error


def _recognised(file: io.BufferedReader, candidates: Sequence[str]) -> Decoded | None:
    """Return the one of some texts that a Unicode file holds, without decoding the file."""
    if not candidates:
        return None
    head = file.read(SNIFF_BYTES)
    mark = next(((bom, encoding) for bom, encoding in BOMS if head.startswith(bom)), None)
    if mark is None:
        unmarked = unmarked_unicode(head)
        if unmarked is None and binary_reason(head):
            return None
        mark = b"", unmarked or "utf-8"
    bom, encoding = mark
    for text in candidates:
        file.seek(0)
        try:
            if holds(file, EncodedText(text, encoding, bom)):
                return Decoded(text, encoding, bom)
        except UnicodeEncodeError:
            continue
    return None


def decode(data: bytes, name: str) -> Decoded:
    """Decode the bytes of a text file; ``encode`` gives the same bytes back.

    Args:
        data: The whole file.
        name: For the error's text.

    Raises:
        NotTextError: Binary, or in no encoding that can be told and written back without loss.
    """
    for bom, encoding in BOMS:
        if data.startswith(bom):
            return Decoded(_decode_exactly(data, encoding, name, bom), encoding, bom)
    unmarked = unmarked_unicode(data[:SNIFF_BYTES])
    if unmarked is not None:
        return Decoded(_decode_exactly(data, unmarked, name), unmarked)
    reason = binary_reason(data[:SNIFF_BYTES])
    if reason:
        raise NotTextError(f"{name} is a binary file ({reason}).")
    try:
        # Strict UTF-8 has one form for each text, so there is nothing to prove.
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        guess = _guess(data, name)
    text = _decode_exactly(data, guess.encoding, name)
    return Decoded(text, guess.encoding, rivals=guess.rivals)


def encode(text: str, like: TextFile, name: str) -> EncodedText:
    """Encode a text for a file that keeps its encoding and byte order mark.

    Raises:
        WorkspaceError: The file's encoding has no room for a character of the text.
    """
    check_encodable(text, like, name)
    return EncodedText(text, like.encoding, like.bom)


def check_encodable(text: str, like: TextFile, name: str) -> None:
    """Make sure that a file's encoding has room for a text.

    Raises:
        WorkspaceError: It has not; names the character.
    """
    if text.isascii():  # all encodings of ``decode`` extend ASCII
        return
    for piece in text_pieces(text):
        try:
            piece.encode(like.encoding)
        except UnicodeEncodeError as error:
            character = piece[error.start]
            raise WorkspaceError(
                f"{name} is encoded as {like.encoding}, which cannot hold "
                f"{character!r} (U+{ord(character):04X}); nothing was written.",
                hint="Use characters of that encoding, or convert the file to UTF-8 first.",
            ) from error


def check_unambiguous(new: str, like: TextFile, name: str) -> None:
    """Make sure that a new text is the same bytes in every encoding that the file may be in.

    Raises:
        WorkspaceError: It is not; names the character and the encodings.
    """
    if not like.rivals or new.isascii():
        return
    for character in sorted({each for each in new if each > "\x7f"}):
        wanted = character.encode(like.encoding, "ignore")
        if any(character.encode(rival, "ignore") != wanted for rival in like.rivals):
            choices = ", ".join((like.encoding, *like.rivals))
            raise WorkspaceError(
                f"{name} is in a legacy encoding that cannot be told for certain ({choices}), and "
                f"{character!r} (U+{ord(character):04X}) is not the same in all of them; nothing "
                "was written.",
                hint=_WAY_OUT,
            )


def binary_reason(head: bytes) -> str:
    """Say why the first bytes of a file without byte order mark are no text; empty if they are."""
    null = head.find(b"\0")
    if null >= 0:
        return f"NUL byte at offset {null}"
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls > MAX_CONTROL_SHARE * len(head):
        return f"{controls} control characters in the first {len(head):,} bytes"
    return ""


def _guess(data: bytes, name: str) -> EncodingGuess:
    try:
        return guess_legacy(data)
    except AmbiguousEncodingError as error:
        raise NotTextError(
            f"{name} is not UTF-8, and its legacy encoding cannot be told: {error}.", hint=_WAY_OUT
        ) from error


def _decode_exactly(data: bytes, encoding: str, name: str, bom: bytes = b"") -> str:
    try:
        text = str(memoryview(data)[len(bom) :], encoding)
        same = holds(io.BytesIO(data), EncodedText(text, encoding, bom))
    except UnicodeError as error:
        raise NotTextError(f"{name} is not valid {encoding}: {error}.", hint=_WAY_OUT) from error
    if not same:
        raise NotTextError(
            f"{name} cannot be written back as {encoding} without loss.", hint=_WAY_OUT
        )
    return text
