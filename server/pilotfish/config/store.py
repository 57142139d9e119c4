"""Writing a rule into a settings file.

Owns: read, add, write back under a lock; unknown keys, their order and the file's mode stay.
Does not own: the session's own rules (in memory) or when a rule is granted (``permissions.gate``).
All methods touch the disk and block.
See also: design 05 §7.3.
"""

import os
from pathlib import Path
from typing import Literal

from pilotfish.config.files import locked, read_object, read_text, write_object, write_text
from pilotfish.config.home import FOLDER_NAME
from pilotfish.config.sources import LOCAL_FILE, SHARED_FILE
from pilotfish.core.errors import SettingsError
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import PermissionRule

FileDestination = Literal["local", "project", "user"]

_EXCLUDE_LINE = f"**/{FOLDER_NAME}/{LOCAL_FILE}"


class SettingsStore:
    """Adds rules to the settings files of a user and a project."""

    def __init__(self, *, home: Path, project_root: Path | None) -> None:
        self._home = home
        self._root = project_root

    def file_of(self, destination: FileDestination) -> Path:
        """Return the file of a destination.

        Raises:
            SettingsError: There is no project, or its settings folder leads out of it.
        """
        if destination == "user":
            return self._home / SHARED_FILE
        if self._root is None:
            raise SettingsError("There is no project folder to keep the rule in.")
        name = LOCAL_FILE if destination == "local" else SHARED_FILE
        file = self._root / FOLDER_NAME / name
        # A repository can ship links; a rule must not land in a file elsewhere.
        real_root = os.path.realpath(self._root)
        if not Path(os.path.realpath(file)).is_relative_to(real_root):
            raise SettingsError(f"{file} is a link that leads out of the project.")
        return file

    def add_rule(self, rule: PermissionRule, destination: FileDestination) -> bool:
        """Add a rule unless it is there already.

        Returns:
            Whether the file changed.

        Raises:
            SettingsError: The file is broken, of an unexpected shape, or cannot be written. It is
                then as it was.
        """
        file = self.file_of(destination)
        with locked(file, self._home):
            existed = file.exists()
            data = read_object(file)
            if not _append(data, rule, file):
                return False
            write_object(file, data)
        if destination == "local" and not existed and self._root is not None:
            exclude_from_git(self._root)
        return True


def exclude_from_git(root: Path) -> bool:
    """Add the personal settings file to the repository's own exclude list.

    Returns:
        Whether the list changed; False without a repository or when the line is there.

    Raises:
        SettingsError: The list cannot be read or written.
    """
    folder = git_common_folder(root)
    if folder is None:
        return False
    file = folder / "info" / "exclude"
    text = read_text(file) or ""
    if _EXCLUDE_LINE in text.splitlines():
        return False
    if text and not text.endswith("\n"):
        text += "\n"
    write_text(file, f"{text}{_EXCLUDE_LINE}\n")
    return True


def git_common_folder(start: Path) -> Path | None:
    """Find the repository that a folder belongs to: the folder that its worktrees share."""
    for folder in (start, *start.parents):
        entry = folder / ".git"
        if entry.is_dir():
            return entry
        if entry.is_file():
            return _linked_folder(entry)
    return None


def _linked_folder(entry: Path) -> Path | None:
    text = (read_text(entry) or "").strip()
    if not text.startswith("gitdir:"):
        return None
    folder = (entry.parent / text.removeprefix("gitdir:").strip()).resolve()
    common = read_text(folder / "commondir")
    if common is None:
        return folder if folder.is_dir() else None
    return (folder / common.strip()).resolve()


def _append(data: JsonObject, rule: PermissionRule, file: Path) -> bool:
    section = data.setdefault("permissions", {})
    if not isinstance(section, dict):
        raise SettingsError(f"{file}: `permissions` is not an object, so no rule can be added.")
    rules = section.setdefault(rule.behavior, [])
    if not isinstance(rules, list):
        raise SettingsError(f"{file}: `permissions.{rule.behavior}` is not a list.")
    text = rule.text()
    if text in rules:
        return False
    rules.append(text)
    return True
