"""Kinds of agents: the definitions, not the agents that run."""

from typing import Literal

from pilotfish.wire.base import WireModel

DefinitionSource = Literal["built-in", "userSettings", "projectSettings", "policySettings"]


class AgentTypesParams(WireModel):
    """``_pilotfish/agents/types``: for the folder of a session, or for the first one that is open."""

    session_id: str | None = None


class AgentTypeEntry(WireModel):
    """A definition."""

    name: str
    description: str
    source: DefinitionSource
    path: str | None
    """Its file; None for a built-in one."""
    tools: list[str] | None
    """None: every tool."""
    disallowed_tools: list[str]
    model: str | None
    """None: as the conversation that starts it."""
    permission_mode: str | None
    background: bool
    isolation: str | None
    color: str
    replaced_by: str | None
    """Which source has another of this name that counts instead; None when this one counts."""


class AgentTypeProblem(WireModel):
    """Something in a file that does not work as written."""

    path: str
    line: int | None
    """1-based, when it is known."""
    text: str
    severity: Literal["error", "warning"]
    """``error``: nothing of the file counts."""


class AgentTypesFolder(WireModel):
    """Where definitions of one's own belong; it need not exist."""

    source: Literal["userSettings", "projectSettings"]
    path: str


class AgentTypesResponse(WireModel):
    """What is on the disk now."""

    types: list[AgentTypeEntry]
    """By name; of one name the one that counts first."""
    problems: list[AgentTypeProblem]
    untrusted: list[str]
    """Files that do not count until the folder is trusted."""
    folders: list[AgentTypesFolder]
