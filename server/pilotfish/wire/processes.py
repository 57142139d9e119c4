"""What Pilotfish runs: commands, language servers, searches."""

from pilotfish.ports.processes import ProcessPurpose
from pilotfish.wire.base import WireModel


class ProcessesListParams(WireModel):
    """``_pilotfish/processes/list``: all of them."""


class ProcessEntry(WireModel):
    """One child process with everything below it."""

    pid: int
    purpose: ProcessPurpose
    label: str
    """For people: the beginning of the command, or the name of the server."""
    started_at_ms: int
    """Wall clock, milliseconds since the epoch."""
    leftover: bool
    """A command has ended and programs that it started go on; false for what is being ended."""


class ProcessesListResponse(WireModel):
    """What runs now, oldest first."""

    processes: list[ProcessEntry]


class ProcessStopParams(WireModel):
    """``_pilotfish/processes/stop``: end one and everything below it."""

    pid: int


class ProcessStopResponse(WireModel):
    """Whether there was anything to do."""

    taken: bool
    """False when it had ended already."""
