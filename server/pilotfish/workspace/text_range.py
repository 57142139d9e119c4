"""A range of lines of a file that is too large to load whole.

Owns: streaming lines without holding more than the range. Blocking; call in a thread.
Does not own: small files (``workspace.text_file``), whose text is exact; here, bytes that do not
decode are shown as U+FFFD, and nothing read here is ever written back.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pilotfish.core.errors import WorkspaceError
from pilotfish.workspace.text_file import SNIFF_BYTES, NotTextError, binary_reason

_MAX_LINE_BYTES = 65_536
"""Bytes of one line that are held; the rest of a longer line is skipped."""


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
        NotTextError: The file is binary (or in UTF-16, which must be loaded whole).
        WorkspaceError: It cannot be read.
    """
    try:
        # Non-blocking: opening a pipe without a writer would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            info = os.fstat(file.fileno())
            if not stat.S_ISREG(info.st_mode):
                raise WorkspaceError(f"{path} is not a regular file.")
            head = file.read(SNIFF_BYTES)
            reason = binary_reason(head)
            if reason:
                raise NotTextError(f"{path.name} is a binary file ({reason}).")
            file.seek(3 if head.startswith(b"\xef\xbb\xbf") else 0)
            lines, seen, has_more = _take(file, first, count)
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be read: {error.strerror}.") from error
    return TextRange(
        lines=tuple(lines),
        first=first,
        has_more=has_more,
        lines_seen=seen,
        mtime_ns=info.st_mtime_ns,
    )


def _take(file: BinaryIO, first: int, count: int) -> tuple[list[str], int, bool]:
    lines: list[str] = []
    seen = 0
    while True:
        line = file.readline(_MAX_LINE_BYTES)
        if not line:
            return lines, seen, False
        seen += 1
        if seen >= first + count:
            return lines, seen - 1, True
        if seen >= first:
            lines.append(line.rstrip(b"\r\n").decode("utf-8", "replace"))
        while not line.endswith(b"\n"):
            line = file.readline(_MAX_LINE_BYTES)
            if not line:
                return lines, seen, False
