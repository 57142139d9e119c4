"""The side file by which a command tells in which folder it ended.

Owns: reading it with the care that a file needs which a command may have spoiled.
Does not own: writing it (each shell in its own words).
"""

import contextlib
import os
import stat
from pathlib import Path

MAX_FOLDER_BYTES = 65_536
"""Longest path that is taken for the folder at the end of a command."""

# The command knows the file and may have left anything there: a pipe, a link, a flood. Windows has
# none of these guards and needs none: opening a pipe by a path of a folder cannot happen there.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


class FolderFile:
    """Names the file and takes the folder out of it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def take(self) -> Path | None:
        """Return the folder and remove the file; None when the command told none. Blocking."""
        try:
            with os.fdopen(os.open(self.path, _FLAGS), "rb") as file:
                is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
                written = file.read(MAX_FOLDER_BYTES) if is_file else b""
        except FileNotFoundError:
            return None
        except OSError:
            written = b""
        with contextlib.suppress(OSError):  # a folder in its place may stay
            self.path.unlink(missing_ok=True)
        folder = Path(os.fsdecode(written.removesuffix(b"\n")))
        return folder if folder.is_absolute() and folder.is_dir() else None
