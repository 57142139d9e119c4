"""What the judge must look up on the disk.

Owns: real paths, the walk for denied files below a folder, and the git probe, behind one interface
so that ``decide`` stays a function of its arguments.
All methods block; the gate calls ``decide`` off the event loop.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from pilotfish.permissions.git_probe import GitProbe

MAX_WALK_ENTRIES = 5_000
"""Files looked at below a folder before it counts as holding a denied one."""


class Probe(Protocol):
    """Questions to the disk. Paths are absolute text."""

    def real_path(self, path: str) -> str:
        """Return the path with all links followed, also when its end does not exist."""
        ...

    def any_below(self, folder: str, matches: Callable[[str], bool]) -> bool:
        """Tell whether some file below a folder matches; also true when there are too many."""
        ...

    def git_is_quiet(self, folder: str) -> bool:
        """Tell whether reading git commands in a folder start nothing but git."""
        ...

    def git_top(self, folder: str) -> str | None:
        """Return the folder whose files git would manage from a folder; None when unusual."""
        ...


class DiskProbe:
    """Asks the real disk."""

    def __init__(self) -> None:
        self._git = GitProbe()

    def real_path(self, path: str) -> str:
        """Return the path with all links followed; an unreadable path stays as it is."""
        try:
            return os.path.realpath(path)
        except (OSError, ValueError):
            return path

    def any_below(self, folder: str, matches: Callable[[str], bool]) -> bool:
        """Walk a folder, links not followed, until a file matches or the limit is reached."""
        seen = 0
        for place, folders, files in os.walk(folder):
            for name in (*files, *folders):
                seen += 1
                if seen > MAX_WALK_ENTRIES or matches(f"{place}/{name}"):
                    return True
        return False

    def git_is_quiet(self, folder: str) -> bool:
        """Tell whether reading git commands in a folder start nothing but git."""
        return self._git.is_quiet(folder)

    def git_top(self, folder: str) -> str | None:
        """Return the nearest folder upwards that holds a repository of its own."""
        for place in (Path(folder), *Path(folder).parents):
            entry = place / ".git"
            if entry.is_dir():
                return str(place)
            # A linked work tree keeps its history elsewhere.
            if entry.exists():
                return None
        return None
