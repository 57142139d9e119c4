"""Folders inside a project that have skills of their own.

Owns: which folders were looked at because of the files that were worked with, and which of them count.
Does not own: reading skills (``skills.loader``), when files are worked with (``session.skill_desk``).
See also: design 03 §4.15.
"""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from pilotfish.config.home import FOLDER_NAME
from pilotfish.definitions.loading import OTHER_FOLDER_NAME
from pilotfish.skills.loader import COMMANDS_FOLDER, SKILLS_FOLDER
from pilotfish.workspace.git_ignore import ignored_files

MAX_LOOKED_AT = 1_000
"""Folders that are remembered; of more than that the oldest are looked at once more."""

MAX_NESTED = 50
"""Folders with skills that count; those found later are left out."""

_INSIDE = "-"
"""Stands for what is in a folder: git is asked about files, and patterns may be about folders alone."""


class NestedSkills:
    """Of one session."""

    def __init__(self, root: Path | None) -> None:
        """Know of none.

        Args:
            root: The project's folder; None when no folder is open.
        """
        self._root = root
        self._looked_at: dict[Path, None] = {}
        self._waiting: dict[Path, None] = {}
        self.found: tuple[Path, ...] = ()
        """The folders that have skills, the deepest first."""

    def worked_with(self, file: Path) -> None:
        """Have the folders between the project and a file looked at."""
        root = self._root
        if root is None or not file.is_relative_to(root):
            return
        for folder in file.parents:
            if folder == root or folder in self._looked_at:
                return  # what lies above one that was looked at was so, too
            self._waiting[folder] = None

    async def look(self) -> bool:
        """Look into the folders that wait for it; returns whether more of them have skills."""
        waiting, self._waiting = tuple(self._waiting), {}
        if self._root is None or not waiting:
            return False
        for folder in waiting:
            self._looked_at[folder] = None
            if len(self._looked_at) > MAX_LOOKED_AT:
                del self._looked_at[next(iter(self._looked_at))]
        more = await asyncio.to_thread(_with_skills, waiting, self._root)
        before = self.found
        every = sorted({*before, *more}, key=lambda each: (-len(each.parts), each))
        self.found = tuple(every)[:MAX_NESTED] if len(before) < MAX_NESTED else before
        return self.found != before


def _with_skills(folders: Iterable[Path], root: Path) -> frozenset[Path]:
    """Return the folders that have skills of their own; what git ignores is somebody else's."""
    found = {
        folder / _INSIDE: folder
        for folder in folders
        for name in (FOLDER_NAME, OTHER_FOLDER_NAME)
        for kind in (SKILLS_FOLDER, COMMANDS_FOLDER)
        if (folder / name / kind).is_dir()
    }
    ignored = ignored_files(found, (root,))
    return frozenset(folder for inside, folder in found.items() if inside not in ignored)
