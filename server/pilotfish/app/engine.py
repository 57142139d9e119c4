"""Building the engine.

Owns: reading the environment, creating what all sessions share, and the factory of workbenches.
"""

import asyncio
import gc
import logging
import sys
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pilotfish.agents.loader import KnownAgents
from pilotfish.app.bypass import bypass_refusal
from pilotfish.app.index_files import IgnoringLister
from pilotfish.app.secrets import redactor_of
from pilotfish.codeintel.index.hub import IndexHub
from pilotfish.codeintel.index.source import IndexSource
from pilotfish.codeintel.index.workspace_index import IndexParts
from pilotfish.codeintel.servers.pool import ServerPool
from pilotfish.codeintel.shell_ast import parse_shell
from pilotfish.codeintel.sources import CodeSources
from pilotfish.codeintel.syntax_source import SyntaxSource
from pilotfish.config.code_intelligence import CodeIntelligenceSettings
from pilotfish.config.home import state_folder, user_home
from pilotfish.config.managed import managed_settings_file
from pilotfish.config.model_section import ModelSettings
from pilotfish.config.sources import SettingsSources, load_settings, watched_files
from pilotfish.config.watch import look_at
from pilotfish.core.commands import CommandFacts
from pilotfish.core.permission import PermissionMode
from pilotfish.definitions.catalog import Catalog
from pilotfish.llm.access import access_from
from pilotfish.llm.demo_voice import Say, Voice
from pilotfish.ports.clock import ClockPort
from pilotfish.ports.editor import EditorPort, NoEditor
from pilotfish.ports.processes import WatchOutside
from pilotfish.ports.terminals import TerminalPort
from pilotfish.session import codec
from pilotfish.session.builtin_commands import BUILTIN_COMMANDS
from pilotfish.session.code_index import follow_settings
from pilotfish.session.command_desk import skill_facts
from pilotfish.session.definitions import Definitions, agents_of, skills_of
from pilotfish.session.editor_servers import EditorServers
from pilotfish.session.equipment import Equipment
from pilotfish.session.factory import NewSession
from pilotfish.session.file_names import FileNames
from pilotfish.session.health import Check
from pilotfish.session.manager import SessionManager
from pilotfish.session.mention_desk import MentionDesk
from pilotfish.session.mode_choice import starting_mode
from pilotfish.session.model_options import ProviderFacts, provider_facts
from pilotfish.session.providers import ProviderHub
from pilotfish.session.rules_desk import RulesDesk
from pilotfish.session.services import Services
from pilotfish.session.session import Session
from pilotfish.session.session_settings import settings_sources
from pilotfish.session.transcript_store import TranscriptStore
from pilotfish.skills.usage import SkillUsage
from pilotfish.tools.powershell_program import find_powershell
from pilotfish.tools.shell_environment import is_secret
from pilotfish.tools.shell_profile import ShellProfile
from pilotfish.util.clock import SystemClock
from pilotfish.util.os_reason import os_reason
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope
from pilotfish.workspace.git import Git
from pilotfish.workspace.process import Governor, RunningProcess
from pilotfish.workspace.process_ledger import ProcessLedger, process_records, sweep_orphans
from pilotfish.workspace.search import Ripgrep
from pilotfish.workspace.unfinished import UnfinishedWrites
from pilotfish.workspace.worktree import Worktrees

if TYPE_CHECKING:
    from pilotfish.permissions.language.service import SettingsLanguage

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """What an edge knows when it asks for an engine."""

    environment: Mapping[str, str]
    editor: EditorPort | None = None
    roots: tuple[Path, ...] = ()
    editor_settings: Mapping[str, Any] | None = None
    usual_settings: Mapping[str, Any] | None = None
    """What counts where no setting says anything, as a settings file would have it."""
    settings_file: Path | None = None
    record: Path | None = None
    """The folder that sessions are recorded into; None to record none."""
    trusted_by_editor: bool | None = None
    ripgrep: str | None = None
    """What the editor calls its own ripgrep; None to look for one."""
    locale: str | None = None
    """The language of whoever reads; None for English."""
    clock: ClockPort | None = None
    """What the time is; None for the system's clock."""


