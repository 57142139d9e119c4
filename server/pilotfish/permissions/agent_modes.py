"""The mode that a sub-agent works in.

Owns: the order of voices and the clamp of design 05 §11.1. Pure.
Does not own: starting agents, reading their definitions.
See also: ``config.modes`` (rank and clamp).
"""

from pilotfish.config.modes import UNASKED_MODES, clamp
from pilotfish.core.permission import AgentMode, PermissionMode
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentWishes:
    """Who wants which mode for one sub-agent. None: no wish."""

    call: PermissionMode | None = None
    """What the model asked for in the call."""
    definition: AgentMode | None = None
    """What the agent's definition says."""
    setting: PermissionMode | None = None
    """``permissions.subagentMode``: the user's own standing word for all agents."""


_NEVER_EXCEEDED: frozenset[PermissionMode] = frozenset({"plan", "dontAsk"})
"""Modes of a parent that no voice can raise a child above."""


def mode_for_agent(parent: PermissionMode, wishes: AgentWishes) -> PermissionMode:
    """Return the mode of a sub-agent whose parent works in ``parent`` just now.

    No call and no definition raises it above the parent's. The user's own setting may, as the user
    has granted it beforehand: but never out of plan mode or dontAsk, and never to a mode that runs
    nearly everything unasked.
    """
    if parent == "plan":
        return "plan"
    # In the mode delegate the work is what agents are for: they do it as in default.
    ceiling: PermissionMode = "default" if parent == "delegate" else parent
    if wishes.call is not None:
        return _worker(clamp(wishes.call, ceiling))
    if wishes.definition in ("ignore", "bubble"):
        return ceiling
    if wishes.setting is not None:
        exceeds = ceiling in _NEVER_EXCEEDED or wishes.setting in UNASKED_MODES
        return clamp(wishes.setting, ceiling) if exceeds else wishes.setting
    return ceiling if wishes.definition is None else _worker(clamp(wishes.definition, ceiling))


def _worker(mode: PermissionMode) -> PermissionMode:
    """Return a mode in which an agent can work at all."""
    return "default" if mode == "delegate" else mode
