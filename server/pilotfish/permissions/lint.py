"""What is wrong with a set of rules.

Owns: rules that can never act, rules that another one makes needless, and rules that contradict each
other. Never wrong to follow: it speaks up only where the rule's effect is nil for every call.
Does not own: how a rule is written (``config.rule_syntax``), which reports misspelt ones itself.
"""

import posixpath
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Literal

from pilotfish.codeintel.powershell import analyse_powershell
from pilotfish.codeintel.shell_ast import parse_shell
from pilotfish.codeintel.shell_paths import ShellPlace
from pilotfish.core.permission import PermissionRule
from pilotfish.permissions.case import EDIT_TOOLS, READ_TOOLS
from pilotfish.permissions.command_rules import is_exact, specificity, text_matches
from pilotfish.permissions.globs import expand_braces
from pilotfish.permissions.path_rules import MAX_PATTERN_CHARS, names_area
from pilotfish.permissions.powershell_rules import powershell_matches
from pilotfish.util.records import dataclass

ProblemKind = Literal["settings", "inert", "shadowed", "contradictory"]

_PATH_TOOLS = frozenset({"Read", "Edit", "Write"})
_SHELLS = frozenset({"Bash", "PowerShell"})


@dataclass(frozen=True, kw_only=True, slots=True)
class PlacedRule:
    """A rule and where it stands."""

    rule: PermissionRule
    file: Path | None = None
    line: int | None = None
    """1-based."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleProblem:
    """Something that does not work as its author may think."""

    kind: ProblemKind
    text: str
    """One sentence for the user."""
    file: Path | None = None
    line: int | None = None
    index: int | None = None
    """Which of the rules it is about."""
    other: int | None = None
    """Which of the rules is the reason, when one is."""


def lint_rules(
    rules: Sequence[PlacedRule],
    *,
    ask_beats_allow: bool = False,
    wanted: Container[int] | None = None,
) -> list[RuleProblem]:
    """Return what is wrong with the rules, in their order. Time grows with their number squared.

    Args:
        rules: All rules, weakest source first.
        ask_beats_allow: The setting of that name.
        wanted: Which of them to look at; None for all.
    """
    found: list[RuleProblem] = []
    asked = {placed.rule.tool for placed in rules if placed.rule.behavior == "ask"}
    for index, placed in enumerate(rules):
        if wanted is not None and index not in wanted:
            continue
        other: int | None = None
        reason = _why_inert(placed.rule)
        kind: ProblemKind = "inert"
        if not reason:
            kind, reason, other = _against_others(index, rules, ask_beats_allow=ask_beats_allow)
        if kind == "shadowed" and placed.rule.behavior == "allow" and asked and not ask_beats_allow:
            # How specific it is decides against an ask rule.
            reason = reason if "never acts" in reason else ""
        if reason:
            text = f"Rule `{placed.rule.text()}` in {placed.rule.behavior}: {reason}."
            found.append(
                RuleProblem(
                    kind=kind,
                    text=text,
                    file=placed.file,
                    line=placed.line,
                    index=index,
                    other=other,
                )
            )
    return found


# --- a rule by itself ---


def _why_inert(rule: PermissionRule) -> str:
    if rule.content is None:
        return ""
    if rule.tool == "Bash":
        return _why_command_inert(rule, rule.content)
    if rule.tool == "PowerShell":
        return _why_powershell_inert(rule, rule.content)
    if rule.tool in _PATH_TOOLS:
        return _why_path_inert(rule, rule.content)
    if rule.tool in (READ_TOOLS | EDIT_TOOLS):
        kind = "Edit" if rule.tool in EDIT_TOOLS else "Read"
        return f"paths are governed by {kind}(…), so this one matches nothing"
    return ""


def _why_command_inert(rule: PermissionRule, content: str) -> str:
    if is_exact(content) or rule.behavior != "allow":
        return ""
    fixed = content.removesuffix(":*").partition("*")[0].strip()
    if not fixed:
        return ""
    parsed = parse_shell(fixed)
    if parsed.kind != "simple" or len(parsed.commands) != 1:
        return "only an exact rule can cover several commands, so this one matches nothing"
    command = parsed.commands[0]
    if command.assignments:
        return "variables in front of a command are not part of what it is matched by"
    if any(not redirect.exempt for redirect in command.redirects):
        return "only an exact rule can cover a redirection, so this one matches nothing"
    return ""


def _why_powershell_inert(rule: PermissionRule, content: str) -> str:
    if is_exact(content) or rule.behavior != "allow":
        return ""
    fixed = content.removesuffix(":*").partition("*")[0].strip()
    line = analyse_powershell(fixed, ShellPlace(cwd="/", home="/")).shell
    if fixed and (line.kind != "simple" or len(line.commands) != 1):
        return "only an exact rule can cover more than plain commands, so this one matches nothing"
    return ""


def _why_path_inert(rule: PermissionRule, content: str) -> str:
    usable = len(content) <= MAX_PATTERN_CHARS and expand_braces(content) is not None
    if usable:
        return ""
    if rule.behavior == "allow":
        return "its pattern is too large, so it matches nothing"
    return f"its pattern is too large, so it hits every {rule.tool}"


# --- a rule among others ---


def _against_others(
    index: int, rules: Sequence[PlacedRule], *, ask_beats_allow: bool
) -> tuple[ProblemKind, str, int | None]:
    rule = rules[index].rule
    for position, other in enumerate(rules):
        if position == index:
            continue
        found = _against(rule, other.rule, ask_beats_allow=ask_beats_allow, later=position > index)
        if found is not None:
            kind, reason = found
            where = f"`{other.rule.text()}` in {other.rule.behavior}{_place(other)}"
            return kind, reason.replace("{other}", where), position
    return "inert", "", None


def _against(
    rule: PermissionRule, other: PermissionRule, *, ask_beats_allow: bool, later: bool
) -> tuple[ProblemKind, str] | None:
    same = (rule.tool, rule.content) == (other.tool, other.content)
    if not covers(other, rule):
        return None
    if rule.behavior == other.behavior:
        # Of two equal ones the first stays.
        needless = not (same and later) and (same or _needs_no_detail(rule, other))
        redundant = needless and _as_strong(other, rule)
        return ("shadowed", "it adds nothing to {other}") if redundant else None
    if other.behavior == "deny":
        return ("contradictory" if same else "shadowed"), "it never acts, because of {other}"
    if rule.behavior == "ask" and other.behavior == "allow":
        return _ask_under_allow(rule, other, ask_beats_allow=ask_beats_allow)
    if rule.behavior == "allow" and other.behavior == "ask":
        wins = ask_beats_allow or other.source == "policySettings"
        return ("shadowed", "it never acts, because of {other}") if wins else None
    return None


def _ask_under_allow(
    asking: PermissionRule, allowing: PermissionRule, *, ask_beats_allow: bool
) -> tuple[ProblemKind, str] | None:
    if ask_beats_allow or asking.source == "policySettings":
        return None
    if specificity(asking.content) > specificity(allowing.content):
        return None
    if allowing.source in ("projectSettings", "localSettings", "command"):
        # It counts where the project is trusted only.
        return None
    return "contradictory", "an allow rule that is no less specific wins over it: {other}"


def _needs_no_detail(rule: PermissionRule, other: PermissionRule) -> bool:
    """Whether being the narrower of two does not give a rule a power of its own."""
    if rule.behavior == "deny":
        return True
    if rule.behavior == "ask" or rule.source == "policySettings":
        # A more specific ask rule may win over an allow rule; a policy's exact rule opens P0.
        return False
    if rule.tool in _PATH_TOOLS:
        # Only a rule that names an area reaches protected files and other folders.
        return other.tool == rule.tool and names_area(other.content)
    # An exact rule for a command covers redirections and nesting, too.
    return rule.tool not in _SHELLS or not is_exact(rule.content or ":*")


def _as_strong(other: PermissionRule, rule: PermissionRule) -> bool:
    """Whether the other rule counts wherever this one does."""
    if other.behavior != "allow":
        return True
    project = ("projectSettings", "localSettings", "command")
    return other.source not in project or rule.source == other.source


def _place(placed: PlacedRule) -> str:
    if placed.file is None:
        return ""
    return f" ({placed.file.name}:{placed.line})" if placed.line else f" ({placed.file.name})"


# --- one rule inside another ---


def covers(broad: PermissionRule, narrow: PermissionRule) -> bool:
    """Tell whether every call that a rule matches is matched by the other one too.

    May miss some; never says so wrongly.
    """
    if broad.tool == "*":
        return True
    if broad.tool != narrow.tool:
        return _covers_tools(broad, narrow)
    if broad.content is None or broad.content == narrow.content:
        return True
    return narrow.content is not None and _covers_content(broad.tool, broad.content, narrow.content)


def _covers_content(tool: str, broad: str, narrow: str) -> bool:
    if tool == "Bash":
        return _covers_command(broad, narrow)
    if tool == "PowerShell":
        # Wildcards and exact rules stay apart here: what a line comes to is known for few of them.
        inner = narrow.removesuffix(":*").casefold()
        return broad.endswith(":*") and narrow.endswith(":*") and powershell_matches(broad, inner)
    if tool in _PATH_TOOLS:
        return _covers_path(broad, narrow)
    return tool == "WebFetch" and _covers_host(broad, narrow)


def _covers_tools(broad: PermissionRule, narrow: PermissionRule) -> bool:
    if broad.content is not None:
        return False
    if broad.tool.startswith("mcp__") and narrow.tool.startswith("mcp__"):
        server = broad.tool.removesuffix("__*")
        return broad.tool == "mcp__*" or (
            "__" not in server[5:] and narrow.tool.startswith(server + "__")
        )
    return False


def _covers_command(broad: str, narrow: str) -> bool:
    if is_exact(broad):
        return False
    if is_exact(narrow):
        # An exact rule may stand for a whole line, of which the broad one covers only parts.
        if not text_matches(broad, narrow):
            return False
        parsed = parse_shell(narrow)
        plain = parsed.kind == "simple" and len(parsed.commands) == 1
        return plain and not parsed.commands[0].redirects and not parsed.commands[0].assignments
    if narrow.endswith(":*"):
        base = narrow[:-2]
        return text_matches(broad, base) and text_matches(broad, f"{base} x")
    return broad.endswith(":*") and text_matches(broad, narrow)


def _covers_path(broad: str, narrow: str) -> bool:
    """Tell it for folders alone: `/src/**` covers `/src/a/*.py`."""
    folder = broad.removesuffix("/**")
    plain = folder != broad and not set(folder) & set("*?[{")
    inside = posixpath.normpath(narrow)
    return plain and ".." not in narrow and inside.startswith(folder + "/")


def _covers_host(broad: str, narrow: str) -> bool:
    wide, host = (text.removeprefix("domain:").removeprefix("*.") for text in (broad, narrow))
    return host.casefold().endswith("." + wide.casefold())
