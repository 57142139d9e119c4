"""The mark that every child carries, and finding processes by it.

Owns: the environment variable, telling which processes carry a mark, signalling those.
Does not own: giving marks out (``workspace.guard``).

A program that starts a session of its own leaves its parent's process group; the environment it
inherited stays. It is readable on Linux and, for programs that the system does not protect, on macOS.
Nothing needs to be found on Windows: there nobody leaves a job.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil

MARK_NAME = "PILOTFISH_CHILD"
"""Environment variable that carries a child's mark."""

_PROCESSES = Path("/proc")


def carriers(prefix: str) -> list[int]:
    """Return the processes whose mark begins so. Blocking: some 20 microseconds a process."""
    needle = f"{MARK_NAME}={prefix}".encode()
    return [pid for pid, environment in _environments() if needle in environment]


def end_carriers(prefix: str, *, by_force: bool = False) -> int:
    """Ask the processes whose mark begins so to end, or end them. Blocking.

    Returns:
        How many there were.
    """
    found = carriers(prefix)
    for pid in found:
        try:
            process = psutil.Process(pid)
            process.kill() if by_force else process.terminate()
        except psutil.Error:
            continue
    return len(found)


def _environments() -> Iterator[tuple[int, bytes]]:
    if sys.platform == "win32":
        return iter(())
    return from_folder(_PROCESSES) if _PROCESSES.is_dir() else from_system()


def from_folder(processes: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number and environment of processes, as Linux shows them."""
    own = os.getpid()
    try:
        names = os.listdir(processes)  # noqa: PTH208 - ten times as fast as a Path for each
    except OSError:
        return
    for name in names:
        if not name.isdigit() or int(name) == own:
            continue
        try:
            # A zombie's environment is empty, so what waits to be reaped is not found.
            yield int(name), (processes / name / "environ").read_bytes()
        except OSError:  # ended meanwhile, or another user's
            continue


def from_system() -> Iterator[tuple[int, bytes]]:
    """Yield the same by the calls of the system: slower, but on macOS, too."""
    own = os.getpid()
    for process in psutil.process_iter():
        if process.pid == own:
            continue
        try:
            variables = process.environ()
        except (psutil.Error, OSError):  # ended meanwhile, or another user's
            continue
        yield (
            process.pid,
            "\0".join(f"{n}={v}" for n, v in variables.items()).encode(errors="replace"),
        )
