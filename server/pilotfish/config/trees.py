"""Which working tree a path belongs to, by its name alone.

Owns: telling a project from the worktrees that Pilotfish keeps inside of it: they hold the same files
again, and whoever works in one must not be shown those of another.
Does not own: worktrees (``workspace.worktree``). Pure.
"""

from pathlib import Path

from pilotfish.config.home import FOLDER_NAME

WORKTREES = "worktrees"
"""The folder below ``.pilotfish`` that holds them."""


def repository_around(path: Path) -> Path | None:
    """Return the main folder of the repository in whose worktrees folder a path lies, if it does."""
    parts = path.parts
    for at in range(len(parts) - 3, 0, -1):
        if parts[at : at + 2] == (FOLDER_NAME, WORKTREES):
            return Path(*parts[:at])
    return None


def is_in_other_tree(path: Path, root: Path) -> bool:
    """Tell whether a path belongs to another working tree of a project than a folder does."""
    if path.is_relative_to(root):
        return False
    holder = repository_around(root)
    if repository_around(path) is not None:
        return True
    return holder is not None and path.is_relative_to(holder)
