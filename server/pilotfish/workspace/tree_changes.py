"""What a worktree holds that its first commit does not, file by file.

Owns: which files those are, and what they were. Does not own: worktrees (``workspace.worktree``).
"""

from pathlib import Path

from pilotfish.core.errors import WorktreeError
from pilotfish.util.records import dataclass
from pilotfish.workspace.git import Git, GitError
from pilotfish.workspace.worktree import Worktree

MAX_CHANGED_FILES = 300
"""More are for git itself: nobody reviews them one by one."""

_REGULAR = frozenset({"000000", "100644", "100755"})
"""Modes of what is no link and no repository inside this one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedFile:
    """A file that is not what it was when the worktree began."""

    name: str
    """Relative to the worktree, with slashes."""
    was_there: bool
    is_there: bool
    is_plain: bool
    """Whether it was and is an ordinary file, as far as it is there."""


class TreeChanges:
    """Looks at worktrees; changes nothing."""

    def __init__(self, git: Git) -> None:
        self._git = git

    async def files(self, worktree: Worktree) -> list[ChangedFile]:
        """Return the files that differ from the commit that a worktree began with, committed or not.

        Raises:
            WorktreeError: It cannot be told, or there are too many.
        """
        if worktree.base is None:
            raise WorktreeError(f"Nobody knows what {worktree.branch} began with.")
        git, path = self._git, worktree.path
        try:
            await git.require_harmless(path)
            raw = await git.run(
                path, "diff", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv",
                "--ignore-submodules=dirty", worktree.base,
            )  # fmt: skip
            new = await git.run(path, "ls-files", "--others", "--exclude-standard", "-z")
        except GitError as error:
            raise WorktreeError(f"What changed in {path} cannot be told. {error}") from error
        found = [*_changed(_names(raw.text)), *(_new(path, name) for name in _names(new.text))]
        if len(found) > MAX_CHANGED_FILES:
            raise WorktreeError(
                f"{len(found)} files changed in {path}, more than can be looked at here.",
                hint=f"Merge the branch {worktree.branch} with git.",
            )
        return sorted(found, key=lambda each: each.name)

    async def half_staged(self, worktree: Worktree) -> list[str]:
        """Return the names of files whose staged content is neither committed nor what the file is now.

        Raises:
            GitError: It cannot be told.
        """
        status = await self._git.run(
            worktree.path, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=no",
            "--ignore-submodules=dirty",
        )  # fmt: skip
        return [name[3:] for name in _names(status.text) if " " not in name[:2]]

    async def original(self, worktree: Worktree, name: str) -> bytes:
        """Return a file as a checkout of the first commit would write it.

        Raises:
            WorktreeError: It cannot be read.
        """
        try:
            shown = await self._git.run(
                worktree.path, "cat-file", "--filters", f"{worktree.base}:{name}"
            )
        except GitError as error:
            raise WorktreeError(f"The original of {name} cannot be read. {error}") from error
        return shown.text


def _names(text: bytes) -> list[str]:
    return [part.decode("utf-8", "surrogateescape") for part in text.split(b"\0") if part]


def _changed(parts: list[str]) -> list[ChangedFile]:
    """Read ``:mode mode id id status`` and name in turn."""
    found: list[ChangedFile] = []
    for facts, name in zip(parts[::2], parts[1::2], strict=True):
        before, after, *_ = facts.removeprefix(":").split(" ")
        found.append(
            ChangedFile(
                name=name,
                was_there=before != "000000",
                is_there=after != "000000",
                is_plain={before, after} <= _REGULAR,
            )
        )
    return found


def _new(tree: Path, name: str) -> ChangedFile:
    file = tree / name
    plain = file.is_file() and not file.is_symlink()
    return ChangedFile(name=name, was_there=False, is_there=True, is_plain=plain)
