"""The files below a folder as they were last: what changed while nobody watched is found by comparing.

Owns: walking the folder, what tells one state of a file from another.
Does not own: when it is done (``disk_watch``).
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from pilotfish.codeintel.servers.watchers import CHANGED, CREATED, DELETED
from pilotfish.util.folder_watch import NOISY_FOLDERS

MAX_COMPARED = 50_000
"""Files that are compared; what the rest of a larger folder lost is not told."""


class DiskState:
    """Of one folder. All of it blocks; nobody calls it twice at once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, int] | None = None

    def look(self) -> Mapping[Path, int]:
        """Return by path what became of the files since the last look; nothing at the first one."""
        before, now = self._known, dict(islice(_states_below(self._root), MAX_COMPARED))
        self._known = now
        if before is None:
            return {}
        gone = [path for path in before if path not in now and not os.path.lexists(path)]
        changes = {Path(path): DELETED for path in gone}
        for path, state in now.items():
            if path not in before:
                changes[Path(path)] = CREATED
            elif before[path] != state:
                changes[Path(path)] = CHANGED
        return changes

    def note(self, told: Iterable[Path]) -> None:
        """Take note of files whose change has been told."""
        known = self._known
        if known is None:
            return
        for path in map(str, told):
            state = _state_of(path)
            if state is None:
                known.pop(path, None)
            elif path in known or len(known) < MAX_COMPARED:
                known[path] = state


def _states_below(root: Path) -> Iterator[tuple[str, int]]:
    for parent, inner, names in os.walk(root):
        inner[:] = sorted(name for name in inner if name not in NOISY_FOLDERS)
        for name in sorted(names):
            path = f"{parent}{os.sep}{name}"
            state = _state_of(path)
            if state is not None and _is_text(path):
                yield path, state


def _state_of(path: str) -> int | None:
    """Return when a file was touched last; what is moved to its place may say it was written long ago."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    return max(found.st_mtime_ns, found.st_ctime_ns)


def _is_text(path: str) -> bool:
    """Tell whether a server can be told of it."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
