"""Files that are there whole, or as they were.

Owns: replacing a file in one step, and leaving nothing beside it when that fails.
Does not own: files of the user's (``workspace.disk``), settings (``config.files``). Blocks on the disk.
"""

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


def unfinished_of(path: Path) -> Path:
    """Return where a file is written before it takes its place; a process that is killed leaves it."""
    return path.with_name(f"{path.name}.part")
