"""The client's terminals, for commands that people want to see run there."""

from collections.abc import Callable
from typing import Protocol

from pilotfish.core.ids import SessionId
from pilotfish.ports.processes import ProcessResult, ProcessSpec


class TerminalPort(Protocol):
    """Runs commands in terminals of the client. An edge implements it where the client offers them."""

    async def run(
        self,
        session: SessionId,
        spec: ProcessSpec,
        *,
        timeout_s: float,
        on_open: Callable[[str], None],
    ) -> ProcessResult:
        """Run a command to its end; limits in time and output hold as anywhere, cancel ends it.

        Args:
            session: The session whose command it is.
            spec: What to run; its limits in memory, number and idle time hold where it runs on this machine.
            timeout_s: When it is ended, in seconds.
            on_open: Called with the terminal's id once it is there.

        Raises:
            ProcessError: The client could not start it.
        """
        ...
