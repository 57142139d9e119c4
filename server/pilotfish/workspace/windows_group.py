"""Job objects of Windows.

Owns: putting a child into a job before it runs, telling whether anything of the job lives, ending it.
Does not own: the calls of the system (``windows_jobs``). See also: ``process_group``.

Not run here: this project has no Windows machine. What is decided is tested with jobs in memory; the
calls themselves are not.

A job holds whatever its members start; nobody leaves it. It ends with its last handle, and the only
one is ours: when this process dies, however it dies, Windows ends the children. So there is no guard
and no mark to look for.
"""

import logging
from collections.abc import Callable
from typing import Any, Protocol

import psutil

from pilotfish.workspace.windows_jobs import WindowsJobs

logger = logging.getLogger(__name__)

_CREATE_SUSPENDED = 0x00000004
_CREATE_NEW_PROCESS_GROUP = 0x00000200
_CREATE_NO_WINDOW = 0x08000000

WINDOWS_OPTIONS: dict[str, Any] = {
    "creationflags": _CREATE_SUSPENDED | _CREATE_NEW_PROCESS_GROUP | _CREATE_NO_WINDOW
}
"""Suspended: what it would start before it is in its job would be lost to us."""


class Jobs(Protocol):
    """Calls of the system; a job is known by its handle. All raise ``OSError``."""

    def create(self) -> int:
        """Make a job that ends with its last handle."""
        ...

    def assign(self, job: int, pid: int) -> None:
        """Put a process into a job."""
        ...

    def count(self, job: int) -> int:
        """Return how many processes of the job run."""
        ...

    def terminate(self, job: int) -> None:
        """End all processes of a job."""
        ...

    def close(self, job: int) -> None:
        """Close the handle."""
        ...


class JobGroup:
    """Implements ``process_group.ProcessGroup``."""

    def __init__(self, jobs: Jobs, job: int) -> None:
        self._jobs = jobs
        self._job: int | None = job

    def lives(self, *, leader_ended: bool) -> bool:
        """Tell whether the job has a running process."""
        if self._job is None:
            return False
        try:
            return self._jobs.count(self._job) > 0
        except OSError:
            # What cannot be counted must not be forgotten while the child itself runs.
            return not leader_ended

    def end(self, *, by_force: bool) -> None:  # noqa: ARG002 - a job knows no other end
        """End all processes of the job.

        There is no polite way: a program without a console or a window hears of nothing.
        """
        if self._job is None:
            return
        try:
            self._jobs.terminate(self._job)
        except OSError:
            logger.exception("a job could not be ended")

    def close(self) -> None:
        """Close the handle; what still runs in the job ends with it."""
        job, self._job = self._job, None
        if job is not None:
            self._jobs.close(job)


def put_into_job(
    pid: int, jobs: Jobs | None = None, resume: Callable[[int], None] | None = None
) -> JobGroup:
    """Put a suspended child into a job of its own, then let it run.

    Args:
        pid: The child.
        jobs: The calls of the system; None: Windows' own.
        resume: Lets a suspended process run; None: by ``psutil``.

    Raises:
        OSError: It could not be done; the child is ended then, since nothing would hold it.
    """
    jobs = jobs or WindowsJobs()
    job = jobs.create()
    try:
        jobs.assign(job, pid)
        (resume or _resume)(pid)
    except OSError:
        _kill(pid)
        jobs.close(job)
        raise
    return JobGroup(jobs, job)


def _resume(pid: int) -> None:
    try:
        psutil.Process(pid).resume()
    except psutil.Error as error:
        raise ProcessLookupError(str(error)) from error


def _kill(pid: int) -> None:
    try:
        psutil.Process(pid).kill()
    except psutil.NoSuchProcess:
        return
