"""The agent definitions of one session, kept up to date.

Owns: where a session's definitions are, when they are read again, and telling the model what has changed
since it was given the list.
Does not own: reading them (``agents.loader``), which of them may be started (``session.agent_plan``).
See also: design 03 §1.4.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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
from pilotfish.config.watch import FilePrint, SettingsWatch, look_at
from pilotfish.core.events import NoteAdded
from pilotfish.ports.agents import AgentType
from pilotfish.session.agent_plan import startable
from pilotfish.session.services import Services

_INSIDE = ".changes"
"""No file of this name needs to exist: whoever watches for it watches the folder that it would be in."""


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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Read:
    """What definitions were read from."""

    trusted: bool
    files: Mapping[Path, FilePrint]
    """Folders and files, with their states."""


class AgentDefinitions:
    """What can be started in one session."""

    def __init__(self, sources: AgentSources, watch: SettingsWatch) -> None:
        """Know the built-in agents; ``refresh`` finds the others.

        Args:
            sources: Where they are; whether the project is trusted is said anew each time.
            watch: Tells when files change.
        """
        self._sources = sources
        self._watch = watch
        self._trusted = False
        self._read: _Read | None = None
        """What the definitions were read from; None before that."""
        self._reading = asyncio.Lock()
        self._watches = False
        self._unwatch: Callable[[], None] = lambda: None
        self.catalog = AgentCatalog()
        """Those that count."""

    async def refresh(self, *, trusted: bool) -> None:
        """Read the definitions again where anything has changed."""
        async with self._reading:
            self._trusted = trusted
            sources = replace(self._sources, trusted=trusted)
            known, read = await asyncio.to_thread(_read_if_changed, sources, self._read)
            if known is not None:
                self.catalog.take(known)
                self._read = read
                self._listen()

    def follow(self) -> None:
        """Read them again as soon as files change, until ``close``."""
        self._watches = True
        self._listen()

    def close(self) -> None:
        """End following."""
        self._watches = False
        self._unwatch()

    def _listen(self) -> None:
        if not self._watches or self._read is None:
            return
        self._unwatch()
        self._unwatch = self._watch.listen(self._read.files, self._changed)

    async def _changed(self) -> None:
        await self.refresh(trusted=self._trusted)


def _read_if_changed(
    sources: AgentSources, before: _Read | None
) -> tuple[KnownAgents | None, _Read]:
    """Return what is defined, None where that is what it was, and what it was read from."""
    folders = definition_folders(sources)
    places = (*folders, *(folder / _INSIDE for folder in folders), *definition_files(sources))
    # Taken before reading: what changes meanwhile is read once more.
    now = _Read(trusted=sources.trusted, files=look_at(places))
    return (None if now == before else load_agents(sources)), now


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
