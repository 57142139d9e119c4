"""A pipe that a child writes and the event loop reads.

Owns: reading as output comes, reading what is left at the end. Does not own: what is done with it
(``ChunkTaker``).

On Linux and macOS the event loop tells when there is something to read. That of Windows cannot tell
for such a pipe, so there it is looked at every few milliseconds (``PolledPipe``).
"""

import asyncio
import os
import sys
from collections.abc import Callable
from typing import Protocol

if sys.platform == "win32":
    import _winapi
    import msvcrt

READ_BYTES = 65_536
"""Most that one wake-up of the event loop reads: the size of a pipe's buffer."""

DRAIN_BYTES = 1_048_576
"""Most that is read in one go after the child has ended: more than any pipe holds by default."""

FIRST_POLL_S = 0.001
"""Pause between two looks while output comes."""

LAST_POLL_S = 0.05
"""Longest such pause, while none comes."""


class ChunkTaker(Protocol):
    """Takes what a child writes."""

    def take(self, chunk: bytes, *, is_error: bool) -> None:
        """Take a chunk of standard output or error."""
        ...


class OutputPipe:
    """Reads when the event loop says that there is something."""

    def __init__(self, output: ChunkTaker, *, is_error: bool) -> None:
        self._output = output
        self._is_error = is_error
        self._loop = asyncio.get_running_loop()
        self._read_fd, self.write_fd = os.pipe()
        self._open = True
        self._watch()

    @property
    def is_open(self) -> bool:
        """Whether somebody may still write."""
        return self._open

    def drain(self) -> None:
        """Read what is there without waiting for more."""
        taken = 0
        while self._open and taken < DRAIN_BYTES:
            count = self._readable()
            if count == 0:
                return
            taken += count

    def close_write_end(self) -> None:
        """Close our copy of the end that the child writes; the child has its own."""
        if self.write_fd >= 0:
            os.close(self.write_fd)
            self.write_fd = -1

    def close(self) -> None:
        """Stop reading. Whoever still writes gets a broken pipe."""
        self.close_write_end()
        if self._open:
            self._open = False
            self._unwatch()
            os.close(self._read_fd)

    def _watch(self) -> None:
        os.set_blocking(self._read_fd, False)
        self._loop.add_reader(self._read_fd, self._readable)

    def _unwatch(self) -> None:
        self._loop.remove_reader(self._read_fd)

    def _read(self) -> bytes:
        """Return what is there; empty at the end.

        Raises:
            BlockingIOError: Nothing is there yet.
        """
        return os.read(self._read_fd, READ_BYTES)

    def _readable(self) -> int:
        try:
            chunk = self._read()
        except BlockingIOError:
            return 0
        except OSError:
            chunk = b""
        if chunk:
            self._output.take(chunk, is_error=self._is_error)
        else:
            self.close()
        return len(chunk)


class PolledPipe(OutputPipe):
    """Looks again and again."""

    def __init__(
        self, output: ChunkTaker, waiting: Callable[[int], int], *, is_error: bool
    ) -> None:
        """Set it up.

        Args:
            output: Takes what comes.
            waiting: Returns how many bytes wait in a pipe; raises ``OSError`` at its end.
            is_error: Whether it is standard error.
        """
        self._waiting = waiting
        self._pause_s = FIRST_POLL_S
        self._timer: asyncio.TimerHandle | None = None
        super().__init__(output, is_error=is_error)

    def _watch(self) -> None:
        self._timer = self._loop.call_later(self._pause_s, self._look)

    def _unwatch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        found = self._readable()
        if self._open:
            self._pause_s = FIRST_POLL_S if found else min(self._pause_s * 2, LAST_POLL_S)
            self._watch()

    def _read(self) -> bytes:
        count = self._waiting(self._read_fd)
        if count == 0:
            raise BlockingIOError
        return os.read(self._read_fd, min(count, READ_BYTES))


def open_output_pipe(output: ChunkTaker, *, is_error: bool) -> OutputPipe:
    """Return a pipe that is read as the system allows. Must run inside the event loop."""
    if sys.platform == "win32":
        return PolledPipe(output, _waiting_on_windows, is_error=is_error)
    return OutputPipe(output, is_error=is_error)


def _waiting_on_windows(descriptor: int) -> int:
    """Return how many bytes wait. Not run here: there is no Windows."""
    if sys.platform != "win32":
        raise NotImplementedError
    return int(_winapi.PeekNamedPipe(msvcrt.get_osfhandle(descriptor), 0)[0])
