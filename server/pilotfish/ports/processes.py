"""Child processes. One governor owns them all; everyone else asks it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

ProcessPurpose = Literal[
    "shell", "hook", "language_server", "mcp_server", "search", "git", "document"
]


@dataclass(frozen=True, kw_only=True)
class ProcessSpec:
    """How to start a child."""

    argv: Sequence[str]
    cwd: Path
    purpose: ProcessPurpose
    label: str
    """For tables and messages, e.g. the command's first words."""
    env: Mapping[str, str]
    """The whole environment of the child (the governor adds a mark of its own)."""
    max_output_bytes: int
    """The child is ended when it writes more than this (standard output and error together)."""
    on_output: Callable[[bytes], None] | None = None
    """Called on the event loop with each chunk of merged output."""
    merge_stderr: bool = True
    """Whether standard error joins standard output, in order."""
    keep_output: bool = True
    """Whether the result holds the output; False when ``on_output`` takes it all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessResult:
    """How a child ended."""

    exit_code: int | None
    """None when it was ended by a signal; see ``signal``."""
    signal: int | None
    output: bytes
    """Standard output (merged or not), at most ``max_output_bytes``."""
    error_output: bytes
    """Standard error when not merged."""
    ended_by: Literal["itself", "timeout", "output_limit"]
    duration_s: float


class ProcessPort(Protocol):
    """Runs children to their end."""

    async def run(self, spec: ProcessSpec, *, timeout_s: float) -> ProcessResult:
        """Run a child with closed standard input and wait for it.

        At the time limit, on too much output, and on cancel the whole process group gets TERM
        and, five seconds later, KILL; cancel then raises ``CancelledError``.

        Raises:
            ProcessError: The program could not be started.
        """
        ...
