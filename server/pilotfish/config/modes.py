"""Names of permission modes, and how much each permits.

Owns: reading a mode as people write it (older names, modes that exist elsewhere only), the rank of
design 05 §7.1, and the clamp that keeps a weaker voice below a stronger one.
Does not own: what a mode does (``permissions.modes``), which modes a client lists (``edges.modes``).
"""

from typing import get_args

from pilotfish.core.permission import PERMISSION_MODES, PermissionMode, SettableMode
from pilotfish.util.records import dataclass

SETTABLE_MODES: tuple[SettableMode, ...] = get_args(SettableMode)
"""Modes that settings and the command line may choose; the others come from a client alone."""

MODE_RANK: dict[PermissionMode, int] = {
    "plan": 0,
    "dontAsk": 1,
    "default": 2,
    # Delegate takes tools away and permits no more than default does.
    "delegate": 2,
    "work": 3,
    "acceptEdits": 4,
    "autoInProject": 5,
    "bypassPermissions": 7,
    "fullAccess": 7,
}
"""How much a mode permits. 6 is kept for ``auto``."""

UNASKED_MODES: frozenset[PermissionMode] = frozenset({"bypassPermissions", "fullAccess"})
"""Modes that run nearly everything unasked; they can be switched off and outlive no process."""

_OLDER_NAMES: dict[str, PermissionMode] = {
    "accept-edits": "acceptEdits",
    "auto-in-project": "autoInProject",
    "code": "acceptEdits",
    "ask": "plan",
}
_AGENT_ONLY = {
    "ignore": "`ignore` is for the definition of a sub-agent only",
    "bubble": "`bubble` is used inside Pilotfish only",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ModeReading:
    """What came of a mode's name."""

    mode: PermissionMode | None
    problem: str = ""
    """Why there is no mode, in a few words without an end mark."""


def read_mode(text: str) -> ModeReading:
    """Read a mode or one of its older names, as a client may send it."""
    for mode in PERMISSION_MODES:
        if mode == text:
            return ModeReading(mode=mode)
    if text in _OLDER_NAMES:
        return ModeReading(mode=_OLDER_NAMES[text])
    if text == "auto":
        return ModeReading(mode=None, problem="the mode `auto` is not available yet")
    known = ", ".join(SETTABLE_MODES)
    return ModeReading(mode=None, problem=_AGENT_ONLY.get(text, f"{text!r} is none of {known}"))


def read_settable_mode(text: str) -> ModeReading:
    """Read a mode as settings and the command line may name it."""
    reading = read_mode(text)
    if reading.mode is None or reading.mode in SETTABLE_MODES:
        return reading
    return ModeReading(mode=None, problem=f"the mode `{text}` can be chosen by a client only")


def clamp(wanted: PermissionMode, ceiling: PermissionMode) -> PermissionMode:
    """Return the wanted mode, or the ceiling where the wanted one permits more."""
    return wanted if MODE_RANK[wanted] <= MODE_RANK[ceiling] else ceiling
