"""Rules against calls.

Owns: which deny and ask rules hit a call, and which allow rules cover it.
Does not own: the order in which they count (``decide``), the grammar (``config.rule_syntax``).

The two directions are not mirror images. A deny or ask rule hits when any part, any spelling or
any path of the call matches. An allow rule covers only what is understood, all of it.
See also: design 05 §7.5.
"""

from collections.abc import Iterable
from pathlib import Path

from pilotfish.agents.model import GENERAL_PURPOSE
from pilotfish.codeintel.shell_words import ShellCommand
from pilotfish.core.permission import Behavior, PermissionRule
from pilotfish.permissions.case import EDIT_TOOLS, READ_TOOLS, Case, PartCase, PathAccess
from pilotfish.permissions.command_rules import (
    part_is,
    specificity,
    text_is,
    text_matches,
    words_appear,
)
from pilotfish.permissions.path_rules import allows, denies, names_area
from pilotfish.permissions.paths import classify
from pilotfish.permissions.powershell_rules import (
    powershell_appears,
    powershell_hits,
    powershell_is,
    powershell_matches,
)
from pilotfish.permissions.state import PermissionState

_ALWAYS_TRUSTED = frozenset({"userSettings", "flagSettings", "policySettings", "cliArg", "session"})
PROJECT_SOURCES = frozenset({"projectSettings", "localSettings"})
"""Where the rules of a project come from: whoever made the project wrote them."""

_PATH_TOOLS = frozenset({"Read", "Edit", "Write"})


def is_trusted(rule: PermissionRule, state: PermissionState) -> bool:
    """Tell whether an allow rule may pass the command-safety check."""
    if rule.source in PROJECT_SOURCES:
        return state.trusted
    return rule.source in _ALWAYS_TRUSTED


def rules_of(state: PermissionState, behavior: Behavior) -> tuple[PermissionRule, ...]:
    """Return the rules of one behaviour, in the order of their sources."""
    return tuple(rule for rule in state.rules if rule.behavior == behavior)


def first_hit(case: Case, behavior: Behavior) -> PermissionRule | None:
    """Return a deny or ask rule that hits the call: a policy rule first, then the most specific."""
    found = [rule for rule in rules_of(case.state, behavior) if hits(rule, case)]
    if not found:
        return None
    return max(found, key=lambda rule: (rule.source == "policySettings", rank(rule)))


def rank(rule: PermissionRule) -> tuple[int, int]:
    """Rank a rule by how specific it is."""
    return specificity(rule.content)


# --- deny and ask ---


def hits(rule: PermissionRule, case: Case) -> bool:
    """Tell whether a deny or ask rule hits a call."""
    if rule.tool == "*":
        return True
    if rule.tool in _PATH_TOOLS:
        return _path_rule_hits(rule, case)
    if rule.tool != case.call.tool:
        return _covers_mcp(rule.tool, case.call.tool)
    if rule.content is None:
        return True
    if case.family == "shell":
        return command_hits(rule.content, case)
    return _names_call(rule.content, case, strict=False)


def command_hits(content: str, case: Case) -> bool:
    """Tell whether a command rule matches the line, a part of it, or something that it starts."""
    shell = case.shell
    if shell is None:
        return False
    if case.call.tool == "PowerShell":
        return _powershell_hits(content, case, shell.shell)
    if text_is(content, shell.shell.source):
        return True
    if any(text_matches(content, text) for part in case.parts for text in part.facts.spellings):
        return True
    # `echo a > b` stands in the record as `echo a >b`.
    if any(part_is(content, text) for part in case.parts for text in part.facts.spellings):
        return True
    return not shell.shell.complete and words_appear(content, shell.shell.source)


def _powershell_hits(content: str, case: Case, line: ShellCommand) -> bool:
    if powershell_is(content, line.source):
        return True
    texts = (text for part in case.parts for text in part.facts.spellings)
    if any(powershell_hits(content, text) for text in texts):
        return True
    return not line.complete and powershell_appears(content, line.source)


