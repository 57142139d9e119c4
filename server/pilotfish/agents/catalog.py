"""The agents that a session may start.

Owns: which definition of a name counts, and what was found beside those.
Does not own: reading files (``loader``), when they are read again (the session).
See also: design 03 §1.1, §1.4.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pilotfish.agents.builtin import builtin_agents
from pilotfish.agents.model import AgentDefinition


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownAgents:
    """What was found at one moment."""

    definitions: tuple[AgentDefinition, ...]
    """Weakest first, with those that a stronger one of the same name replaces."""


class AgentCatalog:
    """The agents of one session, as they were last found."""

    def __init__(self, known: KnownAgents | None = None) -> None:
        """Begin with what is known; without it, with the agents that come with Pilotfish."""
        self.take(known or KnownAgents(definitions=builtin_agents()))

    def take(self, known: KnownAgents) -> None:
        """Replace what is known."""
        self._known = known
        self._active = MappingProxyType(_strongest(known.definitions))

    def active(self) -> Mapping[str, AgentDefinition]:
        """Return the definitions that count, by name, in the order of their names."""
        return self._active


def _strongest(definitions: Iterable[AgentDefinition]) -> dict[str, AgentDefinition]:
    """Return the last definition of each name: a later one replaces an earlier one whole."""
    by_name = {definition.agent_type: definition for definition in definitions}
    return dict(sorted(by_name.items()))
