"""A range of lines of a file that is too large to load whole.

Owns: streaming lines without holding more than the range. Blocking; call in a thread.
Does not own: small files (``workspace.text_file``), whose text is exact; here, bytes that do not
decode are shown as U+FFFD, and nothing read here is ever written back.
"""

import io
import os
import stat
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from pilotfish.core.errors import WorkspaceError
from pilotfish.util.records import dataclass
from pilotfish.workspace.encodings import (
    SAMPLE_BYTES,
    AmbiguousEncodingError,
    guess_legacy,
    unmarked_unicode,
)
from pilotfish.workspace.text_file import BOMS, SNIFF_BYTES, NotTextError, binary_reason

_MAX_LINE_BYTES = 65_536
"""Bytes (characters of UTF-16 and UTF-32) of one line that are held; the rest is skipped."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextRange:
    """Some lines of a file."""

    lines: tuple[str, ...]
    first: int
    """Number of the first line, from 1."""
    has_more: bool
    """Whether lines follow."""
    lines_seen: int
    """Lines that were passed, the range included; the file's length when nothing follows."""
    mtime_ns: int


def read_range(path: Path, first: int, count: int) -> TextRange:
    """Read ``count`` lines from line ``first`` on.

    Raises:
        NotTextError: The file is binary.
        WorkspaceError: It cannot be read.
    """
    try:
        # Non-blocking: opening a pipe without a writer would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with ExitStack() as opened:
            file = opened.enter_context(os.fdopen(descriptor, "rb"))
            info = os.fstat(file.fileno())
            if not stat.S_ISREG(info.st_mode):
                raise WorkspaceError(f"{path} is not a regular file.")
            lines, seen, has_more = _take(_line_reader(file, path.name, opened), first, count)
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be read: {error.strerror}.") from error
    return TextRange(
        lines=tuple(lines),
        first=first,
        has_more=has_more,
        lines_seen=seen,
        mtime_ns=info.st_mtime_ns,
    )


_ReadPart = Callable[[], tuple[str, bool] | None]
"""Returns a line or a part of one, and whether the line ends with it; None at the end."""


def _line_reader(file: io.BufferedReader, name: str, opened: ExitStack) -> _ReadPart:
    """Find the encoding from the beginning and return what reads on from there."""
    head = file.read(SNIFF_BYTES)
    mark, encoding = next(
        ((mark, codec) for mark, codec in BOMS if head.startswith(mark)), (b"", "")
    )
    encoding = encoding or unmarked_unicode(head) or ""
    if not encoding:
        reason = binary_reason(head)
        if reason:
            raise NotTextError(f"{name} is a binary file ({reason}).")
        encoding = _byte_encoding(head)
    file.seek(len(mark))
    if encoding.startswith(("utf-16", "utf-32")):
        text = io.TextIOWrapper(file, encoding=encoding, errors="replace", newline="\n")
        opened.enter_context(text)
        return lambda: _ended(text.readline(_MAX_LINE_BYTES))
    return lambda: _decoded(file.readline(_MAX_LINE_BYTES), encoding)


def _byte_encoding(head: bytes) -> str:
    """Return the encoding by the beginning alone: lines end at the same byte in all of these."""
    cut = head.rfind(b"\n") + 1 or len(head)
    try:
        head[:cut].decode("utf-8")
    except UnicodeDecodeError:
        try:
            return guess_legacy(head[:cut][:SAMPLE_BYTES]).encoding
        except AmbiguousEncodingError:
            return "utf-8"
    return "utf-8"


def _decoded(line: bytes, encoding: str) -> tuple[str, bool] | None:
    if not line:
        return None
    return line.rstrip(b"\r\n").decode(encoding, "replace"), line.endswith(b"\n")


def _ended(line: str) -> tuple[str, bool] | None:
    if not line:
        return None
    return line.rstrip("\r\n"), line.endswith("\n")


def _take(read_part: _ReadPart, first: int, count: int) -> tuple[list[str], int, bool]:
    lines: list[str] = []
    seen = 0
    while (part := read_part()) is not None:
        text, ended = part
        seen += 1
        if seen >= first + count:
            return lines, seen - 1, True
        if seen >= first:
            lines.append(text)
        while not ended:
            rest = read_part()
            if rest is None:
                return lines, seen, False
            _, ended = rest
    return lines, seen, False