def _path_rule_hits(rule: PermissionRule, case: Case) -> bool:
    tools = READ_TOOLS if rule.tool == "Read" else EDIT_TOOLS
    if rule.tool == "Write" and case.family == "edit":
        governed = case.call.tool == "Write" or case.creates
    else:
        governed = case.call.tool in tools
    if rule.content is None and governed:
        return True
    content = rule.content or "//**"
    if case.family == "shell":
        return _shell_path_hits(rule.tool, content, case)
    if rule.tool == "Read":
        return any(denies(content, access.facts, case.state) for access in case.reads)
    if rule.tool == "Write" and not governed:
        return False
    return any(denies(content, access.facts, case.state) for access in case.writes)


def _shell_path_hits(tool: str, content: str, case: Case) -> bool:
    def used(part: PartCase) -> tuple[PathAccess, ...]:
        return part.reads if tool == "Read" else part.writes

    return any(
        denies(content, access.facts, case.state) for part in case.parts for access in used(part)
    )


def tree_may_hold_denied(case: Case) -> PermissionRule | None:
    """Return a Read deny rule of which a file may lie below a folder that the command searches."""
    for rule in rules_of(case.state, "deny"):
        if rule.tool == "Read" and rule.content is not None:
            content = rule.content
            if any(part.may_show(content) for part in case.parts):
                return rule
    return None


def is_read_denied(path: str, state: PermissionState) -> bool:
    """Tell whether a Read deny rule hits an absolute path, so that searches leave it out."""
    facts = classify(path, state)
    return any(
        rule.tool in ("Read", "*") and denies(rule.content or "//**", facts, state)
        for rule in rules_of(state, "deny")
    )


def hidden_among(paths: Iterable[Path], state: PermissionState) -> frozenset[Path]:
    """Return those of some absolute paths that a Read deny rule hides. Blocking."""
    if not any(rule.behavior == "deny" for rule in state.rules):
        return frozenset()
    return frozenset(path for path in paths if is_read_denied(str(path), state))


# --- allow ---


def covering_rule(case: Case, rules: Iterable[PermissionRule]) -> PermissionRule | None:
    """Return the weakest of the allow rules that together cover the whole call, if they do."""
    candidates = [rule for rule in rules if rule.behavior == "allow"]
    if case.family == "shell":
        return _covers_command(case, candidates)
    if case.family in ("read", "edit") and (case.reads or case.writes):
        return _covers_paths(case, candidates)
    for rule in candidates:
        if rule.tool == "*" or _covers_mcp(rule.tool, case.call.tool):
            return rule
        if rule.tool == case.call.tool and (
            rule.content is None or _names_call(rule.content, case, strict=True)
        ):
            return rule
    return None


def _covers_command(case: Case, rules: list[PermissionRule]) -> PermissionRule | None:
    shell = case.shell
    named = [rule for rule in rules if rule.tool == case.call.tool]
    if shell is None:
        return None
    is_whole = powershell_is if case.call.tool == "PowerShell" else text_is
    for rule in named:
        if rule.content is not None and is_whole(rule.content, shell.shell.source):
            return rule
    # What cannot be read may be catastrophic, which a rule for the whole tool does not cover.
    if shell.shell.complete and all(_stays_put(part) for part in case.parts):
        for rule in rules:
            if rule.content is None and rule.tool in ("*", case.call.tool):
                return rule
    if shell.shell.kind != "simple":
        return None
    return _covers_parts(case, named)


def _covers_parts(case: Case, rules: list[PermissionRule]) -> PermissionRule | None:
    used: list[PermissionRule] = []
    for part in case.parts:
        rule = _covers_part(part, rules)
        if rule is not None:
            used.append(rule)
        elif not part.harmless or part.secrets or _is_asked_about(part):
            return None
    # The whole is as trusted and as specific as its weakest part.
    return min(used, key=lambda rule: (is_trusted(rule, case.state), rank(rule)), default=None)


def _is_asked_about(part: PartCase) -> bool:
    """Whether an ask rule hits a part, so that what only reads needs a rule of its own, too."""
    return any(_hits_part(rule, part) for rule in rules_of(part.state, "ask"))


