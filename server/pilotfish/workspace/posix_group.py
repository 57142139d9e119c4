"""Process groups of Linux and macOS.

Owns: telling whether a group still lives, and signalling it. See also: ``process_group``.
"""

import os
import signal
from typing import Any

import psutil

POSIX_OPTIONS: dict[str, Any] = {"start_new_session": True}
"""A session of its own: no terminal, and a group with the child's own number."""


class PosixGroup:
    """Implements ``process_group.ProcessGroup``."""

    def __init__(self, pid: int) -> None:
        self._number = pid

    def lives(self, *, leader_ended: bool) -> bool:
        """Tell whether anything of the group still runs."""
        if not leader_ended:
            return True
        # The leader is reaped. A process that has its number now is somebody else's, and so is the
        # group of that number.
        if _can_signal(self._number, group=False) or not _can_signal(self._number, group=True):
            return False
        return _has_running_member(self._number)

    def end(self, *, by_force: bool) -> None:
        """Send TERM or KILL to the whole group."""
        try:
            os.killpg(self._number, signal.SIGKILL if by_force else signal.SIGTERM)
        except (ProcessLookupError, PermissionError):  # gone, or somebody else's by now
            return

    def close(self) -> None:
        """Nothing is kept for a group."""


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
