"""Permission rules as text.

Owns: the grammar ``Name``, ``Name(content)``, ``*``: reading it and saying what is wrong.
Does not own: what a rule matches (``permissions.rules``), writing one (``PermissionRule.text``).
See also: design 05 §7.5.
"""

import re

from pilotfish.core.permission import Behavior, PermissionRule, RuleSource
from pilotfish.util.records import dataclass
from pilotfish.util.slips import slip_of


def name_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


MAX_RULE_CHARS = 12_000
"""Longest rule; an exact rule may hold a whole command."""

TOOL_NAMES = name_set(
    "Read Edit MultiEdit Write NotebookRead NotebookEdit Glob Grep Bash PowerShell LSP TodoWrite "
    "TaskCreate TaskGet TaskList TaskUpdate TaskOutput TaskStop Agent SendMessage Skill "
    "AskUserQuestion EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree WebFetch WebSearch "
    "ListMcpResources ReadMcpResource ToolSearch ExecuteTool Workflow SlashCommand"
)
"""Names that a rule may use, beside ``mcp__…`` and ``*``."""

ALIASES = {
    "Task": "Agent",
    "LeaveWorktree": "ExitWorktree",
    "BashOutput": "TaskOutput",
    "KillShell": "TaskStop",
}
"""Older names of tools; rules may use either."""

_NAME = re.compile(r"^(?:[A-Za-z][A-Za-z0-9_-]*|mcp__[A-Za-z0-9_.*-]+)$")
_ESCAPE = re.compile(r"\\([()\\])")


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedRule:
    """What came of one rule text."""

    rule: PermissionRule | None
    """None when the text cannot act as a rule at all."""
    problem: str = ""
    """What is wrong with it; a rule may come with a problem and still act."""
    malformed: bool = False
    """The text does not say what its author meant; a rule that it became stands for something else."""


def parse_rule(text: str, behavior: Behavior, source: RuleSource) -> ParsedRule:
    """Read one rule. A malformed deny or ask rule for a known tool asks for the whole tool."""
    stripped = text.strip()
    name, opening, rest = stripped.partition("(")
    name = ALIASES.get(name.strip(), name.strip())
    if len(stripped) > MAX_RULE_CHARS:
        return _malformed(name, behavior, source, f"it is longer than {MAX_RULE_CHARS} characters")
    if name != "*" and not _NAME.match(name):
        return _malformed(name, behavior, source, "it does not start with the name of a tool")
    if opening and not rest.endswith(")"):
        return _malformed(name, behavior, source, "its closing parenthesis is missing")
    if opening and name == "*":
        return _malformed(name, behavior, source, "`*` stands alone")
    content: str | None = _unescape(rest[:-1]).strip() if opening else None
    if content in ("", "*", ":*", "*:*"):
        content = None
    rule = PermissionRule(source=source, behavior=behavior, tool=name, content=content)
    return ParsedRule(rule=rule, problem=_doubt(rule))


def split_rules(text: str) -> list[str]:
    """Split a list such as ``Agent(A) Bash(git log:*), Read`` at blanks and commas outside parentheses."""
    found: list[str] = []
    current: list[str] = []
    depth = 0
    escaped = False
    for char in text:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == "(":
            depth += 1
        elif char == ")":
            depth = max(0, depth - 1)
        elif depth == 0 and (char.isspace() or char == ","):
            found.append("".join(current))
            current = []
            continue
        current.append(char)
    found.append("".join(current))
    return [item for item in found if item]


def _malformed(name: str, behavior: Behavior, source: RuleSource, problem: str) -> ParsedRule:
    known = name in TOOL_NAMES or name.startswith("mcp__")
    if behavior == "allow" or not known:
        return ParsedRule(rule=None, problem=f"{problem}, so it is ignored", malformed=True)
    rule = PermissionRule(source=source, behavior="ask", tool=name)
    problem = f"{problem}, so every use of {name} asks"
    return ParsedRule(rule=rule, problem=problem, malformed=True)


def _doubt(rule: PermissionRule) -> str:
    """Say why a well-formed rule may never match."""
    if rule.tool != "*" and rule.tool not in TOOL_NAMES and not rule.tool.startswith("mcp__"):
        meant = slip_of(rule.tool, sorted(TOOL_NAMES))
        problem = f"there is no tool named {rule.tool}"
        return f"{problem}; did you mean {meant}?" if meant else problem
    if rule.content is None:
        return ""
    if rule.tool == "WebFetch" and not rule.content.startswith("domain:"):
        return "a WebFetch rule names a host as `domain:example.com`, so this one matches nothing"
    if rule.tool == "Skill" and rule.behavior == "allow" and rule.content.endswith(":*"):
        return "a Skill is allowed by its exact name only, so this rule matches nothing"
    if rule.tool == "WebSearch" or rule.tool.startswith("mcp__"):
        return f"a rule for {rule.tool} has no content, so this one matches nothing"
    return ""


def _unescape(content: str) -> str:
    return _ESCAPE.sub(r"\1", content)
