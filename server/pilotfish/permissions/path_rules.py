"""Path rules: ``Read(…)``, ``Edit(…)``, ``Write(…)``.

Owns: the four anchors and the globs of design 05 §7.5.
Does not own: which paths a call touches.
"""

import posixpath
import re

from pilotfish.permissions.globs import expand_braces, matches
from pilotfish.permissions.paths import PathFacts, is_inside
from pilotfish.permissions.state import PermissionState

MAX_PATTERN_CHARS = 1_000
"""Longer patterns match nothing when they allow and everything when they deny or ask. So do
patterns with too many braces."""


def denies(content: str, facts: PathFacts, state: PermissionState) -> bool:
    """Tell whether a deny or ask rule's pattern hits a path in either spelling."""
    patterns = _anchored(content, state, everywhere=True)
    if patterns is None:
        return True
    return any(matches(pattern, path) for pattern in patterns for path in facts.spellings)


def allows(content: str, facts: PathFacts, state: PermissionState) -> bool:
    """Tell whether an allow rule's pattern covers a path in both spellings."""
    patterns = _anchored(content, state, everywhere=False)
    if patterns is None:
        return False
    if "/" not in content and not is_inside(facts, state):
        return False
    return all(any(matches(pattern, path) for pattern in patterns) for path in facts.spellings)


def names_area(content: str | None) -> bool:
    """Tell whether a rule's content names an area of its own rather than everything."""
    return content is not None and content.strip("/*") != ""


def _anchored(content: str, state: PermissionState, *, everywhere: bool) -> tuple[str, ...] | None:
    """Hang a pattern on its anchor: as named and with links followed. None: cannot be used.

    Args:
        content: The rule's content.
        state: Where the anchors are.
        everywhere: Whether a pattern without an anchor applies outside the session's folder too.
    """
    choices = expand_braces(content) if len(content) <= MAX_PATTERN_CHARS else None
    if choices is None:
        return None
    found: dict[str, None] = {}
    for choice in choices:
        for folder, pattern in _anchors(choice, state, everywhere=everywhere):
            for spelling in dict.fromkeys((folder, state.probe.real_path(folder))):
                path = posixpath.normpath(f"{_literal(spelling)}/{pattern}")
                found["/" + path.lstrip("/")] = None
    return tuple(found)


def _anchors(pattern: str, state: PermissionState, *, everywhere: bool) -> list[tuple[str, str]]:
    """Return the folders that a pattern hangs on, with the rest of the pattern."""
    if pattern.startswith("//"):
        return [("/", pattern.lstrip("/"))]
    if pattern.startswith("~/"):
        return [(str(state.home), pattern[2:])]
    if pattern.startswith("/"):
        bases = (state.project_root, *state.other_projects)
        return [(str(base), pattern[1:]) for base in bases]
    plain = pattern.removeprefix("./")
    if everywhere and (plain.startswith("**/") or "/" not in pattern):
        return [("/", "**/" + plain.removeprefix("**/"))]
    bases = (state.cwd, *state.other_projects)
    if "/" in pattern:
        return [(str(base), plain) for base in bases]
    folders = dict.fromkeys((*bases, *state.trusted_dirs))
    return [(str(folder), "**/" + plain) for folder in folders]


def _literal(folder: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", folder)
