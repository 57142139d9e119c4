"""Files of definitions in folders that may be anybody's.

Owns: what makes a file one that is not read: its size, its kind, where it really lies, whose it is.
Does not own: which folders there are, what a text says. Blocks on the disk; nothing in a folder can make
it raise.
See also: design 03 §4.17.
"""

import os
import stat
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from pilotfish.config.managed import why_not_managed

MAX_FILE_BYTES = 262_144
"""Largest file that is read: more than any prompt."""

MAX_ENTRIES = 20_000
"""Entries of a folder that are looked at."""


def entries_in(
    folder: Path, wanted: Callable[["os.DirEntry[str]"], bool], limit: int
) -> tuple[list[Path], bool]:
    """Return the first entries of a folder by name, and whether there are more than that."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, MAX_ENTRIES) if wanted(entry)]
    except OSError:
        # No folder, or none that may be looked into: nothing is defined there.
        return [], False
    names.sort()
    return [folder / name for name in names[:limit]], len(names) > limit


def is_markdown(entry: "os.DirEntry[str]") -> bool:
    """Tell whether an entry is called like a Markdown file."""
    return entry.name.lower().endswith(".md")


def why_not_read(file: Path, *, inside: Path | None = None, owner_uid: int | None = None) -> str:
    """Return why a file is not read, a sentence; empty when it is.

    Args:
        file: The file.
        inside: The folder in which it must really lie; None where links may lead anywhere.
        owner_uid: For an administrator's file: who must own it; None for all others.
    """
    if owner_uid is not None:
        problem = why_not_managed(file, owner_uid)
        if problem:
            return f"It is ignored: {problem}."
    if inside is not None and not is_inside(file, inside):
        return "It is a link that leads out of the project, so it is not read."
    try:
        found = file.stat()
    except OSError as error:
        return f"It cannot be read: {error.strerror or error}."
    if not stat.S_ISREG(found.st_mode):
        return "It is not a regular file."
    if found.st_size > MAX_FILE_BYTES:
        return f"It is larger than {MAX_FILE_BYTES // 1024} KiB, so it is not read."
    return ""


def is_inside(file: Path, root: Path) -> bool:
    """Tell whether a file really lies in a folder, wherever links lead."""
    return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(root))
