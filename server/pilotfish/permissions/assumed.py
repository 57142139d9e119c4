"""Calls that are judged without their tool.

Owns: the facts that a tool would state about a call, read from the call's input alone: for
explaining a decision beforehand and for recorded calls.
Does not own: real calls, whose facts come from the tool (``tooling``).
"""

from pathlib import Path
from urllib.parse import urlsplit

from pilotfish.config.rule_syntax import ALIASES
from pilotfish.core.calls import PreparedCall, ToolCall
from pilotfish.core.effects import CommandEffect, Effects
from pilotfish.core.ids import ToolUseId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import FilePreview
from pilotfish.permissions.case import EDIT_TOOLS, READ_TOOLS
from pilotfish.util.records import dataclass

UNREADABLE_HOST = "unreadable.invalid"
"""Stands for a host that a browser and we might read differently; no rule can name it."""

_READING_AGENTS = frozenset({"Explore", "Plan"})
_SESSION_TOOLS = frozenset(
    {"TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TaskOutput", "TaskStop",
     "SendMessage", "ToolSearch", "ListMcpResources"}
)  # fmt: skip
_PATH_FIELDS = ("file_path", "notebook_path", "path")


@dataclass(frozen=True, kw_only=True, slots=True)
class CallHints:
    """What only the tool's owner knows. The careful values are the defaults."""

    mcp_reads_only: bool = False
    skill_is_plain: bool = False
    """Whether the skill declares nothing that acts."""
    redirects: tuple[str, ...] = ()
    """Addresses that a fetch would be sent on to."""


def assume_call(
    tool: str, given: JsonObject, cwd: Path, hints: CallHints | None = None
) -> PreparedCall:
    """Build what a tool's ``prepare`` would return. Looks whether a file exists, so it may block."""
    name = ALIASES.get(tool, tool)
    effects = _effects(name, given, cwd, hints or CallHints())
    return PreparedCall(
        call=ToolCall(id=ToolUseId("toolu_assumed"), name=name, input=given),
        tool=name,
        title=name,
        kind="other",
        args=None,
        effects=effects,
        preview=_preview(name, given, effects),
    )


def _effects(tool: str, given: JsonObject, cwd: Path, hints: CallHints) -> Effects:
    effects = Effects()
    if tool in ("Bash", "PowerShell"):
        background = given.get("run_in_background") is True
        command = CommandEffect(command=_text(given, "command"), cwd=cwd, background=background)
        effects = Effects(command=command)
    elif tool in READ_TOOLS:
        effects = Effects(reads=(_path(given, cwd),), read_only=True)
    elif tool in EDIT_TOOLS:
        effects = Effects(writes=(_path(given, cwd),))
    elif tool == "WebFetch":
        addresses = (_text(given, "url"), *hints.redirects)
        effects = Effects(hosts=tuple(_host(address) for address in addresses), read_only=True)
    elif tool in _SESSION_TOOLS:
        effects = Effects(internal=True)
    elif tool == "Agent":
        effects = Effects(read_only=given.get("subagent_type") in _READING_AGENTS)
    elif tool == "Skill":
        effects = Effects(internal=hints.skill_is_plain)
    elif tool.startswith("mcp__"):
        effects = Effects(read_only=hints.mcp_reads_only)
    elif tool in ("WebSearch", "ReadMcpResource"):
        effects = Effects(read_only=True)
    return effects


def _preview(tool: str, given: JsonObject, effects: Effects) -> FilePreview | None:
    if not effects.writes:
        return None
    path = effects.writes[0]
    fresh = given.get("old_string") == "" or (tool == "Write" and not path.exists())
    return FilePreview(path=str(path), old_text=None if fresh else "", new_text="")


def _path(given: JsonObject, cwd: Path) -> Path:
    named = next((text for text in (_text(given, field) for field in _PATH_FIELDS) if text), "")
    return cwd / named


def _text(given: JsonObject, field: str) -> str:
    value = given.get(field)
    return value if isinstance(value, str) else ""


def _host(address: str) -> str:
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return UNREADABLE_HOST
    plain = bool(host) and host.isascii() and "%" not in host and "\\" not in address
    return host if plain else UNREADABLE_HOST
