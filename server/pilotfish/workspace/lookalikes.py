"""What the model may have meant when a path does not exist.

Owns: the suggestions of design 06 §4.4. Blocking; call in a thread.
"""

import unicodedata
from pathlib import Path

_MAX_NAMES = 5_000
"""Names of a folder that are looked at."""

_SPACES = str.maketrans({"\u202f": " ", "\u00a0": " ", "\u2009": " "})
"""Spaces that systems put into file names and nobody types."""


def missing_file(path: Path, cwd: Path) -> tuple[str, str]:
    """Return the error for a missing file: what happened, and what to try.

    Args:
        path: Absolute path that does not exist.
        cwd: Where relative paths start.
    """
    message = f"{path} does not exist."
    found = _suggest(path, cwd)
    if found:
        return message, "Did you mean " + " or ".join(str(each) for each in found) + "?"
    return message, f"Relative paths start at {cwd}; use Glob to look for it."


def twins(path: Path) -> list[Path]:
    """Return entries of the folder whose names differ from the path's in ways one does not see.

    Upper and lower case, composed and decomposed accents, special spaces.
    """
    folded = _fold(path.name)
    return [each for each in _entries(path.parent) if _fold(each.name) == folded and each != path]


def _suggest(path: Path, cwd: Path) -> list[Path]:
    found = twins(path)
    if not found:
        found = [
            each
            for each in _entries(path.parent)
            if each.stem == path.stem and each.suffix != path.suffix and each.is_file()
        ]
    if not found:
        found = _under(path, cwd)
    return sorted(found)[:3]


def _under(path: Path, cwd: Path) -> list[Path]:
    """Re-root the path under ``cwd``: the model often drops or invents a leading part."""
    parts = path.parts[1:]
    for start in range(len(parts)):
        candidate = cwd.joinpath(*parts[start:])
        if candidate != path and candidate.exists():
            return [candidate]
    return []


def _entries(folder: Path) -> list[Path]:
    entries: list[Path] = []
    try:
        for entry in folder.iterdir():
            entries.append(entry)
            if len(entries) >= _MAX_NAMES:
                break
    except OSError:
        return []
    return entries


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", name.translate(_SPACES)).casefold()
