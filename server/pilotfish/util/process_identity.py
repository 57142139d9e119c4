"""Telling a process from another one that has its number later.

Owns: when a process was started, counted from the start of the system. The same as a date jumps
whenever the system's clock is set, so two looks at one process would tell of two.
"""

import psutil

SAME_START_S = 0.05
"""The system tells a start to a hundredth of a second."""

_TRIES = 5
"""The clock may be set between two reads, but hardly every time."""


def start_since_boot(pid: int) -> float:
    """Return when a process was started, in seconds since the system was.

    Raises:
        psutil.Error: There is none of that number, or the system does not tell.
    """
    process = psutil.Process(pid)
    for _ in range(_TRIES):
        booted = psutil.boot_time()
        started = process.create_time()
        if psutil.boot_time() == booted:
            return started - booted
    raise psutil.AccessDenied(pid, msg="the clock does not stand still")


def is_same_process(pid: int, started: float) -> bool:
    """Tell whether the process of a number runs that was started then; one unreaped does not."""
    try:
        same = abs(start_since_boot(pid) - started) < SAME_START_S
        return same and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
