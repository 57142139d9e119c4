"""A git repository, found by reading files alone.

Owns: which repository a folder belongs to, where its main folder is, what belongs to one worktree of
it. What the files say is believed only where both sides say the same: a pointer is just text that
anybody can put into a folder. All of it blocks.
Does not own: running git (``workspace.git``).
"""

from pathlib import Path

from pilotfish.util.records import dataclass
from pilotfish.util.regular_file import read_regular

MAX_POINTER_BYTES = 4_096
"""Longer pointers are none."""

_BRANCH = "ref: refs/heads/"


@dataclass(frozen=True, kw_only=True, slots=True)
class Repository:
    """A repository as seen from a folder in it."""

    root: Path
    """The main folder, resolved: where ``.git`` is a folder."""
    here: Path
    """The worktree that the folder is in; the same as ``root`` in the main one."""


def find_repository(folder: Path) -> Repository | None:
    """Return the repository around a folder.

    None where there is none, and where it is not a plain one with worktrees: a bare one, a
    submodule, one whose ``.git`` is a link or is kept elsewhere.
    """
    place = folder.resolve()
    for here in (place, *place.parents):
        entry = here / ".git"
        if entry.is_symlink():
            return None
        if entry.is_dir():
            return Repository(root=here, here=here)
        if entry.is_file():
            admin = admin_folder(here)
            return None if admin is None else Repository(root=admin.parents[2], here=here)
    return None


def branch_at(folder: Path) -> str:
    """Return the branch that is checked out around a folder; empty where there is none."""
    repository = find_repository(folder)
    if repository is None:
        return ""
    is_main = repository.here == repository.root
    admin = repository.root / ".git" if is_main else admin_folder(repository.here)
    head = None if admin is None else _pointer(admin / "HEAD")
    if head is None or not head.startswith(_BRANCH):
        return ""
    name = head.removeprefix(_BRANCH)
    # No branch begins with a dot; where branches are kept in tables, a stand-in does.
    return "" if name.startswith(".") else name


def admin_folder(worktree: Path) -> Path | None:
    """Return what git keeps of a linked worktree: ``<main>/.git/worktrees/<name>``.

    None where the folder is no linked worktree, or its repository does not know of it.
    """
    text = _pointer(worktree / ".git")
    if text is None or not text.startswith("gitdir:"):
        return None
    admin = (worktree / text.removeprefix("gitdir:").strip()).resolve()
    if admin.parent.name != "worktrees" or admin.parents[1].name != ".git":
        return None
    back = _pointer(admin / "gitdir")
    if back is None or Path(back).resolve() != (worktree / ".git").resolve():
        return None
    return admin


def _pointer(file: Path) -> str | None:
    try:
        text = read_regular(file, MAX_POINTER_BYTES).decode().strip()
    except (OSError, ValueError):
        return None
    return None if "\0" in text else text
