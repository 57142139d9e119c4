"""Files that a step leaves where it must not.

Owns: what is looked at. Tests may write into the folders they are given and nowhere else: not into
temporary files that nobody removes, not into the user's own Pilotfish folder, not into the clone.
"""

import subprocess
import tempfile
from pathlib import Path

HOME_FOLDER = Path.home() / ".pilotfish"


class FileWatch:
    """Knows how the places looked before, and names what is new."""

    def __init__(self, *, clone: Path, home_folder: Path = HOME_FOLDER) -> None:
        self._clone = clone
        self._home_folder = home_folder
        self._known = self._outside()

    def new_files(self) -> list[str]:
        """Names what has come since the last call, once."""
        now = self._outside()
        found = sorted(now - self._known)
        self._known = now
        return found

    def _outside(self) -> set[str]:
        kept = {str(path) for path in self._home_folder.rglob("*")}
        status = subprocess.run(
            ["git", "status", "--porcelain", "-z", "--untracked-files=all"],
            cwd=self._clone,
            capture_output=True,
            text=True,
            check=False,
        )
        untracked = (line[3:] for line in status.stdout.split("\0") if line.startswith("?? "))
        return kept | {str(self._clone / name) for name in untracked}


def scratch_variables(scratch: Path) -> dict[str, str]:
    """Has temporary files of a step made in a folder of its own; pytest's go where they usually go."""
    return {"TMPDIR": str(scratch), "PYTEST_DEBUG_TEMPROOT": tempfile.gettempdir()}


def left_in(scratch: Path) -> list[str]:
    """Names what a step left among its temporary files."""
    return sorted(str(path) for path in scratch.iterdir())
