"""The agents that a session may start.

Owns: which definition of a name counts, and what was found beside those.
Does not own: reading files (``loader``), when they are read again (the session).
See also: design 03 §1.1, §1.4.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pilotfish.agents.builtin import builtin_agents
from pilotfish.agents.loader import KnownAgents
from pilotfish.agents.model import AgentDefinition


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedAgent:
    """A definition among all that were found."""

    definition: AgentDefinition
    replaced_by: AgentDefinition | None
    """The one that counts instead; None when this one does."""


class AgentCatalog:
    """The agents of one session, as they were last found."""

    def __init__(self, known: KnownAgents | None = None) -> None:
        """Begin with what is known; without it, with the agents that come with Pilotfish."""
        self.take(known or KnownAgents(definitions=builtin_agents()))

    def take(self, known: KnownAgents) -> None:
        """Replace what is known."""
        self._known = known
        self._active = MappingProxyType(_strongest(known.definitions))

    @property
    def known(self) -> KnownAgents:
        """Return everything that was found, replaced and broken definitions included."""
        return self._known

    def active(self) -> Mapping[str, AgentDefinition]:
        """Return the definitions that count, by name, in the order of their names."""
        return self._active


def listed(known: KnownAgents) -> list[ListedAgent]:
    """Return all definitions by name, of each name the one that counts first."""
    active = _strongest(known.definitions)
    rows: list[ListedAgent] = []
    for definition in reversed(known.definitions):
        winner = active[definition.agent_type]
        replaced_by = None if winner is definition else winner
        rows.append(ListedAgent(definition=definition, replaced_by=replaced_by))
    # The order of strength stays within a name.
    return sorted(rows, key=lambda row: row.definition.agent_type.lower())


def _strongest(definitions: Iterable[AgentDefinition]) -> dict[str, AgentDefinition]:
    """Return the last definition of each name: a later one replaces an earlier one whole."""
    by_name = {definition.agent_type: definition for definition in definitions}
    return dict(sorted(by_name.items()))
