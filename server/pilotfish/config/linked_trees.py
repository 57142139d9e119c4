"""Working trees of a repository that lie within another one of its working trees.

Owns: finding them where git keeps note of them. Blocks for a short look at the disk.
See also: ``config.trees``, for those that Pilotfish itself makes.

They hold the same files again on another branch: ``git worktree add next`` in a project puts one into the
folder ``next``. Whoever works in one must not be shown the files of another.
"""

import os
from itertools import islice
from pathlib import Path

from pilotfish.config.files import read_text
from pilotfish.config.store import readable_git_folder
from pilotfish.core.errors import SettingsError

MAX_TREES = 200
"""Notes that are looked at: a repository that somebody else has made may hold any number."""


def linked_trees_in(root: Path) -> frozenset[Path]:
    """Return the folders below a folder that are other working trees of its repository."""
    common = readable_git_folder(root)
    if common is None:
        return frozenset()
    trees = _trees_of(common)
    # A folder around a bare repository is no working tree: it only holds them.
    if not (common / "index").is_file() and not any(root.is_relative_to(one) for one in trees):
        return frozenset()
    return frozenset(one for one in trees if one != root and one.is_relative_to(root))


def _trees_of(common: Path) -> set[Path]:
    """Return the folders of all working trees but the main one."""
    found: set[Path] = set()
    for note in islice((common / "worktrees").glob("*/gitdir"), MAX_TREES):
        try:
            named = (read_text(note) or "").strip()
        except SettingsError:
            continue
        if named:
            # What it names may be relative to the note, and gone; it is not followed.
            found.add(Path(os.path.normpath(note.parent / named)).parent)
    return found
