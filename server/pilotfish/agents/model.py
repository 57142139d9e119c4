"""What an agent definition says.

Owns: the definition as data, and which tools of a pool it leaves.
Does not own: reading files (``reader``, ``loader``), which definition counts (``catalog``), what an
agent may do (``permissions``): a definition asks for a mode, whoever starts the agent clamps it.
See also: design 03 §1.2, 01 §4.3.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

from pilotfish.core.agents import MemoryScope
from pilotfish.core.jsontypes import JsonValue
from pilotfish.core.permission import AgentMode
from pilotfish.util.records import dataclass

DefinitionSource = Literal["built-in", "userSettings", "projectSettings", "policySettings"]
"""Where a definition comes from, weakest first; a stronger one of the same name replaces it whole."""

AgentColor = Literal["red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink"]
AGENT_COLORS: tuple[AgentColor, ...] = get_args(AgentColor)

AgentIsolation = Literal["worktree"]


INHERIT = "inherit"
"""As a model: the one of the conversation that starts the agent. Lower case only."""

SMALL = "small"
"""As a model: the one for small work, which is a matter of settings and provider."""

GENERAL_PURPOSE = "general-purpose"
"""The agent that a call without a type starts."""

ALL_TOOLS = "*"
"""As the only entry of ``tools``: every tool."""

MEMORY_TOOLS = ("Read", "Write", "Edit")
"""Tools that an agent with a memory has even when its ``tools`` do not list them."""

_NO_VALUES: Mapping[str, JsonValue] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentDefinition:
    """One kind of agent. Everything but name, description and prompt may be absent."""

    agent_type: str
    """Its name, the value of ``subagent_type``."""
    description: str
    """When to use it: for the model, and for people."""
    system_prompt: str
    """Replaces the system prompt of the main conversation; facts of the environment come after it."""
    source: DefinitionSource = "built-in"
    path: Path | None = None
    """The file; None for a built-in one."""
    tools: tuple[str, ...] | None = None
    """The tools it may have, as names or as ``Tool(content)``; None: every tool."""
    disallowed_tools: tuple[str, ...] = ()
    """The tools it may not have; wins over ``tools``."""
    model: str | None = None
    """A model's name, ``INHERIT`` or ``SMALL``. None is the same as ``INHERIT``."""
    effort: str | None = None
    """How hard the model tries; None: as the conversation that starts it."""
    permission_mode: AgentMode | None = None
    """The mode it asks for; None: its parent's."""
    max_turns: int | None = None
    """Model calls it may take; None: as any turn."""
    background: bool = False
    """Whether it always runs in the background."""
    isolation: AgentIsolation | None = None
    initial_prompt: str = ""
    """Put before the task that it is given; empty for nothing."""
    color: AgentColor = "blue"
    memory: MemoryScope | None = None
    skills: tuple[str, ...] = ()
    mcp_servers: tuple[JsonValue, ...] = ()
    """Names of configured servers, or one-key objects of name and definition."""
    required_mcp_servers: tuple[str, ...] = ()
    """Patterns of server names without which the agent is not started."""
    hooks: Mapping[str, JsonValue] = field(default_factory=lambda: _NO_VALUES)
    is_one_shot: bool = False
    """Whether nobody goes on with it after its answer, so that the answer need not say how."""

    @property
    def name(self) -> str:
        """Return what it is asked for by, as any definition."""
        return self.agent_type

    def gains_by_memory(self, tool: str) -> bool:
        """Tell whether an agent of this kind has a tool for its memory alone."""
        listed = self.tools is None or _names(self.tools, tool)
        return not listed and self.leaves(tool)

    @property
    def is_users_own(self) -> bool:
        """Tell whether somebody other than a project speaks: the user, the administrator, Pilotfish."""
        return self.source != "projectSettings"

    def leaves(self, tool: str) -> bool:
        """Tell whether an agent of this kind has a tool, if its session has it.

        What a definition forbids wins over what it permits and over what its memory needs.
        """
        if _names(self.disallowed_tools, tool):
            return False
        if self.tools is None or _names(self.tools, tool):
            return True
        return self.memory is not None and tool in MEMORY_TOOLS

    def pool(self, tools: Iterable[str]) -> frozenset[str]:
        """Return those of a session's tools that an agent of this kind has."""
        return frozenset(tool for tool in tools if self.leaves(tool))


def tool_of(entry: str) -> str:
    """Return the tool that an entry of a list of tools names, without what stands in parentheses."""
    return entry.partition("(")[0].strip()


def _names(entries: tuple[str, ...], tool: str) -> bool:
    return any(_matches(tool_of(entry), tool) for entry in entries)


def _matches(name: str, tool: str) -> bool:
    """Tell whether a name in a list is a tool's, its MCP server's, or stands for all tools."""
    server = name.removesuffix("__*") if name.startswith("mcp__") else ""
    return name in {tool, ALL_TOOLS} or (bool(server) and tool.startswith(f"{server}__"))
