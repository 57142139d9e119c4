"""The agent definitions of one session, kept up to date.

Owns: where a session's definitions are, and telling the model what has changed since it was given the
list.
Does not own: when they are read again (``session.followed_files``), reading them (``agents.loader``), which
of them may be started (``session.agent_plan``).
See also: design 03 §1.4.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from pilotfish.agents.catalog import AgentCatalog
from pilotfish.agents.listing import list_types
from pilotfish.agents.loader import (
    AgentSources,
    KnownAgents,
    definition_files,
    definition_folders,
    load_agents,
)
from pilotfish.agents.model import AgentDefinition
from pilotfish.config.sources import is_trusted_project
from pilotfish.config.watch import SettingsWatch
from pilotfish.core.events import NoteAdded
from pilotfish.ports.agents import AgentType
from pilotfish.session.agent_plan import startable
from pilotfish.session.followed_files import FollowedFiles, watched_folders
from pilotfish.session.services import Services


def agent_sources(services: Services, root: Path | None, *, trusted: bool = False) -> AgentSources:
    """Return where the definitions for a folder come from; None when no folder is open."""
    managed = services.managed_settings
    return AgentSources(
        state_folder=services.state_folder,
        user_home=services.user_home,
        project_root=root,
        trusted=trusted,
        policy_folder=None if managed is None else managed.parent,
    )


def agents_of(services: Services, root: Path | None) -> KnownAgents:
    """Return what is defined for a folder now. Touches the disk and blocks."""
    trusted = is_trusted_project(services.settings_sources(root))
    return load_agents(agent_sources(services, root, trusted=trusted))


class AgentDefinitions:
    """What can be started in one session."""

    def __init__(self, sources: AgentSources, watch: SettingsWatch) -> None:
        """Know the built-in agents; ``refresh`` finds the others.

        Args:
            sources: Where they are; whether the project is trusted is said anew each time.
            watch: Tells when files change.
        """
        self.catalog = AgentCatalog()
        """Those that count."""
        self._files = FollowedFiles(
            lambda trusted: _places(replace(sources, trusted=trusted)),
            lambda trusted: load_agents(replace(sources, trusted=trusted)),
            self.catalog.take,
            watch,
        )

    async def refresh(self, *, trusted: bool) -> None:
        """Read the definitions again where anything has changed."""
        await self._files.refresh(trusted=trusted)

    def follow(self) -> None:
        """Read them again as soon as files change, until ``close``."""
        self._files.follow()

    def close(self) -> None:
        """End following."""
        self._files.close()


def _places(sources: AgentSources) -> list[Path]:
    return [*watched_folders(definition_folders(sources)), *definition_files(sources)]


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
