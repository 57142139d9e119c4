"""How a sub-agent stands when its calls are judged.

Owns: its mode at this moment, along the chain of those who started it; whether its questions may go
to the user.
Does not own: the clamp (``permissions.agent_modes``), the judge (``permissions.decide``).
See also: design 01 §4.5, 05 §11.1.
"""

from dataclasses import replace
from pathlib import Path
from typing import Protocol

from pilotfish.config.modes import clamp
from pilotfish.core.agents import AgentEntry, AgentMemory
from pilotfish.core.ids import MAIN_AGENT, AgentId
from pilotfish.core.permission import PermissionMode
from pilotfish.permissions.agent_modes import AgentWishes
from pilotfish.session.permission_source import AgentStanding
from pilotfish.session.state import SessionData

BACKGROUND_TIMEOUT_S = 600.0
"""How long a question of an agent in the background waits where no setting says (design 05 §7.6)."""


class AgentRules(Protocol):
    """What agents are judged by of a session's permissions (``PermissionSource``)."""

    @property
    def is_trusted(self) -> bool:
        """Whether the user vouches for the project."""
        ...

    @property
    def background_may_ask(self) -> bool:
        """Whether questions of agents in the background go to the user."""
        ...

    def mode_for_agent(self, parent: PermissionMode, wishes: AgentWishes) -> PermissionMode:
        """Return the mode of a sub-agent whose starter has the mode ``parent`` now."""
        ...

    def prompt_timeout_s(self) -> float:
        """Return how long a question may wait; 0 means: as long as it takes."""
        ...


class AgentStandings:
    """The standing of all agents of one session; asked anew for each decision."""

    def __init__(self, data: SessionData, permissions: AgentRules) -> None:
        self._data = data
        self._permissions = permissions

    def of(self, agent: AgentId) -> AgentStanding | None:
        """Return how an agent stands; None for one that does not run."""
        entry = self._data.agents.get(agent)
        if entry is None or entry.outcome is not None:
            return None
        tree = entry.facts.worktree
        return AgentStanding(
            mode=self.mode_of(agent),
            can_ask=not self._is_unattended(entry) or self._permissions.background_may_ask,
            root=None if tree is None else Path(tree.path),
            memory=self._memory_of(entry),
        )

    def _memory_of(self, entry: AgentEntry) -> AgentMemory | None:
        """Return an agent's memory; one in the project is gone with the trust in it."""
        memory = entry.facts.memory
        if memory is None or memory.scope == "user" or self._permissions.is_trusted:
            return memory
        return replace(memory, folder="")

    def mode_of(self, agent: AgentId) -> PermissionMode:
        """Return the mode of an agent, which follows that of whoever started it."""
        if agent == MAIN_AGENT:
            return self._data.mode
        entry = self._data.agents.get(agent)
        if entry is None:
            # Nothing is known of it any more: what it could have granted is the least of what may be.
            return clamp("default", self._data.mode)
        facts = entry.facts
        wishes = AgentWishes(call=facts.call_mode, definition=facts.definition_mode)
        return self._permissions.mode_for_agent(self.mode_of(facts.parent), wishes)

    def prompt_timeout_s(self, agent: AgentId) -> float:
        """Return how long an agent's question may wait; 0 means: as long as it takes."""
        chosen = self._permissions.prompt_timeout_s()
        entry = self._data.agents.get(agent)
        if chosen > 0 or entry is None or not self._is_unattended(entry):
            return chosen
        return BACKGROUND_TIMEOUT_S

    def _is_unattended(self, entry: AgentEntry) -> bool:
        """Tell whether an agent, or one that waits for it, works in the background."""
        while not entry.is_background:
            parent = self._data.agents.get(entry.facts.parent)
            if parent is None:
                return False
            entry = parent
        return True
