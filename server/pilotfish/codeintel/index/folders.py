"""Which folders are watched for an index.

Owns: those that hold files of the project, and those that may get some: folders of texts, empty ones.
Does not own: watching them (``watch``), which files count (``selection``).

Who lists files knows what is ignored, but lists no folders. So a folder without a listed file is watched
on trial: once code has come into it that is not listed, it is ignored, and watched no longer. While it holds
only other files that are not listed, which may be a matter of their names, code alone is news in it.
"""

import os
import stat
from collections import deque
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from pilotfish.codeintel.index.ignore_rules import is_rule
from pilotfish.codeintel.index.selection import Listing, code_language, is_storable
from pilotfish.codeintel.index.watch import MAX_WATCHED_FOLDERS
from pilotfish.util.folder_watch import NOISY_FOLDERS

MAX_OTHERS = 1_000
"""Folders without code that are watched; the deepest are left out."""


class News(NamedTuple):
    """Paths that are not known and may change what is listed, relative to the root."""

    code: frozenset[str] = frozenset()
    rules: bool = False
    """Whether a file that says what is ignored is among them."""
    folders: bool = False
    """Whether a folder came or went."""

    @property
    def is_any(self) -> bool:
        """Whether there is something to look at."""
        return bool(self.code) or self.rules or self.folders


class FolderChoice:
    """Of one project; remembers which folders turned out to be ignored."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._ignored: set[str] = set()
        self._filled: frozenset[str] = frozenset()
        """Those on trial that hold files, of which none is listed."""
        self._listed: tuple[set[str], set[str]] | None = None
        """The folders of listed files and those of code, when all was looked at last."""
        self.folders: frozenset[str] = frozenset()
        """Those to watch, relative to the root, which is the empty one."""

    def forget(self) -> None:
        """Take no folder for ignored any more: what is ignored has changed."""
        self._ignored.clear()
        self._listed = None

    def news_of(self, paths: Collection[str]) -> News:
        """Tell what of unknown paths that changed is news. Blocking."""
        code: set[str] = set()
        rules = folders = False
        # Such a folder may have been emptied meanwhile.
        filled = {
            one for one in self._filled & set(map(_folder_of, paths)) if self._holds_files(one)
        }
        for path in paths:
            if is_rule(path):
                rules = True
            elif path in self.folders:
                folders = True
            elif not _is_visible(path):
                continue
            elif code_language(path) is not None and not self._is_folder(path):
                code.add(path)
            elif not folders and _folder_of(path) not in filled:
                folders = self._is_folder(path)
        return News(frozenset(code), rules, folders)

    def choose(
        self, listing: Listing, present: Collection[str], news: News | None = None
    ) -> frozenset[str]:
        """Return the folders to watch, also as ``folders``. Blocking.

        Args:
            listing: All files.
            present: Those of the index, relative.
            news: What came, when that alone is the reason to choose: is a folder of such code not listed by
                now, it is ignored.
        """
        skip = len(str(self._root)) + 1
        parents = {os.path.dirname(str(file))[skip:] for file in listing.files}  # noqa: PTH120 - for each file
        folders = {parent.replace(os.sep, "/") for parent in parents if is_storable(parent)}
        of_code = _with_those_above(map(_folder_of, present))
        listed = _with_those_above(one for one in folders if _is_visible(one)) | of_code
        ignored = (
            self._found_ignored(news.code, listed) if news and listing.complete else set[str]()
        )
        self._ignored |= ignored
        is_same = self._listed == (listed, of_code) and not ignored
        if news is None or news.rules or news.folders or not is_same:
            others = (listed - of_code) | self._on_trial(listed)
            room = max(0, min(MAX_OTHERS, MAX_WATCHED_FOLDERS - len(of_code)))
            self.folders = frozenset(of_code | set(sorted(others, key=_by_depth)[:room]))
            self._listed = listed, of_code
        return self.folders

    def _is_folder(self, path: str) -> bool:
        return (self._root / path).is_dir()

    def _holds_files(self, folder: str) -> bool:
        return _look_into(str(self._root / folder))[1]

    def _found_ignored(self, came: Iterable[str], listed: set[str]) -> set[str]:
        """Return folders of files that are not listed though they are there."""
        unlisted = (path for path in came if _folder_of(path) not in listed)
        return {_folder_of(path) for path in unlisted if _is_file(self._root / path)}

    def _on_trial(self, listed: set[str]) -> set[str]:
        """Return folders without a listed file, but none within one that holds others."""
        found: set[str] = set()
        filled: set[str] = set()
        met: set[str] = set()
        settled = listed | self._ignored
        root = str(self._root)
        waiting = deque(sorted(listed, key=_by_depth))
        while waiting and len(found) < MAX_OTHERS:
            folder = waiting.popleft()
            inner, holds_files = _look_into(os.path.join(root, folder))  # noqa: PTH118 - for each folder
            if folder in found and holds_files:
                filled.add(folder)
                continue
            new = {f"{folder}/{name}" if folder else name for name in inner}
            met |= new & self._ignored
            new -= settled
            found |= new
            waiting.extend(sorted(new))
        # What is not met again is gone, or within one that is not looked into.
        self._ignored = met
        self._filled = frozenset(filled)
        return found


def _look_into(folder: str) -> tuple[list[str], bool]:
    """Return the visible folders in a folder, links left out, and whether it holds visible files."""
    inner: list[str] = []
    holds_files = False
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not _is_visible(entry.name) or not is_storable(entry.name):
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    holds_files = True
                elif entry.name not in NOISY_FOLDERS:
                    inner.append(entry.name)
    except OSError:
        return [], True  # gone meanwhile, or nobody may look
    return inner, holds_files


def _is_visible(path: str) -> bool:
    return not path.startswith(".") and "/." not in path


def _is_file(path: Path) -> bool:
    """Tell whether a path is a file that is listed unless it is ignored: no link."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _by_depth(folder: str) -> tuple[int, str]:
    return folder.count("/"), folder


def _with_those_above(folders: Iterable[str]) -> set[str]:
    """Return folders with those above them, up to the root."""
    found = {""}
    for one in folders:
        folder = one
        while folder not in found:
            found.add(folder)
            folder = _folder_of(folder)
    return found
