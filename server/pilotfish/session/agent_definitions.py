"""The agent definitions of one session, kept up to date.

Owns: telling the model what has changed since it was given the list.
Does not own: when they are read again (``definitions.followed``), reading them (``agents.loader``), which
of them may be started (``session.agent_plan``).
See also: design 03 §1.4.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from pilotfish.agents.builtin import builtin_agents
from pilotfish.agents.listing import list_types
from pilotfish.agents.loader import agent_files, agent_folders, load_agents
from pilotfish.agents.model import AgentDefinition
from pilotfish.config.watch import SettingsWatch
from pilotfish.core.events import NoteAdded
from pilotfish.definitions.followed import FollowedDefinitions, watched_folders
from pilotfish.definitions.loading import DefinitionSources, Known
from pilotfish.ports.agents import AgentType
from pilotfish.session.agent_plan import startable


class AgentDefinitions(FollowedDefinitions[AgentDefinition]):
    """What can be started in one session; at first the agents that come with Pilotfish."""

    def __init__(self, sources: DefinitionSources, watch: SettingsWatch) -> None:
        """Set it up.

        Args:
            sources: Where they are; whether the project is trusted is said anew each time.
            watch: Tells when files change.
        """
        super().__init__(
            lambda trusted: _places(replace(sources, trusted=trusted)),
            lambda trusted: load_agents(replace(sources, trusted=trusted)),
            watch,
            at_first=Known(found=builtin_agents()),
        )


def _places(sources: DefinitionSources) -> list[Path]:
    return [*watched_folders(agent_folders(sources)), *agent_files(sources)]


class AgentKinds:
    """What can be started, and what the model knows of that: its tool's description stays as it was."""

    def __init__(self, definitions: AgentDefinitions, denied: Callable[[], frozenset[str]]) -> None:
        """Take what can be started now for what the model is told at first.

        Args:
            definitions: Those of the session.
            denied: Returns the names of the agents that a rule takes away.
        """
        self.definitions = definitions
        self._denied = denied
        self._told = self._by_name()

    def active(self) -> Mapping[str, AgentDefinition]:
        """Return the definitions that count now, by name."""
        return self.definitions.catalog.active()

    def startable(self) -> list[AgentType]:
        """Return what can be started now."""
        return startable(self.active(), self._denied())

    async def collect(self) -> list[NoteAdded]:
        """Return a note about what has changed since the model was last told; usually nothing."""
        now = self._by_name()
        if now == self._told:
            return []
        changed = [each for name, each in now.items() if self._told.get(name) != each]
        gone = [name for name in self._told if name not in now]
        self._told = now
        lines = ["The agents that can be started are not those of the tool's description any more."]
        if changed:
            lines += ["New or changed:", list_types(changed)]
        if gone:
            lines.append(f"No longer there: {', '.join(gone)}.")
        return [NoteAdded(text="\n".join(lines), origin="agents")]

    def _by_name(self) -> dict[str, AgentType]:
        return {each.name: each for each in self.startable()}
