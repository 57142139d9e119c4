"""One running child: its process, its group, its output.

Owns: reading output to a cap, telling whether the group still lives, signalling it.
Does not own: limits in time, the table of children (``workspace.process``).
"""

import asyncio
from asyncio.subprocess import Process
from typing import Protocol

from pilotfish.ports.processes import OpenSpec, ProcessSpec
from pilotfish.workspace.output_pipe import OutputPipe, open_output_pipe
from pilotfish.workspace.process_group import ProcessGroup


class ChildOutput:
    """What a child wrote, up to its cap."""

    def __init__(self, spec: ProcessSpec, settled: asyncio.Event) -> None:
        self._spec = spec
        self._settled = settled
        self._chunks: list[bytes] = []
        self._error_chunks: list[bytes] = []
        self._total = 0
        self._discarding = False
        self.pipe = open_output_pipe(self, is_error=False)
        self.error_pipe = None if spec.merge_stderr else open_output_pipe(self, is_error=True)

    @property
    def total(self) -> int:
        """How many bytes came."""
        return self._total

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
        tree: ProcessGroup,
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
        self.tree = tree
        """All that it has started."""
        self.is_ending = False
        """Whether its group was asked to end."""

    @property
    def has_exited(self) -> bool:
        """Whether the child itself has ended and been reaped."""
        return self.process.returncode is not None

    @property
    def may_leave_programs(self) -> bool:
        """Whether what it has started may go on when it has ended."""
        return self.spec.purpose == "shell"

    @property
    def is_left_over(self) -> bool:
        """Whether only programs that it has started are left, and may go on."""
        return self.has_exited and self.may_leave_programs and not self.is_ending

    def group_lives(self) -> bool:
        """Tell whether anything of the child's group still runs."""
        return self.tree.lives(leader_ended=self.has_exited)

    def end_group(self, *, by_force: bool = False) -> None:
        """Ask the whole group to end, or end it, if it still lives."""
        if self.group_lives():
            self.tree.end(by_force=by_force)
