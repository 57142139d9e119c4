"""A rule in plain words.

Owns: what a rule stands for, which phase of the chain decides by it, and examples of what it matches
and what not. The examples are put to the real matching, so they cannot be wrong.
Does not own: matching (``permissions.rules``).
"""

import re

from pilotfish.core.calls import PreparedCall
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import PermissionRule
from pilotfish.permissions.assumed import assume_call
from pilotfish.permissions.case import Case
from pilotfish.permissions.command_rules import is_exact
from pilotfish.permissions.rules import covering_rule, hits, is_trusted
from pilotfish.permissions.state import PermissionState
from pilotfish.util.records import dataclass

MAX_QUOTED_CHARS = 200
"""Longer texts of a file are cut where they are shown."""

MAX_EXAMPLES = 3
"""Examples of each kind that are shown."""

_SHELLS = frozenset({"Bash", "PowerShell"})
_AREAS = {
    "Read": "reading (also by Glob, Grep and shell commands that read) {area}",
    "Edit": "changing (by Edit, MultiEdit, Write, NotebookEdit and shell commands that write) {area}",
    "Write": "writing whole files, and edits that make a new file, {area}",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Examples:
    """Calls, as short texts."""

    matched: tuple[str, ...]
    missed: tuple[str, ...]


def in_words(rule: PermissionRule) -> str:
    """Say what calls a rule is about, as the end of a sentence."""
    tool, content = rule.tool, rule.content
    if tool == "*":
        return "every call of every tool"
    if tool.startswith("mcp__"):
        return _servers(tool)
    if content is None:
        return "every shell command" if tool == "Bash" else f"every use of {tool}"
    return _narrowed(tool, content)


def _narrowed(tool: str, content: str) -> str:
    if tool in _SHELLS:
        return _commands(tool, content)
    if tool in _AREAS:
        return _AREAS[tool].replace("{area}", _area(content))
    if tool == "WebFetch" and content.startswith("domain:"):
        host = content.removeprefix("domain:").removeprefix("*.")
        return f"fetching from {code(host)} and its subdomains"
    named = {
        "Agent": f"starting a sub-agent of the type {code(content)}",
        "Skill": f"using the skill {code(content)}",
    }
    return named.get(tool, f"uses of {tool} with exactly {code(content)}")


def code(text: str) -> str:
    """Show a text that came from a file as code: on one line, cut, and whatever it holds as text."""
    plain = " ".join(text.split())
    if len(plain) > MAX_QUOTED_CHARS:
        plain = plain[:MAX_QUOTED_CHARS] + "…"
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    if not longest:
        return f"`{plain}`"
    fence = "`" * (longest + 1)
    return f"{fence} {plain} {fence}"


def phase_in_words(rule: PermissionRule, state: PermissionState) -> str:
    """Say at which point of the chain a rule decides, and what can win over it."""
    if rule.behavior == "deny":
        return "It decides in the phase `deny_rules`, first of all: no rule, mode or answer wins over it."
    if rule.behavior == "ask":
        wins = (
            "" if state.ask_beats_allow else " An allow rule that is as specific comes before it."
        )
        return f"It decides in the phase `ask_rules`.{wins}"
    if is_trusted(rule, state):
        return (
            "It is trusted and decides in the phase `trusted_allow`, before the check for dangerous "
            "commands. Deny rules, protected files and what cannot be undone come before it."
        )
    return (
        "It is not trusted, since nobody has vouched for this folder yet: it decides in the phase "
        "`untrusted_allow` only, after the check for dangerous commands and all ask rules, only about "
        "commands that it names, and only while somebody is there who could be asked."
    )


def examples_of(rule: PermissionRule, state: PermissionState) -> Examples:
    """Return calls that a rule matches and some that it does not. May look at the disk."""
    matched: list[str] = []
    missed: list[str] = []
    for tool, given, shown in _candidates(rule, str(state.home)):
        call = assume_call(tool, given, state.cwd)
        (matched if _matches(rule, call, state) else missed).append(shown)
    return Examples(
        matched=tuple(dict.fromkeys(matched))[:MAX_EXAMPLES],
        missed=tuple(dict.fromkeys(missed))[:MAX_EXAMPLES],
    )


def _matches(rule: PermissionRule, call: PreparedCall, state: PermissionState) -> bool:
    case = Case(call=call, state=state)
    if rule.behavior != "allow":
        return hits(rule, case)
    # What only reads needs no rule, so none is found to cover it.
    return covering_rule(case, (rule,)) is not None or (case.shell_is_harmless and hits(rule, case))


def _servers(tool: str) -> str:
    if tool == "mcp__*":
        return "every tool of every MCP server"
    server, _, name = tool[5:].partition("__")
    if name in ("", "*"):
        return f"every tool of the MCP server {code(server)}"
    return f"the tool {code(name)} of the MCP server {code(server)}"


def _commands(tool: str, content: str) -> str:
    kind = "command" if tool == "Bash" else "PowerShell command"
    if content.endswith(":*"):
        return f"{kind}s that begin with the words {code(content[:-2])}"
    if is_exact(content):
        if tool == "Bash":
            return f"the command {code(content)}, exactly so"
        return f"the PowerShell command {code(content)}, exactly so"
    return f"{kind}s of the form {code(content)}, where `*` stands for anything"


def _area(content: str) -> str:
    anchors = (
        ("//", "/", "from the root of the file system"),
        ("~/", "", "in your home folder"),
        ("/", "", "from the project's folder on"),
    )
    for start, put, where in anchors:
        if content.startswith(start):
            rest = put + content[len(start) :]
            return f"what {code(rest)} matches, {where}"
    plain = content.removeprefix("./")
    if "/" not in content:
        return f"files and folders named {code(plain)}, at any depth"
    return f"what {code(plain)} matches, from the session's folder on"


# --- examples ---

_Candidate = tuple[str, JsonObject, str]


def _candidates(rule: PermissionRule, home: str) -> list[_Candidate]:
    tool, content = rule.tool, rule.content
    if tool.startswith("mcp__") and tool != "mcp__*":
        return [(one, {}, one) for one in _server_names(tool)]
    if content is None:
        return []
    if tool in _SHELLS:
        return [(tool, {"command": text}, text) for text in _command_texts(content)]
    if tool in _AREAS:
        return _path_candidates(tool, content, home)
    plain = content.removesuffix(":*")
    host = content.removeprefix("domain:").removeprefix("*.")
    tried: dict[str, tuple[str, tuple[str, ...]]] = {
        "WebFetch": ("url", (f"https://{host}/", f"https://docs.{host}/", f"https://not{host}/")),
        "Agent": ("subagent_type", (content, f"{content}2")),
        "Skill": ("skill", (plain, f"{plain}-more")),
    }
    name, texts = tried.get(tool, ("", ()))
    return [(tool, {name: text}, text) for text in texts]


def _server_names(tool: str) -> tuple[str, ...]:
    server, _, name = tool[5:].partition("__")
    plain = name.strip("*") or "anything"
    return f"mcp__{server}__{plain}", f"mcp__{server}__other", f"mcp__{server}2__{plain}"


def _command_texts(content: str) -> list[str]:
    if content.endswith(":*"):
        base = content[:-2]
        return [base, f"{base} x", f"{base}x", f"{base} x && make", f"{base} x > out.txt"]
    if is_exact(content):
        text = content.replace(r"\*", "*")
        return [text, f"{text} x"]
    filled = content.replace(r"\*", "\0").replace("*", "x").replace("\0", "*")
    others = (f"{filled} && make", f"{filled} > out.txt", f"x{filled}")
    return [filled, content.replace("*", "a b"), *others]


def _path_candidates(tool: str, content: str, home: str) -> list[_Candidate]:
    anchored = content[1:] if content.startswith("/") else content
    if content.startswith("~/"):
        anchored = home + content[1:]
    sample = anchored.replace("**", "a/b").replace("*", "x").replace("?", "y")
    folder, _, name = sample.rpartition("/")
    found = [sample, f"deep/{name}", f"{folder}/other-{name}".lstrip("/"), f"other/{name}.txt"]
    given = "content" if tool == "Write" else "old_string"
    return [
        (tool, {"file_path": path, given: ""} if tool != "Read" else {"file_path": path}, path)
        for path in found
    ]
