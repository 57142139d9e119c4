"""Files that are there whole, or as they were.

Owns: replacing a file in one step, adding to one all or nothing, and leaving nothing beside it when
that fails.
Does not own: files of the user's (``workspace.disk``), settings (``config.files``). Blocks on the disk.
"""

import io
import os
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file, or write a new one; a reader sees the old one or the new one.

    Raises:
        OSError: It cannot be written; it is then as it was.
    """
    unfinished = unfinished_of(path)
    try:
        unfinished.write_bytes(data)
        unfinished.replace(path)
    except OSError:
        with suppress(OSError):  # where nothing can be written, nothing can be removed either
            unfinished.unlink()
        raise


def append_whole(file: io.FileIO, data: bytes) -> None:
    """Write data at the end of a file; where not all of it fits, nothing of it stays.

    Raises:
        OSError: It cannot be written.
    """
    size = file.seek(0, os.SEEK_END)
    try:
        while data:  # a disk that fills up takes a part, and refuses only the rest
            data = data[file.write(data) or 0 :]
    except OSError:
        with suppress(OSError):
            file.truncate(size)
        raise


def unfinished_of(path: Path) -> Path:
    """Return where a file is written before it takes its place; a process that is killed leaves it."""
    return path.with_name(f"{path.name}.part")
