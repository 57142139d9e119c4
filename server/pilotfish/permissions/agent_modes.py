"""The mode that a sub-agent works in.

Owns: the order of voices and the clamp of design 05 §11.1. Pure.
Does not own: starting agents, reading their definitions.
See also: ``config.modes`` (rank and clamp).
"""

from dataclasses import dataclass

from pilotfish.config.modes import clamp
from pilotfish.core.permission import AgentMode, PermissionMode


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentWishes:
    """Who wants which mode for one sub-agent. None: no wish."""

    call: PermissionMode | None = None
    """What the model asked for in the call."""
    definition: AgentMode | None = None
    """What the agent's definition says."""
    definition_is_trusted: bool = False
    """Whether the definition is the user's own, or of a project that the user vouches for."""
    setting: PermissionMode | None = None
    """``permissions.subagentMode``."""


def mode_for_agent(parent: PermissionMode, wishes: AgentWishes) -> PermissionMode:
    """Return the mode of a sub-agent whose parent works in ``parent``.

    The model and a definition that nobody vouches for cannot raise it above the parent's. A
    parent in plan mode has only children in plan mode, whoever asks for another.
    """
    if parent == "plan":
        return "plan"
    if wishes.call is not None:
        return clamp(wishes.call, parent)
    if wishes.definition in ("ignore", "bubble"):
        return parent
    if wishes.setting is not None:
        return wishes.setting
    if wishes.definition is None:
        return parent
    return wishes.definition if wishes.definition_is_trusted else clamp(wishes.definition, parent)
