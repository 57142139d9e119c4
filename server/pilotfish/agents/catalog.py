"""The agents that a session may start.

Owns: which definition of a name counts, and what was found beside those.
Does not own: reading files (``loader``), when they are read again (the session).
See also: design 03 §1.1, §1.4.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from pilotfish.agents.builtin import builtin_agents
from pilotfish.agents.loader import KnownAgents
from pilotfish.agents.model import AgentDefinition


class AgentCatalog:
    """The agents of one session, as they were last found."""

    def __init__(self, known: KnownAgents | None = None) -> None:
        """Begin with what is known; without it, with the agents that come with Pilotfish."""
        self.take(known or KnownAgents(definitions=builtin_agents()))

    def take(self, known: KnownAgents) -> None:
        """Replace what is known."""
        self._known = known
        self._active = MappingProxyType(strongest(known.definitions))

    @property
    def known(self) -> KnownAgents:
        """Return everything that was found, replaced and broken definitions included."""
        return self._known

    def active(self) -> Mapping[str, AgentDefinition]:
        """Return the definitions that count, by name, in the order of their names."""
        return self._active


def strongest(definitions: Iterable[AgentDefinition]) -> dict[str, AgentDefinition]:
    """Return the last definition of each name: a later one replaces an earlier one whole."""
    by_name = {definition.agent_type: definition for definition in definitions}
    return dict(sorted(by_name.items()))
