"""Paths without links.

Owns: ``real_path``. Blocks for a look at the disk.
"""

from pathlib import Path


def real_path(path: Path) -> Path:
    """Return a path with its links resolved; as it is where they lead in a circle, or where it can be none."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # for a circle one of two, by the version of Python
        return path
