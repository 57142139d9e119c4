"""Who wrote which file last, among those who share the servers.

Owns: telling whether somebody else has written a file since a moment.
Does not own: what users and commands write: nobody else hears of what that breaks.
"""

from pathlib import Path

from pilotfish.codeintel.servers.documents import Opener

MAX_FILES = 2_000
"""Files that are remembered; the one written longest ago is forgotten."""


class Writers:
    """One for all servers of a process."""

    def __init__(self) -> None:
        self.number = 0
        """Grows with each write."""
        self._last: dict[Path, tuple[Opener, int]] = {}

    def wrote(self, path: Path, opener: Opener) -> None:
        """Take note of a write."""
        self.number += 1
        self._last.pop(path, None)
        self._last[path] = opener, self.number
        if len(self._last) > MAX_FILES:
            del self._last[next(iter(self._last))]

    def is_of_another(self, path: Path, opener: Opener, since: int) -> bool:
        """Tell whether somebody else has written a file last, since ``number`` was this."""
        last = self._last.get(path)
        return last is not None and last[0] is not opener and last[1] > since
