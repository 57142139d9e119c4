"""Which folders are watched for an index.

Owns: those that hold files of the project, and those that may get some: folders of texts, empty ones.
Does not own: watching them (``watch``), which files count (``selection``).

Who lists files knows what is ignored, but lists no folders. So a folder without a listed file is watched
on trial: once code has come into it that is not listed, it is ignored, and watched no longer.
"""

import os
from collections import deque
from collections.abc import Collection, Iterable
from pathlib import Path

from pilotfish.codeintel.index.selection import is_storable
from pilotfish.codeintel.index.watch import MAX_WATCHED_FOLDERS
from pilotfish.util.folder_watch import NOISY_FOLDERS

MAX_OTHERS = 1_000
"""Folders without code that are watched; the deepest are left out."""


class FolderChoice:
    """Of one project; remembers which folders turned out to be ignored."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._ignored: set[str] = set()

    def forget(self) -> None:
        """Take no folder for ignored any more: what is ignored has changed."""
        self._ignored.clear()

    def choose(
        self, files: Iterable[Path], present: Collection[str], came: Iterable[str] = ()
    ) -> frozenset[str]:
        """Return the folders to watch, relative to the root, which is the empty one. Blocking.

        Args:
            files: All that are listed.
            present: Those of the index, relative.
            came: Files of code that were not known, relative: is a folder of them not listed by now, it is
                ignored.
        """
        skip = len(str(self._root)) + 1
        parents = {os.path.dirname(str(file))[skip:] for file in files}  # noqa: PTH120 - for each file
        folders = {parent.replace(os.sep, "/") for parent in parents if is_storable(parent)}
        of_code = _with_those_above(map(_folder_of, present))
        listed = _with_those_above(one for one in folders if _is_visible(one)) | of_code
        self._ignored |= {_folder_of(path) for path in came} - listed
        others = (listed - of_code) | self._on_trial(listed)
        room = max(0, min(MAX_OTHERS, MAX_WATCHED_FOLDERS - len(of_code)))
        return frozenset(of_code | set(sorted(others, key=_by_depth)[:room]))

    def _on_trial(self, listed: set[str]) -> set[str]:
        """Return folders without a listed file, but none within one that holds others."""
        found: set[str] = set()
        settled = listed | self._ignored
        root = str(self._root)
        waiting = deque(sorted(listed, key=_by_depth))
        while waiting and len(found) < MAX_OTHERS:
            folder = waiting.popleft()
            inner, holds_files = _look_into(os.path.join(root, folder))  # noqa: PTH118 - for each folder
            if folder in found and holds_files:
                continue
            new = {f"{folder}/{name}" if folder else name for name in inner}
            new -= settled
            found |= new
            waiting.extend(sorted(new))
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
