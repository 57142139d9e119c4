"""Processes that a step started and that outlive it.

Two nets, because each has a hole. Every step gets a variable that what it starts inherits; a program
with a scrubbed environment slips through. On Linux we also become the parent of all orphans among our
descendants, whatever their environment.
"""

import ctypes
import os
import sys
import time
from dataclasses import dataclass

import psutil

MARK = "PILOTFISH_CHECK_STEP"
"""Variable that names the run and the step to everything a step starts."""

GRACE_S = 5.0
"""Time for processes that are about to end by themselves."""

POLL_S = 0.05

_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """A process nobody ended."""

    pid: int
    command: str


def adopt_orphans() -> None:
    """From now on orphaned descendants become children of this process (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def mark_for(step_name: str) -> dict[str, str]:
    """The variable for a step of this run."""
    return {MARK: f"{os.getpid()}:{step_name}"}


def end_leftovers() -> list[Leftover]:
    """Waits a little for what still runs, ends what does not go by itself, and names that.

    To be called only while no step is running.
    """
    deadline = time.monotonic() + GRACE_S
    while (processes := _living()) and time.monotonic() < deadline:
        time.sleep(POLL_S)
    found = [_describe(process) for process in processes]
    for process in processes:
        _kill(process)
    psutil.wait_procs(processes, timeout=GRACE_S)
    return found


def _living() -> list[psutil.Process]:
    _collect_zombies()
    children = psutil.Process().children(recursive=True)
    marked = [process for process in psutil.process_iter() if _has_mark(process)]
    unique = {process.pid: process for process in [*children, *marked]}
    return [process for process in unique.values() if not _is_gone(process)]


def _collect_zombies() -> None:
    """Adopted children that ended wait for their parent to ask; that is us."""
    for child in psutil.Process().children():
        if _is_gone(child):
            try:
                os.waitpid(child.pid, os.WNOHANG)
            except (ChildProcessError, AttributeError):
                continue


def _has_mark(process: psutil.Process) -> bool:
    if process.pid == os.getpid():
        return False
    try:
        return process.environ().get(MARK, "").startswith(f"{os.getpid()}:")
    except (psutil.Error, OSError):
        return False


def _is_gone(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _describe(process: psutil.Process) -> Leftover:
    try:
        command = " ".join(process.cmdline()) or process.name()
    except psutil.Error:
        command = "?"
    return Leftover(pid=process.pid, command=command)


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return
