"""The mark that every child carries, and finding processes by it.

Owns: the environment variable, telling which processes carry a mark, signalling those.
Does not own: giving marks out (``workspace.guard``).

A program that starts a session of its own leaves its parent's process group; the environment it
inherited stays. It is readable on Linux; elsewhere nothing is found by mark.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

MARK_NAME = "PILOTFISH_CHILD"
"""Environment variable that carries a child's mark."""

_PROCESSES = Path("/proc")


def carriers(prefix: str) -> list[int]:
    """Return the processes whose mark begins so. Blocking: some 20 microseconds a process."""
    needle = f"{MARK_NAME}={prefix}".encode()
    return [pid for pid, environment in _environments() if needle in environment]


def signal_carriers(prefix: str, number: signal.Signals) -> int:
    """Send a signal to the processes whose mark begins so. Blocking.

    Returns:
        How many there were.
    """
    found = carriers(prefix)
    for pid in found:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue
    return len(found)


def _environments() -> Iterator[tuple[int, bytes]]:
    own = os.getpid()
    try:
        names = os.listdir(_PROCESSES)  # noqa: PTH208 - ten times as fast as a Path for each
    except OSError:
        return
    for name in names:
        if not name.isdigit() or int(name) == own:
            continue
        try:
            # A zombie's environment is empty, so what waits to be reaped is not found.
            yield int(name), (_PROCESSES / name / "environ").read_bytes()
        except OSError:  # ended meanwhile, or another user's
            continue
