"""Writing rules into settings files.

Owns: read, change, write back under a lock; all else in the file stays as it is, byte by byte.
Does not own: the text surgery (``json_edit``), the session's own rules (in memory), or when a rule is
granted (``permissions.gate``). All methods touch the disk and block.
See also: design 05 §7.3.
"""

import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from pilotfish.config import json_edit
from pilotfish.config.files import (
    BYTE_ORDER_MARK,
    locked,
    parse_object,
    read_text,
    read_whole_text,
    write_text,
)
from pilotfish.config.home import FOLDER_NAME
from pilotfish.config.rule_syntax import parse_rule
from pilotfish.config.sources import LOCAL_FILE, SHARED_FILE
from pilotfish.core.errors import SettingsError
from pilotfish.core.jsontypes import JsonValue
from pilotfish.core.permission import Behavior, PermissionMode, PermissionRule

logger = logging.getLogger(__name__)

FileDestination = Literal["local", "project", "user"]

_EXCLUDE_LINE = f"**/{FOLDER_NAME}/{LOCAL_FILE}"
_DIRECTORIES = ("permissions", "additionalDirectories")
_MODE = ("permissions", "defaultMode")


class SettingsStore:
    """Changes the permissions in the settings files of a user and a project.

    Every method that changes a file raises ``SettingsError`` when the file is broken, of an
    unexpected shape, or cannot be written. It is then as it was.
    """

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
        """Add a rule unless it is there already; returns whether the file changed."""
        return self.add_rules(destination, rule.behavior, (rule.text(),))

    def add_rules(
        self, destination: FileDestination, behavior: Behavior, rules: Sequence[str]
    ) -> bool:
        """Add rules, except those that are there already; returns whether the file changed."""

        def change(text: str) -> str:
            path = ("permissions", behavior)
            for rule in rules:
                same = _same_rule(rule, behavior)
                if not any(same(entry) for entry in json_edit.entries_of(text, path)):
                    text = json_edit.add_entries(text, path, (rule,))
            return text

        return self._change(destination, change)

    def remove_rules(
        self, destination: FileDestination, behavior: Behavior, rules: Sequence[str]
    ) -> bool:
        """Remove rules, however the file spells them; returns whether the file changed."""

        def change(text: str) -> str:
            for rule in rules:
                same = _same_rule(rule, behavior)
                text = json_edit.remove_entries(text, ("permissions", behavior), same)
            return text

        return self._change(destination, change)

    def replace_rules(
        self, destination: FileDestination, behavior: Behavior, rules: Sequence[str]
    ) -> bool:
        """Make these the rules of a behaviour; those that stay keep their places."""

        def change(text: str) -> str:
            path = ("permissions", behavior)
            kept = [_same_rule(rule, behavior) for rule in rules]
            text = json_edit.remove_entries(
                text, path, lambda entry: not any(same(entry) for same in kept)
            )
            for rule, same in zip(rules, kept, strict=True):
                if not any(same(entry) for entry in json_edit.entries_of(text, path)):
                    text = json_edit.add_entries(text, path, (rule,))
            return text

        return self._change(destination, change)

    def add_directories(self, destination: FileDestination, directories: Sequence[str]) -> bool:
        """Add trusted folders; returns whether the file changed."""

        def change(text: str) -> str:
            known = json_edit.entries_of(text, _DIRECTORIES)
            fresh = [name for name in dict.fromkeys(directories) if name not in known]
            return json_edit.add_entries(text, _DIRECTORIES, fresh)

        return self._change(destination, change)

    def remove_directories(self, destination: FileDestination, directories: Sequence[str]) -> bool:
        """Remove trusted folders; returns whether the file changed."""
        return self._change(
            destination,
            lambda text: json_edit.remove_entries(
                text, _DIRECTORIES, lambda entry: entry in directories
            ),
        )

    def set_mode(self, destination: FileDestination, mode: PermissionMode) -> bool:
        """Set the mode that new sessions begin in; returns whether the file changed."""
        return self._change(destination, lambda text: json_edit.set_value(text, _MODE, mode))

    def _change(self, destination: FileDestination, change: Callable[[str], str]) -> bool:
        file = self.file_of(destination)
        with locked(file, self._home):
            whole = read_whole_text(file)
            before = (whole or "").removeprefix(BYTE_ORDER_MARK)
            text = before if before.strip() else "{}\n"
            parse_object(text, str(file))
            try:
                changed = change(text)
            except SettingsError as error:
                raise SettingsError(f"{file}: {error.message}", hint=error.hint) from error
            if changed == text:
                return False
            parse_object(changed, str(file))
            mark = BYTE_ORDER_MARK if (whole or "").startswith(BYTE_ORDER_MARK) else ""
            write_text(file, mark + changed)
        if destination == "local" and whole is None and self._root is not None:
            try:
                exclude_from_git(self._root)
            except SettingsError as error:  # what was asked for is written, and git shows the rest
                logger.warning("%s is not kept from git: %s", file, error)
        return True


def _same_rule(text: str, behavior: Behavior) -> Callable[[JsonValue], bool]:
    """Return what tells whether an entry of a file is this rule, in whatever spelling."""
    wanted = parse_rule(text, behavior, "session")

    def same(entry: JsonValue) -> bool:
        if not isinstance(entry, str):
            return False
        if entry == text:
            return True
        # A malformed rule acts as another one; only its own text stands for it.
        found = parse_rule(entry, behavior, "session")
        return not found.malformed and not wanted.malformed and found.rule == wanted.rule

    return same


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


def readable_git_folder(start: Path) -> Path | None:
    """Find what ``git_common_folder`` does; None also where what leads there cannot be read."""
    try:
        return git_common_folder(start)
    except SettingsError:
        return None


def git_common_folder(start: Path) -> Path | None:
    """Find the repository that a folder belongs to: the folder that its worktrees share.

    Raises:
        SettingsError: A file that says where it is cannot be read, or says nonsense.
    """
    for folder in (start, *start.parents):
        entry = folder / ".git"
        try:
            if entry.is_dir():
                return entry
            if entry.is_file():
                return _linked_folder(entry)
        except (OSError, ValueError) as error:
            raise SettingsError(f"{entry} cannot be read: {error}.") from error
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