def _hits_part(rule: PermissionRule, part: PartCase) -> bool:
    if rule.tool in _PATH_TOOLS:
        used = part.reads if rule.tool == "Read" else part.writes
        content = rule.content or "//**"
        return any(denies(content, access.facts, part.state) for access in used)
    if rule.tool not in ("*", part.tool):
        return False
    content = rule.content
    if content is None:
        return True
    matches = powershell_hits if part.tool == "PowerShell" else text_matches
    return any(matches(content, text) or part_is(content, text) for text in part.facts.spellings)


def _covers_part(part: PartCase, rules: list[PermissionRule]) -> PermissionRule | None:
    facts = part.facts
    if not facts.command.words:
        return None
    powershell = part.tool == "PowerShell"
    for rule in () if powershell else rules:
        if rule.content is not None and part_is(rule.content, facts.command.full_text):
            return rule
    if not facts.safe_environment or facts.redirects_files or not _stays_put(part):
        return None
    if part.foreign_git:
        return None
    matches = powershell_matches if powershell else text_matches
    found = [
        rule
        for rule in rules
        if rule.content is not None
        and any(matches(rule.content, text) for text in facts.allow_spellings)
    ]
    return max(found, key=rank, default=None)


def _stays_put(part: PartCase) -> bool:
    """Whether all that it is known to write is unprotected and inside the trusted folders."""
    return all(access.facts.tier == "inside" for access in part.writes)


def _covers_paths(case: Case, rules: list[PermissionRule]) -> PermissionRule | None:
    kind = "Edit" if case.family == "edit" else "Read"
    accesses = case.writes if case.family == "edit" else case.reads
    governing = [
        rule
        for rule in rules
        if rule.tool in (kind, "*", case.call.tool)
        and (rule.tool != "Write" or case.call.tool == "Write")
    ]
    used: list[PermissionRule] = []
    for access in accesses:
        rule = next((r for r in governing if _covers_path(r, access, case.state)), None)
        if rule is None:
            return None
        used.append(rule)
    return min(used, key=lambda rule: (is_trusted(rule, case.state), rank(rule)), default=None)


def _covers_path(rule: PermissionRule, access: PathAccess, state: PermissionState) -> bool:
    if rule.content is None:
        return access.facts.tier == "inside"
    if access.facts.tier != "inside" and not names_area(rule.content):
        return False
    return allows(rule.content, access.facts, state)


# --- names other than commands and paths ---


def _covers_mcp(rule_tool: str, tool: str) -> bool:
    if not rule_tool.startswith("mcp__") or not tool.startswith("mcp__"):
        return False
    if rule_tool in ("mcp__*", tool):
        return True
    server = rule_tool.removesuffix("__*")
    legacy = "_" in rule_tool[5:] and "__" not in rule_tool[5:]
    if legacy and rule_tool[5:] == tool[5:].replace("__", "_", 1):
        return True
    return tool.startswith(server + "__") and "__" not in server[5:]


def _names_call(content: str, case: Case, *, strict: bool) -> bool:
    """Match the content of rules for hosts, agents, skills and the like.

    Args:
        content: The rule's content.
        case: The call.
        strict: Whether the rule allows, which needs an exact name for a skill.
    """
    tool = case.call.tool
    if tool == "WebFetch":
        hosts = case.call.effects.hosts
        matched = [_host_matches(content, host) for host in hosts]
        return bool(matched) and (all(matched) if strict else any(matched))
    named = case.call.call.input.get(_NAME_FIELDS.get(tool, ""))
    if tool == "Agent" and not named:
        named = GENERAL_PURPOSE  # which is what such a call starts
    if not isinstance(named, str):
        return False
    if tool == "Skill":
        named = named.strip().removeprefix("/")  # which is how the tool reads it
    if tool in ("Skill", "SlashCommand") and content.endswith(":*"):
        return (tool != "Skill" or not strict) and named.startswith(content[:-2])
    return content == named


_NAME_FIELDS = {
    "Agent": "subagent_type",
    "Skill": "skill",
    "Workflow": "name",
    "SlashCommand": "command",
}


def _host_matches(content: str, host: str) -> bool:
    kind, _, wanted = content.partition(":")
    wanted = wanted.strip().removeprefix("*.").casefold().rstrip(".")
    host = host.casefold().rstrip(".")
    return kind == "domain" and bool(wanted) and (host == wanted or host.endswith("." + wanted))
