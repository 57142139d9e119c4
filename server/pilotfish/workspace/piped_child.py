"""A child that stays and is talked to: a language server, an MCP server.

Owns: its three pipes, the tail of what it writes to standard error, how its end is told.
Does not own: starting and ending it (``workspace.process``), its limits (``workspace.resource_watch``).
See also: ``ports.processes.OpenChild``.
"""

import asyncio
from collections.abc import Awaitable, Callable

from typing_extensions import override

from pilotfish.core.errors import ProcessError
from pilotfish.workspace.child import Child
from pilotfish.workspace.output_pipe import ChunkTaker, OutputPipe, open_output_pipe

ERROR_TAIL_BYTES = 8_192
"""How much of the end of standard error is kept: enough for a stack trace."""

WRITE_LIMIT_S = 30.0
"""How long a child may leave its full input pipe unread before a write fails."""


class ErrorTail(ChunkTaker):
    """The end of what a child wrote to standard error."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self.pipe = open_output_pipe(self, is_error=True)

    @property
    def pipes(self) -> tuple[OutputPipe, ...]:
        """The pipe in use."""
        return (self.pipe,)

    @property
    def text(self) -> str:
        """What is kept, from the first whole line on."""
        text = self._kept.decode("utf-8", "replace")
        _, newline, rest = text.partition("\n")
        cut = len(self._kept) >= ERROR_TAIL_BYTES and newline
        return (rest if cut else text).strip()

    @override
    def take(self, chunk: bytes, *, is_error: bool) -> None:
        """Add a chunk; forget what is too old."""
        self._kept += chunk
        del self._kept[:-ERROR_TAIL_BYTES]

    def finish(self) -> tuple[bytes, bytes]:
        """Read what is left in the pipe; returns nothing for standard output."""
        self.pipe.drain()
        return b"", bytes(self._kept)

    def close(self) -> None:
        """Close the pipe."""
        self.pipe.close()


class PipedChild:
    """Implements ``ports.processes.OpenChild``; made by the governor."""

    def __init__(
        self,
        child: Child,
        tail: ErrorTail,
        stop: Callable[[], Awaitable[None]],
        why_ended: Callable[[], str],
    ) -> None:
        self._child = child
        self._tail = tail
        self._stop = stop
        self._why_ended = why_ended

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._child.group

    @property
    def has_ended(self) -> bool:
        """Whether the child itself has ended."""
        return self._child.has_exited

    @property
    def error_tail(self) -> str:
        """The last lines that the child wrote to standard error."""
        return self._tail.text

    @property
    def how_it_ended(self) -> str:
        """Say how the child ended, in a few words; empty while it runs."""
        code = self._child.process.returncode
        if code is None:
            return ""
        return self._why_ended() or (f"exit code {code}" if code >= 0 else f"signal {-code}")

    async def read(self, max_bytes: int) -> bytes:
        """Wait for output and return it; empty at its end."""
        stdout = self._child.process.stdout
        return b"" if stdout is None else await stdout.read(max_bytes)

    async def write(self, data: bytes) -> None:
        """Write to the child's input; waits while the pipe is full."""
        stdin = self._child.process.stdin
        if stdin is None or stdin.is_closing() or self.has_ended:
            raise ProcessError(f"{self._child.spec.label} takes no more input.")
        stdin.write(data)
        try:
            async with asyncio.timeout(WRITE_LIMIT_S):
                await stdin.drain()
        except TimeoutError as error:
            raise ProcessError(f"{self._child.spec.label} does not read its input.") from error
        except OSError as error:
            raise ProcessError(f"{self._child.spec.label} takes no more input.") from error

    async def wait(self) -> None:
        """Wait until the child itself has ended."""
        await self._child.process.wait()

    async def stop(self) -> None:
        """Close the input, send TERM and later KILL to the group; returns when it is gone."""
        stdin = self._child.process.stdin
        if stdin is not None:
            stdin.close()
        await self._stop()
