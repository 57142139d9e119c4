"""Working trees of a repository that lie within another one of its working trees.

Owns: finding them where git keeps note of them. Blocks for a look at the disk.
See also: ``config.trees``, for those that Pilotfish itself makes.

They hold the same files again on another branch: ``git worktree add next`` in a project puts one into the
folder ``next``. Whoever works in one must not be shown the files of another.
"""

import os
from pathlib import Path

from pilotfish.config.store import readable_git_folder


def linked_trees_in(root: Path) -> frozenset[Path]:
    """Return the folders below a folder that are other working trees of its repository."""
    common = readable_git_folder(root)
    if common is None:
        return frozenset()
    found: set[Path] = set()
    for note in (common / "worktrees").glob("*/gitdir"):
        try:
            named = note.read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            continue
        # What it names may be relative to the note, and gone; it is not followed.
        tree = Path(os.path.normpath(note.parent / named)).parent
        if named and tree != root and tree.is_relative_to(root):
            found.add(tree)
    return frozenset(found)
