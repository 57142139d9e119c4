"""One running child: its process, its group, its output.

Owns: reading output to a cap, telling whether the group still lives, signalling it.
Does not own: limits in time, the table of children (``workspace.process``).
"""

import asyncio
import os
import signal
from asyncio.subprocess import Process
from typing import Protocol

import psutil

from pilotfish.ports.processes import OpenSpec, ProcessSpec

READ_BYTES = 65_536
"""Most that one wake-up of the event loop reads: the size of a pipe's buffer."""

DRAIN_BYTES = 1_048_576
"""Most that is read in one go after the child has ended: more than any pipe holds by default."""


class ChunkTaker(Protocol):
    """Takes what a child writes."""

    def take(self, chunk: bytes, *, is_error: bool) -> None:
        """Take a chunk of standard output or error."""
        ...


class OutputPipe:
    """A pipe that a child writes and the event loop reads."""

    def __init__(self, output: ChunkTaker, *, is_error: bool) -> None:
        self._output = output
        self._is_error = is_error
        self._loop = asyncio.get_running_loop()
        self._read_fd, self.write_fd = os.pipe()
        os.set_blocking(self._read_fd, False)
        self._loop.add_reader(self._read_fd, self._readable)
        self._open = True

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
            self._loop.remove_reader(self._read_fd)
            os.close(self._read_fd)

    def _readable(self) -> int:
        try:
            chunk = os.read(self._read_fd, READ_BYTES)
        except BlockingIOError:
            return 0
        except OSError:
            chunk = b""
        if chunk:
            self._output.take(chunk, is_error=self._is_error)
        else:
            self.close()
        return len(chunk)


class ChildOutput:
    """What a child wrote, up to its cap."""

    def __init__(self, spec: ProcessSpec, settled: asyncio.Event) -> None:
        self._spec = spec
        self._settled = settled
        self._chunks: list[bytes] = []
        self._error_chunks: list[bytes] = []
        self._total = 0
        self._discarding = False
        self.pipe = OutputPipe(self, is_error=False)
        self.error_pipe = None if spec.merge_stderr else OutputPipe(self, is_error=True)

    @property
    def pipes(self) -> tuple[OutputPipe, ...]:
        """The pipes in use."""
        return (self.pipe,) if self.error_pipe is None else (self.pipe, self.error_pipe)

    def take(self, chunk: bytes, *, is_error: bool) -> None:
        """Keep a chunk, cut at the cap, and pass it on."""
        if self._discarding:
            return
        room = self._spec.max_output_bytes - self._total
        self._total += len(chunk)
        if len(chunk) > room:
            self._settled.set()
            chunk = chunk[: max(room, 0)]
        if not chunk:
            return
        if self._spec.keep_output:
            (self._error_chunks if is_error else self._chunks).append(chunk)
        if self._spec.on_output is not None:
            self._spec.on_output(chunk)

    def finish(self) -> tuple[bytes, bytes]:
        """Read what is left in the pipes; from here on, more output is thrown away.

        Returns:
            Standard output (or both in order) and standard error.
        """
        for pipe in self.pipes:
            pipe.drain()
        self._discarding = True
        kept = b"".join(self._chunks), b"".join(self._error_chunks)
        self._chunks.clear()
        self._error_chunks.clear()
        return kept

    def close(self) -> None:
        """Close the pipes."""
        self._discarding = True
        for pipe in self.pipes:
            pipe.close()


class KeptOutput(Protocol):
    """What the governor must be able to do with the output of any child."""

    @property
    def pipes(self) -> tuple[OutputPipe, ...]:
        """The pipes that the event loop reads."""
        ...

    def finish(self) -> tuple[bytes, bytes]:
        """Read what is left; returns what was kept of standard output and error."""
        ...

    def close(self) -> None:
        """Close the pipes."""
        ...


class Child:
    """A started child and its process group."""

    def __init__(
        self,
        spec: ProcessSpec | OpenSpec,
        process: Process,
        output: KeptOutput,
        settled: asyncio.Event,
        mark: str,
    ) -> None:
        self.spec = spec
        self.mark = mark
        """What it and all that it starts carry in their environment; no other child's mark begins so."""
        self.settled = settled
        """Set when the child has ended or has written more than it may."""
        self.process = process
        self.output = output
        self.group = process.pid
        """The child leads its own session, so its group has its own number."""
        self.started_ms = 0
        """Wall clock."""
        self.started_s = 0.0
        """Monotonic clock."""

    @property
    def has_exited(self) -> bool:
        """Whether the child itself has ended and been reaped."""
        return self.process.returncode is not None

    def group_lives(self) -> bool:
        """Tell whether anything of the child's group still runs."""
        if not self.has_exited:
            return True
        # The leader is reaped. A process that has its number now is somebody else's, and so is the
        # group of that number.
        if _can_signal(self.group, group=False) or not _can_signal(self.group, group=True):
            return False
        return _has_running_member(self.group)

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to the whole group, if it still lives."""
        if not self.group_lives():
            return
        try:
            os.killpg(self.group, number)
        except ProcessLookupError:
            return


def _has_running_member(group: int) -> bool:
    """Tell whether a group that can be signalled holds more than zombies.

    Orphans are reaped by the system's first process, which in a bare container may never do so.
    """
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                return True
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
        except PermissionError:  # another user's process, so none of ours
            continue
    return False


def _can_signal(number: int, *, group: bool) -> bool:
    try:
        if group:
            os.killpg(number, 0)
        else:
            os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