class Equipper:
    """Builds workbenches; implements ``session.manager.WorkbenchFactory``."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._editor_servers = EditorServers(
            services.servers,
            services.editor,
            lambda: services.roots,
            lambda root: load_settings(self._sources_of(root)),
        )
        self._tasks = TaskScope("warm-up")
        self._language: SettingsLanguage | None = None
        self._swept = False

    async def build(self, session: Session, options: NewSession) -> Equipment:
        """Build the workbench of a session."""
        if not self._swept:
            self._swept = True
            await asyncio.to_thread(self._services.unfinished.sweep)
            await asyncio.to_thread(_end_orphans, self._services.state_folder)
        sources = settings_sources(self._services, options)
        seen = await asyncio.to_thread(look_at, watched_files(sources))
        loaded = await asyncio.to_thread(load_settings, sources)
        definitions = Definitions.of(session, self._services, options.cwd)
        await definitions.refresh(trusted=loaded.trusted)
        equipment = Equipment(session, options, self._services, loaded, definitions)
        await equipment.recall()
        equipment.watch_settings(seen)
        return equipment

    def warm_up(self) -> None:
        """Load in the background what the first prompts of a long session need."""
        self._tasks.start(_then_collect(self._load_all()), name="warm-up")

    async def load_model(self) -> None:
        """Load what the first request needs, and nothing else: for a single run.

        Not in the background: beside other work it takes longer than both one after the other, since
        only one of two threads has the interpreter, which they would hand over at every file.
        """
        await _then_collect(self._load_model())

    def configure(self, settings: dict[str, Any], *, trusted: bool | None) -> None:
        """Take over changed editor settings; sessions read them with their next turn."""
        if trusted is not None:
            self._services.trusted_by_editor = trusted
        self._services.editor_settings = settings

    def set_roots(self, roots: Sequence[Path]) -> None:
        """Take over changed workspace folders; new sessions see them."""
        for root in set(roots) - set(self._services.roots):
            self._tasks.start(self._begin_index(root), name="index")
        for root in set(self._services.roots) - set(roots):
            self._services.index.let_go(f"folder {root}")
        self._services.roots = tuple(roots)

    async def examine(self, folder: Path) -> tuple[Check, ...]:
        """Return what is well and what is not, as seen from a folder."""
        from pilotfish.app.examination import (  # noqa: PLC0415 - few starts need it
            Surroundings,
            examine,
        )

        services = self._services
        around = Surroundings(
            home=services.state_folder,
            folder=folder,
            environment=services.environment,
            loaded=await asyncio.to_thread(load_settings, self._sources_of(folder)),
            providers=services.providers,
            servers=services.servers.table(),
            search=services.search.program,
        )
        return await examine(around)

    async def describe_provider(self) -> ProviderFacts:
        """Return where the model of new sessions runs, without secrets."""
        settings = await self._settings_without_project()
        choice = self._services.providers.choose(settings, "")
        mode, folder = await self._starting_mode(), next(iter(self._services.roots), None)
        return await asyncio.to_thread(provider_facts, choice, settings, mode, folder)

    async def agent_types(self, root: Path | None) -> KnownAgents:
        """Return the agents that are defined for a folder now; None: the first workspace folder."""
        folder = root or next(iter(self._services.roots), None)
        return await asyncio.to_thread(agents_of, self._services, folder)

    async def commands(self, root: Path | None) -> tuple[CommandFacts, ...]:
        """Return what a new session offers behind a slash; None: in the first workspace folder."""
        folder = root or next(iter(self._services.roots), None)
        catalog = Catalog(await asyncio.to_thread(skills_of, self._services, folder))
        skills = {name: one for name, one in catalog.active().items() if not one.paths}
        taken = {each.name for each in BUILTIN_COMMANDS}
        return (*BUILTIN_COMMANDS, *skill_facts(skills, taken))

    def settings_language(self) -> "SettingsLanguage":
        """Return what knows the settings files as texts."""
        if self._language is None:
            self._language = self._new_language()
        return self._language

    def _new_language(self) -> "SettingsLanguage":
        from pilotfish.permissions.language.service import (  # noqa: PLC0415 - few starts need it
            LanguageFacts,
            SettingsLanguage,
        )

        return SettingsLanguage(
            LanguageFacts(
                state_folder=self._services.state_folder,
                user_home=self._services.user_home,
                sources=self._sources_of,
            )
        )

    def index(self) -> IndexHub:
        """Return the indexes of workspaces."""
        return self._services.index

    def _sources_of(self, root: Path | None) -> SettingsSources:
        options = NewSession(cwd=root or self._services.state_folder)
        return replace(settings_sources(self._services, options), project_root=root)

    def code_for_editor(self) -> CodeSources:
        """Return who can be asked about code on behalf of the editor, which is not among them."""
        others = self._services.code.without(self._services.editor.code)
        return others.with_source(self._editor_servers, 0)

    async def code_settings(self) -> CodeIntelligenceSettings:
        """Return the settings of code intelligence for the first workspace folder."""
        root = next(iter(self._services.roots), None)
        loaded = await asyncio.to_thread(load_settings, self._sources_of(root))
        return loaded.settings.code_intelligence

    def children(self) -> tuple[RunningProcess, ...]:
        """Return the child processes that run now."""
        return self._services.governor.list()

    def offer_terminals(self, terminals: TerminalPort) -> None:
        """Take over that the client can run commands in its terminals."""
        self._services.terminals = terminals

    @property
    def watch_outside(self) -> WatchOutside:
        """What watches commands that the client starts for us."""
        return self._services.governor.watch_outside

    def stop_child(self, pid: int) -> bool:
        """End a child process and what it started."""
        return self._services.governor.stop(pid)

    async def close(self) -> None:
        """End child processes and connections."""
        await self._tasks.close()
        await self._services.settings_watch.close()
        await self._services.kept_works.close()
        await self._services.index.close()
        await self._services.shell_profile.close()
        # Servers are asked to end; whatever does not goes with the governor.
        await self._services.servers.close()
        await self._services.governor.close()
        await self._services.providers.close()

    async def _load_all(self) -> None:
        await asyncio.to_thread(codec.warm_up)
        await self._load_model()
        await asyncio.to_thread(parse_shell, "true")
        for root in self._services.roots:
            await self._begin_index(root)

    async def _load_model(self) -> None:
        await self._services.providers.warm_up(await self._settings_without_project())

    async def _begin_index(self, root: Path) -> None:
        """Index a workspace folder, so that much is known when the first question comes."""
        loaded = await asyncio.to_thread(load_settings, self._sources_of(root))
        real = await asyncio.to_thread(root.resolve)
        follow_settings(self._services.index, real, f"folder {root}", loaded.settings.index)

    async def _starting_mode(self) -> PermissionMode:
        folder = next(iter(self._services.roots), self._services.state_folder)
        sources = settings_sources(self._services, NewSession(cwd=folder))
        loaded = await asyncio.to_thread(load_settings, sources)
        return starting_mode(loaded.settings, self._services)

    async def _settings_without_project(self) -> ModelSettings:
        sources = settings_sources(self._services, NewSession(cwd=self._services.state_folder))
        loaded = await asyncio.to_thread(load_settings, sources)
        return loaded.settings.model


async def _then_collect(loading: Awaitable[None]) -> None:
    """Load something and turn collections of garbage on, which wait for it (``__main__``)."""
    try:
        await loading
    finally:
        # What is loaded stays for good: collections need not look at it again.
        gc.freeze()
        gc.enable()


def build_engine(options: EngineOptions) -> tuple[SessionManager, Equipper]:
    """Build the engine; must run inside the event loop that it will live in."""
    environment = options.environment
    public = {name: text for name, text in environment.items() if not is_secret(name, text)}
    clock = options.clock or SystemClock()
    editor = options.editor or NoEditor()
    folder = state_folder(environment)
    governor = Governor(clock, ledger=ProcessLedger(process_records(folder)))
    _make_private(folder)
    search = Ripgrep(governor, environment=public, editors=options.ripgrep)
    index = IndexHub(
        IndexParts(
            state_folder=folder,
            processes=governor,
            list_files=IgnoringLister(search),
            environment=public,
        )
    )
    git = Git(governor, public)
    services = Services(
        state_folder=folder,
        user_home=user_home(environment),
        environment=public,
        platform=sys.platform,
        clock=clock,
        governor=governor,
        search=search,
        worktrees=Worktrees(git),
        git=git,
        editor=editor,
        index=index,
        code=_code_sources(editor, index),
        providers=ProviderHub(access_from(environment), clock, _demo_voice(options.locale)),
        unfinished=UnfinishedWrites(folder / "unfinished"),
        servers=ServerPool(governor, public),
        shell_profile=ShellProfile(governor, public, folder / "shell-profiles"),
        skill_usage=SkillUsage(folder, clock),
        powershell=find_powershell(public, sys.platform),
        roots=options.roots,
        editor_settings=options.editor_settings,
        usual_settings=options.usual_settings,
        settings_file=options.settings_file,
        recordings=options.record,
        redactor=redactor_of(environment),
        trusted_by_editor=options.trusted_by_editor,
        managed_settings=managed_settings_file(sys.platform),
        bypass_refusal=bypass_refusal(environment),
    )
    equipper = Equipper(services)
    store = TranscriptStore(folder)
    manager = SessionManager(store, equipper, clock)
    rules = RulesDesk(services, store, manager.open_sessions)
    names = FileNames(search)
    manager.equip(rules, MentionDesk(names, equipper.code_for_editor(), rules))
    return manager, equipper


def _code_sources(editor: EditorPort, index: IndexHub) -> CodeSources:
    """Return who answers questions about code, the best first."""
    own = [IndexSource(index, editor), SyntaxSource(editor)]
    return CodeSources(own if editor.code is None else [editor.code, *own])


def _demo_voice(locale: str | None) -> Voice:
    """Return the language of the demo; the catalogue is loaded when it speaks."""

    @cache
    def voice() -> Voice:
        from pilotfish.edges.demo_voice import demo_voice  # noqa: PLC0415 - few starts need it

        return demo_voice(locale)

    def choose(prompt: str) -> Say:
        return voice()(prompt)

    return choose


def _end_orphans(state_folder: Path) -> None:
    ended = sweep_orphans(process_records(state_folder))
    if ended:
        logger.warning("%d processes of a server that was killed were ended", ended)


def _make_private(folder: Path) -> None:
    """Make the state folder: transcripts and outputs are nobody else's business."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        # The first prompt will say so to the user; there may be no client yet to tell.
        logger.warning("%s cannot be made: %s", folder, os_reason(error))
