"""What each mode does when no rule decided.

Owns: the situations and the table of design 05 §7.1.
Does not own: the plan gate and the protected tier, which come earlier in the chain.
"""

from typing import Literal

from pilotfish.core.permission import Behavior, PermissionMode
from pilotfish.permissions.case import Case
from pilotfish.permissions.paths import is_inside

Situation = Literal[
    "read_inside",
    "read_outside",
    "edit_inside",
    "edit_outside",
    "edit_protected",
    "shell_safe",
    "shell_other",
    "web",
    "mcp",
    "internal",
    "unknown",
]

_ALLOW_ALL: dict[PermissionMode, Behavior] = {
    "default": "allow",
    "acceptEdits": "allow",
    "plan": "allow",
    "bypassPermissions": "allow",
}
_ASK_UNLESS_BYPASS: dict[PermissionMode, Behavior] = {
    "default": "ask",
    "acceptEdits": "ask",
    "plan": "deny",
    "bypassPermissions": "allow",
}
_ASK_ALSO_IN_PLAN: dict[PermissionMode, Behavior] = {**_ASK_UNLESS_BYPASS, "plan": "ask"}

MATRIX: dict[Situation, dict[PermissionMode, Behavior]] = {
    "read_inside": _ALLOW_ALL,
    "read_outside": _ASK_ALSO_IN_PLAN,
    "edit_inside": {**_ASK_UNLESS_BYPASS, "acceptEdits": "allow"},
    "edit_outside": _ASK_UNLESS_BYPASS,
    "edit_protected": _ASK_UNLESS_BYPASS,
    "shell_safe": _ALLOW_ALL,
    "shell_other": _ASK_UNLESS_BYPASS,
    "web": _ASK_ALSO_IN_PLAN,
    "mcp": _ASK_UNLESS_BYPASS,
    "internal": _ALLOW_ALL,
    "unknown": _ASK_UNLESS_BYPASS,
}
"""One row per situation; plan mode takes reads outside and the web from the mode before it."""

_AS_BEFORE_PLAN: frozenset[Situation] = frozenset({"read_outside", "web"})

SITUATION_TEXT: dict[Situation, str] = {
    "read_inside": "it reads inside the trusted folders",
    "read_outside": "it reads outside the trusted folders",
    "edit_inside": "it changes a file of the project",
    "edit_outside": "it changes a file outside the trusted folders",
    "edit_protected": "it changes a protected file",
    "shell_safe": "the command only reads",
    "shell_other": "the command is not known to be harmless",
    "web": "it contacts a host",
    "mcp": "the tool belongs to an MCP server",
    "internal": "it touches only the session itself",
    "unknown": "nothing is known about what it does",
}


def situation_of(case: Case) -> Situation:
    """Find the row of the table for a call."""
    if case.family == "edit":
        return _edit_situation(case)
    if case.family == "read":
        inside = all(is_inside(access.facts, case.state) for access in case.reads)
        return "read_inside" if inside else "read_outside"
    if case.family == "shell":
        return "shell_safe" if case.shell_is_harmless else "shell_other"
    return case.family


def behavior_in(
    situation: Situation, mode: PermissionMode, before_plan: PermissionMode
) -> Behavior:
    """Look up what a mode does in a situation."""
    if mode == "plan" and situation in _AS_BEFORE_PLAN and before_plan != "plan":
        return MATRIX[situation][before_plan]
    return MATRIX[situation][mode]


def _edit_situation(case: Case) -> Situation:
    tiers = {access.facts.tier for access in case.writes}
    if "outside" in tiers:
        return "edit_outside"
    return "edit_protected" if tiers != {"inside"} else "edit_inside"
