"""What each mode does when no rule decided.

Owns: the situations and the table of design 05 §7.1.
Does not own: the gates of plan and delegate mode and the protected tier, which come earlier in the
chain; turning a question into a refusal where nobody may be asked (``decide``).
"""

from typing import Literal

from pilotfish.core.permission import Behavior, PermissionMode
from pilotfish.permissions.case import Case
from pilotfish.permissions.in_project import stays_in_project
from pilotfish.permissions.paths import is_readable

Situation = Literal[
    "read_inside",
    "read_outside",
    "edit_inside",
    "edit_outside",
    "edit_protected",
    "shell_safe",
    "shell_in_project",
    "shell_other",
    "web",
    "mcp_reads",
    "mcp_other",
    "mcp_resource",
    "skill_acts",
    "agent",
    "workflow",
    "enter_plan",
    "worktree",
    "dialog",
    "internal",
    "unknown",
]

_Row = dict[PermissionMode, Behavior]


def _row(default: Behavior, **others: Behavior) -> _Row:
    """Return a row: the modes that are not named do as ``default`` does."""
    allows = default == "allow"
    row: _Row = {
        "default": default,
        "acceptEdits": default,
        "plan": "allow" if allows else "deny",
        "autoInProject": default,
        # Its questions become refusals at the end of the chain, which can name the missing rule.
        "dontAsk": default,
        "delegate": "allow" if allows else "deny",
        "work": default,
        "fullAccess": "allow",
        "bypassPermissions": "allow",
    }
    for mode in row:
        row[mode] = others.get(mode, row[mode])
    return row


MATRIX: dict[Situation, _Row] = {
    "read_inside": _row("allow"),
    "read_outside": _row("ask", plan="ask", work="allow"),
    "edit_inside": _row("ask", acceptEdits="allow", autoInProject="allow"),
    "edit_outside": _row("ask"),
    "edit_protected": _row("ask"),
    "shell_safe": _row("allow"),
    "shell_in_project": _row("ask", autoInProject="allow"),
    "shell_other": _row("ask"),
    "web": _row("ask", plan="ask"),
    "mcp_reads": _row("ask", plan="ask"),
    "mcp_other": _row("ask"),
    "mcp_resource": _row("ask", plan="ask"),
    "skill_acts": _row("ask", plan="ask"),
    "agent": _row("allow"),
    "workflow": _row("ask"),
    # Entering plan mode twice changes nothing.
    "enter_plan": _row("ask", plan="allow", delegate="ask"),
    "worktree": _row("ask"),
    # The call is a question itself, so it is refused only where none may be put.
    "dialog": _row("allow", dontAsk="deny"),
    "internal": _row("allow"),
    "unknown": _row("ask"),
}
"""One row per situation; plan mode takes some of them from the mode before it."""

_AS_BEFORE_PLAN: frozenset[Situation] = frozenset({"read_outside", "web", "mcp_reads"})

SITUATION_TEXT: dict[Situation, str] = {
    "read_inside": "it reads inside the trusted folders",
    "read_outside": "it reads outside the trusted folders",
    "edit_inside": "it changes a file of the project",
    "edit_outside": "it changes a file outside the trusted folders",
    "edit_protected": "it changes a protected file",
    "shell_safe": "the command only reads",
    "shell_in_project": "the command stays inside the project",
    "shell_other": "the command is not known to be harmless",
    "web": "it contacts a host",
    "mcp_reads": "the tool belongs to an MCP server, which says that it only reads",
    "mcp_other": "the tool belongs to an MCP server",
    "mcp_resource": "it reads from an MCP server",
    "skill_acts": "the skill brings settings or commands of its own",
    "agent": "the calls of a sub-agent are judged one by one",
    "workflow": "it starts a script with many agents",
    "enter_plan": "it switches to plan mode",
    "worktree": "it makes or removes a worktree, and changes where the session works",
    "dialog": "it puts a question",
    "internal": "it touches only the session itself",
    "unknown": "nothing is known about what it does",
}

SEVERAL_FILES_TEXT: dict[Situation, str] = {
    "edit_inside": "it changes {count} files of the project",
    "edit_outside": "it changes {count} files, some of them outside the trusted folders",
    "edit_protected": "it changes {count} files, some of them protected",
}
"""The same for a change of several files in one."""


def situation_of(case: Case) -> Situation:
    """Find the row of the table for a call."""
    found: Situation
    match case.family:
        case "edit":
            found = _edit_situation(case)
        case "read":
            inside = all(is_readable(access.facts, case.state) for access in case.reads)
            found = "read_inside" if inside else "read_outside"
        case "shell":
            found = _shell_situation(case)
        case "mcp":
            found = "mcp_reads" if case.call.effects.read_only else "mcp_other"
        case "skill":
            found = "internal" if case.call.effects.internal else "skill_acts"
        case _ as family:
            found = family
    return found


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


def _shell_situation(case: Case) -> Situation:
    if case.shell_is_harmless:
        return "shell_safe"
    # The proof looks at every word, and only one mode asks for it.
    if case.state.effective_mode == "autoInProject" and stays_in_project(case):
        return "shell_in_project"
    return "shell_other"
