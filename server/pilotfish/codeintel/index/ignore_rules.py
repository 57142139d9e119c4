"""The files outside a folder, or hidden in it, that say which of its files are ignored.

Owns: where they are: what ripgrep reads besides the ignore files below the folder. All of it blocks.
Does not own: what they say (ripgrep), watching them (``workspace_index``).
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pilotfish.config.store import readable_git_folder

IGNORE_FILES = frozenset({".gitignore", ".ignore", ".rgignore"})
"""Files that say it for the folder that they are in."""

MAX_SETTINGS_BYTES = 1 << 20

_EXCLUDES_FILE = re.compile(
    rb'^\s*excludesfile\s*=\s*"?\s*(\S+?)\s*"?\s*$', re.IGNORECASE | re.MULTILINE
)


def rule_files(root: Path, environment: Mapping[str, str]) -> frozenset[Path]:
    """Return the files that count for a folder; some of them may not be there (yet).

    Args:
        root: The folder.
        environment: What ripgrep is run with: it tells where the user's own settings of git are.
    """
    common = readable_git_folder(root)
    if common is None:
        return frozenset()
    return frozenset([common / "info" / "exclude", *_of_parents(root), *_of_the_user(environment)])


def _of_parents(root: Path) -> Iterator[Path]:
    """Yield the ignore files of the folders around a root, up to the repository's."""
    folder = root
    while not (folder / ".git").exists() and folder != folder.parent:
        folder = folder.parent
        yield from (folder / name for name in IGNORE_FILES)


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
        with settings.open("rb") as stream:
            found = _EXCLUDES_FILE.search(stream.read(MAX_SETTINGS_BYTES))
        chosen = None if found is None else found[1].decode()
    except (OSError, ValueError):
        return None
    if chosen is None:
        return None
    path = home / chosen[2:] if chosen.startswith("~/") else Path(chosen)
    return path if path.is_absolute() else None
