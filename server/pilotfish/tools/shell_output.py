"""A command's output: all of it in a file, its ends in memory.

Owns: head and tail, the file for the middle, what terminals do with escape codes and returns.
"""

import re
from io import BufferedWriter
from pathlib import Path

MAX_CHARS = 30_000
"""Longest output that the model gets (design 06 §3)."""

_KEEP_BYTES = 4 * MAX_CHARS
"""Bytes that are kept in memory: what ``MAX_CHARS`` characters need at most in UTF-8."""

_LAST_LINE_BYTES = 1_000
"""Of the end, what may be a question to the user."""

_PREVIEW_BYTES = 8_000
"""Bytes of the end that live output is made of."""

_SAMPLE_BYTES = 8_000
"""Of the beginning, what tells whether it is text."""

_NEVER_IN_TEXT = (
    frozenset(range(1, 7)) | frozenset(range(14, 27)) | frozenset({28, 29, 30, 31, 127})
)
"""Control characters that neither text nor a terminal's codes use."""

_MAX_CONTROLS = 0.04
"""Share of them in text, at most: compressed or compiled data has 10 % or more."""

_PREVIEW_LINES = 40
"""Lines of live output."""

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor movement
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles, links
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # device control strings
    r"|\x1b[ -/]*[0-~]"  # all other two-part codes
)
_OTHER_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class CommandOutput:
    """Collects output as it comes. The file exists only when memory does not hold everything."""

    def __init__(self, file: Path) -> None:
        self._path = file
        self._file: BufferedWriter | None = None
        self._overflows = False
        """Whether more came than the head holds."""
        self._lost = ""
        """Why the file could not be written; the command goes on without it."""
        self._head = bytearray()
        self._tail = bytearray()
        self._keeps_all = False
        self._closed = False
        self._is_cut = False
        self._total = 0
        self._reported = 0

    def take(self, chunk: bytes) -> None:
        """Take the next piece.

        Writing it to the file here and not in a thread keeps the order with no queue; a piece is
        64 kB at most and goes to the page cache.
        """
        if self._closed:  # a command that was stopped may write until it is gone
            return
        self._total += len(chunk)
        if not self._overflows and self._total <= _KEEP_BYTES:
            self._head += chunk
            if self._keeps_all:
                self._store(chunk)
            return
        if not self._overflows:
            self._overflows = True
            if not self._keeps_all:
                self._store(self._head)
        self._store(chunk)
        self._tail += chunk
        if len(self._tail) > 2 * _KEEP_BYTES:
            del self._tail[:-_KEEP_BYTES]

    @property
    def path(self) -> Path:
        """The file that holds everything once there is too much for memory, or after ``keep_all``."""
        return self._path

    @property
    def total(self) -> int:
        """How many bytes came so far."""
        return self._total

    def keep_all(self) -> None:
        """Have everything in the file from here on, for whoever follows it."""
        if not self._keeps_all and not self._overflows:
            self._keeps_all = True
            self._store(self._head)
        self._keeps_all = True

    def last_line(self) -> str:
        """Return the line that the output ends with; empty after a line's end."""
        end = bytes((self._tail or self._head)[-_LAST_LINE_BYTES:])
        return clean(end.decode(errors="replace").rpartition("\n")[2]).strip()

    def _store(self, chunk: bytes | bytearray) -> None:
        if self._lost:
            return
        try:
            if self._file is None:
                self._file = self._path.open("wb")
            self._file.write(chunk)
            if self._keeps_all:
                self._file.flush()
        except OSError as error:
            self._lost = error.strerror or str(error)

    def end(self) -> str:
        """Return the last part of the output."""
        kept = bytes((self._tail or self._head)[-_PREVIEW_BYTES:])
        return clean(kept.decode(errors="replace"))

    @property
    def is_cut(self) -> bool:
        """Whether ``text`` left out a part that the file holds."""
        return self._is_cut and not self._lost

    def has_news(self) -> bool:
        """Tell whether anything came since the last ``preview``."""
        return self._total != self._reported

    def preview(self) -> str:
        """Return the last lines for display, with a count of what is above them."""
        self._reported = self._total
        end = bytes((self._tail or self._head)[-_PREVIEW_BYTES:])
        lines = clean(end.decode(errors="replace")).rstrip("\n").split("\n")[-_PREVIEW_LINES:]
        if self._total <= len(end) and len(lines) < _PREVIEW_LINES:
            return "\n".join(lines)
        return f"... ({self._total:,} bytes so far)\n" + "\n".join(lines)

    def close(self) -> None:
        """Take no more; flush and close the file."""
        self._closed = True
        if self._file is None:
            return
        try:
            self._file.close()
        except OSError as error:
            self._lost = error.strerror or str(error)

    def text(self) -> str:
        """Return the output for the model, its middle left out when it is long. Blocking."""
        if looks_binary(self._head):
            return self._binary()
        if not self._overflows:
            text = clean(self._head.decode(errors="replace")).rstrip("\n")
            if len(text) <= MAX_CHARS:
                return text
            if not self._keeps_all:
                self._store(self._head)
                self.close()
            head = tail = text
        else:
            head = clean(self._head.decode(errors="replace"))
            # The tail may begin in the middle of a character or an escape code.
            tail = clean(self._tail.decode(errors="replace")).rstrip("\n")
        return self._without_middle(head, tail)

    def _binary(self) -> str:
        if not self._overflows and not self._keeps_all:
            self._store(self._head)
            self.close()
        where = f"not kept ({self._lost})" if self._lost else f"in {self._path}"
        return f"[binary output, {self._total:,} bytes: not shown, all of it is {where}]"

    def _without_middle(self, head: str, tail: str) -> str:
        self._is_cut = True
        half = MAX_CHARS // 2
        first = head[:half].rpartition("\n")[0] or head[:half]
        last = tail[-half:].partition("\n")[2] or tail[-half:]
        left_out = self._total - len(first.encode()) - len(last.encode())
        whole = f"all of it is in {self._path}"
        if self._lost:
            whole = f"the whole output could not be kept ({self._lost})"
        return f"{first}\n[... about {left_out:,} of {self._total:,} bytes left out; {whole} ...]\n{last}"


def looks_binary(data: bytes | bytearray) -> bool:
    """Tell whether the beginning of an output is no text in any encoding.

    Names that NUL separates are text; so is what another encoding than UTF-8 wrote.
    """
    sample = bytes(data[:_SAMPLE_BYTES])
    controls = sum(sample.count(byte) for byte in _NEVER_IN_TEXT)
    if controls <= _MAX_CONTROLS * len(sample):
        return False
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return error.start < len(sample) - 3  # a character that the sample cuts is none
    return False


def clean(text: str) -> str:
    """Turn terminal output into plain text: no escape codes, overwritten lines as they end up."""
    text = _ESCAPES.sub("", text).replace("\r\n", "\n")
    if "\r" in text:
        lines = text.split("\n")
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)
    return _OTHER_CONTROLS.sub("", text)
