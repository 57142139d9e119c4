"""Child processes. One governor owns them all; everyone else asks it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

from pilotfish.util.records import dataclass

ProcessPurpose = Literal[
    "shell", "hook", "language_server", "mcp_server", "search", "git", "document", "index"
]


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceLimits:
    """What a child and all below it may take; it is ended when it takes more."""

    memory_bytes: int | None = None
    """Resident memory; None: any."""
    processes: int | None = None
    """How many processes at once; None: any number."""
    idle_s: float | None = None
    """How long, in seconds, they may neither write nor compute; None: for ever."""


NO_LIMITS = ResourceLimits()

MAX_STDIN_BYTES = 61_440
"""What a pipe takes without a reader on every system that matters, with room to spare."""

EndedBy = Literal["itself", "timeout", "output_limit", "resource_limit"]


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
    limits: ResourceLimits = NO_LIMITS
    stdin: bytes = b""
    """What the child may read, at most ``MAX_STDIN_BYTES``; empty: its input is closed."""
    gone_on_cancel: bool = False
    """Whether a cancelled ``run`` returns only when nothing of the child runs any more; else it returns at
    once. A second cancel does not wait."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessResult:
    """How a child ended."""

    exit_code: int | None
    """None when it was ended by a signal (see ``signal``), or where a client's terminal does not say."""
    signal: int | None
    output: bytes
    """Standard output (merged or not), at most ``max_output_bytes``."""
    error_output: bytes
    """Standard error when not merged."""
    ended_by: EndedBy
    reason: str = ""
    """What was too much when it was ended by ``resource_limit``, in a few words."""


@dataclass(frozen=True, kw_only=True)
class OpenSpec:
    """How to start a child that stays and is talked to over its standard input and output."""

    argv: Sequence[str]
    cwd: Path
    purpose: ProcessPurpose
    label: str
    """For tables and messages."""
    env: Mapping[str, str]
    """The whole environment of the child (the governor adds a mark of its own)."""
    max_memory_bytes: int | None = None
    """Resident memory of the child and all below it; it is ended when it takes more. None: no limit."""


class OpenChild(Protocol):
    """A child that stays. Whoever opened it stops it; the governor's end ends it, too."""

    @property
    def pid(self) -> int:
        """The number of the process."""
        ...

    @property
    def has_ended(self) -> bool:
        """Whether the child itself has ended."""
        ...

    @property
    def error_tail(self) -> str:
        """The last lines that the child wrote to standard error, at most a few kilobytes."""
        ...

    @property
    def how_it_ended(self) -> str:
        """How it ended, in a few words; empty while it runs."""
        ...

    async def read(self, max_bytes: int) -> bytes:
        """Wait for output and return what is there, at most ``max_bytes``; empty at its end."""
        ...

    async def write(self, data: bytes) -> None:
        """Write to the child's input; waits while the child does not read.

        Raises:
            ProcessError: The child has ended or does not read its input any more.
        """
        ...

    async def wait(self) -> None:
        """Wait until the child has ended."""
        ...

    async def stop(self) -> None:
        """End the child and its group: TERM, later KILL. Returns when all are gone.

        May be called again, and after the child has ended by itself: it must be called then, too.
        """
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class OutsideWatch:
    """Watches a command that somebody else starts for us, on this machine."""

    variables: Mapping[str, str]
    """What it must have in its environment: by that it is found, and ends with this process."""
    close: Callable[[], None]
    """Watch it no more."""


WatchOutside = Callable[[ResourceLimits, Callable[[str], None], Callable[[], int]], OutsideWatch]
"""Begins to watch such a command: its limits, what is called once with the reason when it takes more, and
what tells how many bytes it has written."""


class ProcessPort(Protocol):
    """Runs children."""

    async def open(self, spec: OpenSpec) -> OpenChild:
        """Start a child that stays, with pipes to its standard input and output.

        Raises:
            ProcessError: The program could not be started.
        """
        ...

    async def run(self, spec: ProcessSpec, *, timeout_s: float) -> ProcessResult:
        """Run a child with closed standard input and wait for it.

        At the time limit, on too much output, and on cancel the whole process group gets TERM
        and, five seconds later, KILL; cancel then raises ``CancelledError``.

        Raises:
            ProcessError: The program could not be started.
        """
        ...
