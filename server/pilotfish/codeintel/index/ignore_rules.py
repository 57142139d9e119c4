"""The files outside a folder, or hidden in it, that say which of its files are ignored.

Owns: where they are: what ripgrep reads for all of the folder, besides the ignore files below; whether one of them
has changed. All of it blocks.
Does not own: what they say (ripgrep), when they are looked at (``workspace_index``).

Of repositories nested in the folder only the ignore files count, which are watched: what is said in their
``.git/info/exclude`` counts with the next change that has all files listed.

They are looked at, not watched: they lie in folders such as the user's home, which some systems can only
watch with all that is below, or in folders that are not there yet.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pilotfish.config.store import readable_git_folder
from pilotfish.util.regular_file import open_regular

IGNORE_FILES = frozenset({".gitignore", ".ignore", ".rgignore"})
"""Files that say it for the folder that they are in."""

MAX_SETTINGS_BYTES = 1 << 20

_EXCLUDES_FILE = re.compile(
    rb'^\s*excludesfile\s*=\s*"?\s*(\S+?)\s*"?\s*$', re.IGNORECASE | re.MULTILINE
)


class RulePrint(NamedTuple):
    """The state of one of the files."""

    mtime_ns: int
    size: int
    inode: int


Rules = Mapping[Path, RulePrint]
"""The files that count for a folder, those that are there: equal as long as none of them has changed."""


def is_rule(path: str) -> bool:
    """Tell whether a file of the folder itself, relative to it, says what is ignored."""
    return path.rpartition("/")[2] in IGNORE_FILES or path == ".git"


def rules_of(root: Path, environment: Mapping[str, str]) -> Rules:
    """Return what says now which files of a folder are ignored.

    Args:
        root: The folder.
        environment: What ripgrep is run with: it tells where the user's own settings of git are.
    """
    found = ((path, _print_of(path)) for path in _places(root, environment))
    return {path: seen for path, seen in found if seen is not None}


def _print_of(path: Path) -> RulePrint | None:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return RulePrint(found.st_mtime_ns, found.st_size, found.st_ino)


def _places(root: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield where ripgrep looks; of git's own files only in a repository."""
    for folder in root.parents:
        yield folder / ".ignore"
        yield folder / ".rgignore"
    common = readable_git_folder(root)
    if common is None:
        return
    yield common / "info" / "exclude"
    yield from _gitignores_above(root)
    yield from _of_the_user(environment)


def _gitignores_above(root: Path) -> Iterator[Path]:
    """Yield those of the folders around a root, up to the repository's."""
    folder = root
    while not (folder / ".git").exists() and folder != folder.parent:
        folder = folder.parent
        yield folder / ".gitignore"


def _of_the_user(environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield what is ignored in all repositories, and the settings that name another file for it."""
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or "")
    if not home.is_absolute():
        return
    own = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    for settings in (home / ".gitconfig", own / "config"):
        yield settings
        chosen = _excludes_file(settings, home)
        if chosen is not None:
            yield chosen
            return
    yield own / "ignore"


def _excludes_file(settings: Path, home: Path) -> Path | None:
    try:
        with open_regular(settings) as stream:
            found = _EXCLUDES_FILE.search(stream.read(MAX_SETTINGS_BYTES))
        chosen = None if found is None else found[1].decode()
    except (OSError, ValueError):
        return None
    if chosen is None:
        return None
    path = home / chosen[2:] if chosen.startswith("~/") else Path(chosen)
    return path if path.is_absolute() else None
