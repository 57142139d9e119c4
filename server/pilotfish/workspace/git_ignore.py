"""Which files git ignores, read from its ignore files: no program runs for it.

Owns: ``.gitignore`` on the way from a repository's root to a file, and ``.git/info/exclude``, which
linked worktrees share.
Does not own: the user's global excludes, and what is tracked although a pattern fits it.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pilotfish.config.store import readable_git_folder
from pilotfish.util.regular_file import read_regular

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_FILE_BYTES = 1 << 20
"""A longer ignore file is not read: nobody wrote it for git."""

MAX_LINES = 10_000
"""Patterns of one ignore file that count."""


def ignored_files(paths: Iterable[Path], roots: Iterable[Path]) -> frozenset[Path]:
    """Return those of the files that git ignores; files outside the roots are not looked at. Blocking.

    Args:
        paths: Absolute paths.
        roots: Folders of the workspace. A repository may begin above one, and one may hold several:
            the innermost one decides about a file.
    """
    tops = tuple(roots)
    seen = _Seen()
    return frozenset(
        path
        for path in paths
        if any(path.is_relative_to(top) for top in tops)
        and (root := seen.repository_of(path.parent)) is not None
        and seen.is_ignored(path, root)
    )


class _Seen:
    """What was read for one question, so that it is read once."""

    def __init__(self) -> None:
        self._rules: dict[Path, GitIgnoreSpec | None] = {}
        self._repositories: dict[Path, Path | None] = {}
        self._folders: dict[Path, bool] = {}
        self._excludes: dict[Path, Path] = {}

    def repository_of(self, folder: Path) -> Path | None:
        """Return the root of the repository that holds a folder; a worktree is one of its own."""
        if folder not in self._repositories:
            whole = (folder, *folder.parents)
            found = next((one for one in whole if (one / ".git").exists()), None)
            self._repositories[folder] = found
        return self._repositories[folder]

    def is_ignored(self, path: Path, root: Path) -> bool:
        """Tell whether a repository ignores a file."""
        # What lies in an ignored folder cannot be taken in again by a deeper pattern.
        for folder in reversed(path.relative_to(root).parents[:-1]):
            whole = root / folder
            if whole not in self._folders:
                self._folders[whole] = self._decide(whole, root, mark="/")
            if self._folders[whole]:
                return True
        return self._decide(path, root, mark="")

    def _decide(self, path: Path, root: Path, *, mark: str) -> bool:
        for folder in path.parents:
            found = _match(self._rules_of(folder / ".gitignore"), folder, path, mark)
            if found is not None:
                return found
            if folder == root:
                break
        return bool(_match(self._rules_of(self._exclude_of(root)), root, path, mark))

    def _rules_of(self, file: Path) -> "GitIgnoreSpec | None":
        if file not in self._rules:
            self._rules[file] = _spec(file)
        return self._rules[file]

    def _exclude_of(self, root: Path) -> Path:
        """Return the file of a repository that its worktrees share; it takes several reads to find it."""
        if root not in self._excludes:
            common = readable_git_folder(root) or root / ".git"
            self._excludes[root] = common / "info" / "exclude"
        return self._excludes[root]


def _match(spec: "GitIgnoreSpec | None", folder: Path, path: Path, mark: str) -> bool | None:
    if spec is None:
        return None
    return spec.check_file(path.relative_to(folder).as_posix() + mark).include


def _spec(file: Path) -> "GitIgnoreSpec | None":
    try:
        text = read_regular(file, MAX_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    return _read_rules(text.splitlines()[:MAX_LINES])


def _read_rules(lines: list[str]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except (ValueError, re.error):
        # One pattern that is none must not switch off the others.
        return GitIgnoreSpec.from_lines(filter(_is_pattern, lines))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True
