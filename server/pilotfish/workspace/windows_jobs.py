"""The system's calls for job objects, by ``ctypes``.

Owns: the structures and the calls; nothing is decided here. Not run here: there is no Windows.
Does not own: what jobs are used for (``windows_group``).
"""

import ctypes
from typing import Any

_KILL_ON_JOB_CLOSE = 0x2000
_EXTENDED_LIMITS = 9
_ACCOUNTING = 1
_PROCESS_SET_QUOTA_AND_TERMINATE = 0x0100 | 0x0001
_EXIT_CODE = 1
"""Exit code of what is ended."""


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class _ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


class _Accounting(ctypes.Structure):
    _fields_ = (
        ("TotalUserTime", ctypes.c_int64),
        ("TotalKernelTime", ctypes.c_int64),
        ("ThisPeriodTotalUserTime", ctypes.c_int64),
        ("ThisPeriodTotalKernelTime", ctypes.c_int64),
        ("TotalPageFaultCount", ctypes.c_uint32),
        ("TotalProcesses", ctypes.c_uint32),
        ("ActiveProcesses", ctypes.c_uint32),
        ("TotalTerminatedProcesses", ctypes.c_uint32),
    )


class WindowsJobs:
    """Implements ``windows_group.Jobs``."""

    def __init__(self) -> None:
        # The name exists on Windows alone.
        self._kernel: Any = vars(ctypes)["WinDLL"]("kernel32", use_last_error=True)
        for name in ("CreateJobObjectW", "OpenProcess"):
            getattr(self._kernel, name).restype = ctypes.c_void_p

    def create(self) -> int:
        """Make a job that ends with its last handle."""
        job = self._checked(self._kernel.CreateJobObjectW(None, None))
        limits = _ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = _KILL_ON_JOB_CLOSE
        size = ctypes.sizeof(limits)
        done = self._kernel.SetInformationJobObject(
            ctypes.c_void_p(job), _EXTENDED_LIMITS, ctypes.byref(limits), size
        )
        if not done:
            error = self._error()
            self.close(job)
            raise error
        return job

    def assign(self, job: int, pid: int) -> None:
        """Put a process into a job."""
        process = self._checked(
            self._kernel.OpenProcess(_PROCESS_SET_QUOTA_AND_TERMINATE, False, pid)  # noqa: FBT003
        )
        try:
            self._checked(
                self._kernel.AssignProcessToJobObject(
                    ctypes.c_void_p(job), ctypes.c_void_p(process)
                )
            )
        finally:
            self.close(process)

    def count(self, job: int) -> int:
        """Return how many processes of the job run."""
        facts = _Accounting()
        self._checked(
            self._kernel.QueryInformationJobObject(
                ctypes.c_void_p(job), _ACCOUNTING, ctypes.byref(facts), ctypes.sizeof(facts), None
            )
        )
        return int(facts.ActiveProcesses)

    def terminate(self, job: int) -> None:
        """End all processes of a job."""
        self._checked(self._kernel.TerminateJobObject(ctypes.c_void_p(job), _EXIT_CODE))

    def close(self, job: int) -> None:
        """Close a handle."""
        self._kernel.CloseHandle(ctypes.c_void_p(job))

    def _checked(self, answer: int | None) -> int:
        if not answer:
            raise self._error()
        return answer

    def _error(self) -> OSError:
        number = int(vars(ctypes)["get_last_error"]())
        return OSError(number, f"Windows refuses (error {number})")
