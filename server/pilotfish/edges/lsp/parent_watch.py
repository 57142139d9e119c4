"""Whether the editor that started this server still runs.

Owns: telling that from ``processId``, on any system, however the pipes fare: a program that inherited
one keeps it open after the editor is gone.
Does not own: what follows (``server``). On Linux and macOS the guard, on Windows the job objects see to
the children when this process is killed itself (``workspace.guard``, ``workspace.windows_group``).
"""

import psutil

from pilotfish.util.process_identity import is_same_process, start_since_boot


class ParentWatch:
    """Knows one process by number and start."""

    def __init__(self, pid: int) -> None:
        """Take note of the process as it is now. Blocking."""
        self._pid = pid
        self._started: float | None = None
        try:
            self._started = start_since_boot(pid)
        except psutil.AccessDenied:
            # It runs as somebody else; its number alone must do.
            self._started = None
        except psutil.NoSuchProcess:
            self._started = -1.0  # no process was started then

    def is_gone(self) -> bool:
        """Tell whether the process has ended, though its number may name another one. Blocking."""
        if self._started is None:
            return not psutil.pid_exists(self._pid)
        return not is_same_process(self._pid, self._started)
