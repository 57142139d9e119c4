"""What a session's turns are made of.

Owns: putting together settings, model, tools, gates and prompt for one session; implements
``session.workbench.Workbench``.
Does not own: the parts. This is where they meet, and nothing is decided here that a part decides.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from pilotfish.config.schema import LoadedSettings, Settings, SettingsProblem
from pilotfish.config.watch import FilePrint
from pilotfish.core.calls import CallScope, ToolProgress
from pilotfish.core.events import PromptSubmitted, TodosChanged
from pilotfish.core.ids import MAIN_AGENT
from pilotfish.core.permission import PermissionMode
from pilotfish.core.todos import TodoItem
from pilotfish.engine.state import TurnIdentity, TurnSettings
from pilotfish.engine.turn import Turn
from pilotfish.llm.choose import ProviderChoice
from pilotfish.ports.attachments import AttachmentSource
from pilotfish.session.agent_bench import AgentKit
from pilotfish.session.agent_definitions import AgentKinds
from pilotfish.session.agent_plan import AgentPlanner, Starter
from pilotfish.session.background import BackgroundTasks
from pilotfish.session.budget_notice import tell_of_missing_prices
from pilotfish.session.builtin_commands import BuiltinCommands
from pilotfish.session.code_index import follow_settings
from pilotfish.session.code_servers import CodeServers
from pilotfish.session.command_desk import Commands
from pilotfish.session.commit_message import CommitMessages
from pilotfish.session.definitions import Definitions
from pilotfish.session.edit_review import EditReview
from pilotfish.session.factory import NewSession
from pilotfish.session.internal_fork import ForkBase, InternalForks
from pilotfish.session.known_files import recall_files
from pilotfish.session.mode_choice import leave_forbidden_mode, starting_mode
from pilotfish.session.model_bench import ModelBench, TurnParts, call_scope, tell_news, turn_ports
from pilotfish.session.observers import FileChangeNotes
from pilotfish.session.permission_bench import PermissionBench
from pilotfish.session.permission_source import PermissionSource, results_folder
from pilotfish.session.plan_files import plan_folder
from pilotfish.session.plan_mode import PlanMode
from pilotfish.session.prompt_intake import PromptIntake
from pilotfish.session.prompt_mentions import MentionReader
from pilotfish.session.recorded_decisions import witness_of
from pilotfish.session.recording import end_recording, recorded, recording_of
from pilotfish.session.services import Services
from pilotfish.session.session import Session
from pilotfish.session.session_prompt import SessionPrompt
from pilotfish.session.session_settings import (
    roots_of,
    status_line_of,
    take_tool_settings,
)
from pilotfish.session.session_tools import session_tools
from pilotfish.session.session_worktree import SessionPlace
from pilotfish.session.settings_in_use import SettingsInUse
from pilotfish.session.side_calls import SideCalls
from pilotfish.session.skill_bench import SkillBench
from pilotfish.session.subagents import Subagents
from pilotfish.session.task_list import task_desk
from pilotfish.session.titles import Titles
from pilotfish.session.tool_chain import ToolChain
from pilotfish.session.tool_offer import ToolOffer, allowed_tools
from pilotfish.session.turn_model import TurnModel
from pilotfish.tooling.context import ToolContext
from pilotfish.tools.shell_profile import NO_PROFILE, Profile
from pilotfish.workspace.edit_pipeline import EditPipeline
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.history import FileHistory


class Equipment(ModelBench, PermissionBench):
    """The workbench of one session."""

    def __init__(
        self,
        session: Session,
        options: NewSession,
        services: Services,
        loaded: LoadedSettings,
        definitions: Definitions,
    ) -> None:
        self._session, self._options, self._services = session, options, services
        self._settings = SettingsInUse(services, options, loaded, self._take)
        self._definitions = definitions
        self._roots = roots_of(options, services)
        self._plan = self._build_plan()
        self._permissions = PermissionSource(session, services, self._roots, self._plan)
        self._permissions.take(loaded)
        self._skills = self._build_skills()
        self._model = self._build_model()
        self._kinds = AgentKinds(definitions.agents, self._permissions.denied_agents)
        self._registry = session_tools(
            services,
            loaded.settings,
            self._shell_profile,
            self._kinds.startable(),
            definitions.skills,
            one_shot=options.one_shot,
        )
        self._files = FileStates()
        self._servers = CodeServers(services.servers, services.editor, self._roots, self._files)
        self._servers.take(loaded)
        self._edit_report = self._servers.edit_report(options.cwd)
        kept = services.state_folder / "file-history" / session.id
        self._history = FileHistory(kept, services.clock)
        self._background = self._build_background()
        self.side_calls = SideCalls(session.log.emit, self._model.small, self._model.cost_of)
        self._recording = recording_of(services, session)
        self._titles = Titles(session.log, self.side_calls, self._wants_title)
        self.hidden_files = self._permissions.hidden_files
        self.holds_grants = self._permissions.holds_grants
        self._mentions = MentionReader(lambda: self._context, self.explain, services)
        self.intake = self._build_intake()
        self.status_line = status_line_of(
            session, services, self, lambda: self._context, self._permissions.folders
        )
        self._place = SessionPlace(
            session,
            services.worktrees,
            self._roots[0],
            self._work_in,
            lambda: self._settings.trusted,
        )
        self._context = self._build_context()
        self._review = self._build_review()
        self._take_tools(loaded.settings)
        self._follow_index()
        self._offer = ToolOffer(allowed_tools(self._registry, self._permissions))
        self._chain = ToolChain(self._context, session, self._permissions, self._servers.preview)
        self._prompt = self._new_prompt()
        self.agents, self.forks = self._build_agents(), self._build_forks()
        self.commands = self._build_commands()

    @property
    def start_mode(self) -> PermissionMode:
        """The mode that a new session begins in."""
        # What the client asked for is the strongest layer of the settings.
        return starting_mode(self._settings.settings, self._services)

    @property
    def review(self) -> EditReview:
        """The session's changes, for people."""
        return self._review

    @property
    def background(self) -> BackgroundTasks:
        """The session's commands in the background, for people."""
        return self._background

    @property
    def start_model(self) -> str:
        """The model that a new session begins with."""
        return self._model.choose(self._options.model or "").model

    async def build_turn(
        self, identity: TurnIdentity, take_queued: Callable[[], list[PromptSubmitted]]
    ) -> Turn:
        """Build a turn from the settings as they are now."""
        await self._refresh()
        settings = self._settings.settings
        choice = self._model.choose()
        choice.require_usable()
        tell_of_missing_prices(self._session, self._model, choice)
        await self._prompt.make(settings.index)
        log = self._session.log
        self._edit_report.begin_turn()
        news = (self._session.agent_news, self._kinds, self._skills.desk)
        await tell_news(self._session, (self._plan, self._background, *news))
        changed_tools = self._offer.news()
        if changed_tools is not None:
            log.emit(changed_tools)
        parts = TurnParts(
            session=self._session,
            services=self._services,
            model=self._model,
            chain=self._chain,
            registry=self._offer.registry(),
            attachments=self._attachments(),
            late_news=(self._edit_report, self._background, self._session.agent_news),
            spent=log.data.spent_usd,
            witness=witness_of(self._recording),
        )
        ports = turn_ports(parts, choice, take_queued)
        turn_settings = self._turn_settings(choice)
        ports = recorded(self._recording, ports, turn_settings)
        return Turn(identity, turn_settings, ports, self._scope)

    def _turn_settings(self, choice: ProviderChoice) -> TurnSettings:
        return self._model.turn_settings(
            choice, self._prompt.blocks, self._offer.schemas(), self._options.max_turns
        )

    async def _fork_base(self) -> ForkBase:
        choice = self._model.choose_for_side()
        await self._prompt.make(self._settings.settings.index)
        return ForkBase(
            model=self._model.client(choice),
            settings=self._turn_settings(choice),
            scope=self._scope,
            spent=self._session.data.spent_usd,
        )

    async def commit_message(self, folder: Path) -> str:
        """Return a message for what has changed in the repository around a folder."""
        return await CommitMessages(self._mentions.changes, self.side_calls).write(folder)

    async def recall(self) -> None:
        """Take up what an earlier process knew of files."""
        data = self._session.data
        await self._place.take_up()
        if data.seq > 0:
            await asyncio.to_thread(recall_files, data.known_files, self._context.files)
            self._background.settle()
            await self.agents.settle()

    def watch_settings(self, seen: Mapping[Path, FilePrint]) -> None:
        """Follow the settings files, which had this state when they were read."""
        self._take_status_line()
        self._settings.watch(seen, self._settings_changed)
        self._definitions.follow()

    def news(self) -> tuple[str, ...]:
        """Return what became of writes that earlier processes did not finish."""
        return self._services.unfinished.news

    def problems(self) -> tuple[SettingsProblem, ...]:
        """Return what is wrong with the settings files, as last read."""
        return self._settings.loaded.problems

    async def close(self) -> None:
        """Finish edits that have begun."""
        self._settings.close()
        await self._chain.close()
        self._definitions.close()
        self._skills.use.close()
        self._services.index.let_go(self._session.id)
        self._servers.close()
        await self._titles.close()
        await self.forks.close()
        await self.status_line.close()
        await end_recording(self._recording)
        await self.agents.close()
        await self._background.close()
        await self._context.edits.close()
        self._place.close()

    def _take(self) -> None:
        loaded = self._settings.loaded
        self._servers.take(loaded)
        self._permissions.take(loaded)
        self._take_tools(loaded.settings)
        self._follow_index()
        self._take_status_line()
        mode = self._session.data.mode
        leave_forbidden_mode(self._session, self.why_mode_unavailable(mode))

    def _work_in(self, folder: Path) -> None:
        """Let all start from a folder, the prompt included, which costs the model's cache once."""
        roots = self._roots if folder == self._roots[0] else (folder,)
        for part in (self._permissions, self._servers):
            part.work_in(roots)
        self._edit_report.work_in(folder)
        self._context.roots, self._context.cwd = roots, folder
        self._services.index.let_go(self._session.id)
        self._follow_index()
        self._prompt = self._new_prompt()

    def _new_prompt(self) -> SessionPrompt:
        return SessionPrompt(self._services, self._context, self._options.system_prompt_append)

    def _follow_index(self) -> None:
        hub, root = self._services.index, self._context.roots[0]
        lazily = self._options.one_shot or root != self._roots[0]  # most worktrees go unasked
        follow_settings(hub, root, self._session.id, self._settings.settings.index, lazily=lazily)

    def _take_status_line(self) -> None:
        if not self._options.one_shot:
            settings = self._settings.settings.status_line
            self.status_line.take(settings, trusted=self._settings.trusted)

    def _take_tools(self, settings: Settings) -> None:
        shell = settings.shell
        take_tool_settings(self._context, settings)
        self._background.take(shell)
        self._context.terminals = self._services.terminals if shell.terminal else None

    async def _shell_profile(self) -> Profile:
        wanted = self._settings.settings.shell.profile
        return await self._services.shell_profile.get() if wanted else NO_PROFILE

    def _wants_title(self) -> bool:
        return self._settings.settings.sessions.generate_titles and not self._options.one_shot

    def _scope(
        self, identity: TurnIdentity, on_progress: Callable[[ToolProgress], None]
    ) -> CallScope:
        return call_scope(identity, self._context.cwd, on_progress)

    def _build_model(self) -> TurnModel:
        data = self._session.data
        model = TurnModel(
            self._services.providers,
            lambda: self._settings.settings,
            lambda: self._skills.use.model or data.model,
            lambda: self._skills.use.effort or data.effort,
        )
        facts = model.facts(self._options.model or "")
        self._definitions.skills.window_tokens = facts.context_tokens
        return model

    def _build_intake(self) -> PromptIntake:
        governor, warn = self._services.governor, self._session.warn
        return PromptIntake(governor, self._model.facts, warn, self._mentions.read)

    def _build_background(self) -> BackgroundTasks:
        services, session = self._services, self._session
        return BackgroundTasks(
            session.log,
            services.clock,
            session.wake,
            services.kept_works,
            is_brief=self._options.one_shot,
        )

    def _build_forks(self) -> InternalForks:
        log, clock = self._session.log, self._services.clock
        return InternalForks(log, log.emit, self._model.cost_of, self._fork_base, clock)

    def _build_review(self) -> EditReview:
        return EditReview(
            self._session,
            self._history,
            self._context.edits,
            self._context.files,
            self._plan,
        )

    def _build_plan(self) -> PlanMode:
        directory = self._settings.settings.plan_mode.directory
        folder = plan_folder(directory, self._options.cwd, self._services.state_folder)
        return PlanMode(
            self._session,
            folder=folder,
            editor=self._services.editor,
            forget_files=self._forget_files,
        )

    def _build_context(self) -> ToolContext:
        services, session = self._services, self._session
        cwd = self._options.cwd.resolve()
        edits = EditPipeline(
            editor=services.editor,
            history=self._history,
            observers=[self._edit_report, FileChangeNotes(session.log.emit)],
            locks=services.locks,
            before_write=self._edit_report.before_edit,
            unfinished=services.unfinished,
        )
        return ToolContext(
            session_id=session.id,
            agent_id=MAIN_AGENT,
            roots=self._roots,
            cwd=cwd,
            results_dir=results_folder(services.state_folder, session.id),
            files=self._files,
            edits=edits,
            editor=services.editor,
            processes=services.governor,
            search=services.search,
            clock=services.clock,
            on_todos=self._take_todos,
            dialogs=session.inbox,
            plan=self._plan,
            background=self._background,
            code=self._servers.sources(services.code),
            tasks=task_desk(session, services),
            problems=self._servers,
            worktrees=self._place,
            skills=self._skills.desk,
            todos=session.data.todos,
            hidden_files=self.hidden_files,
        )

    def _build_agents(self) -> Subagents:
        kit = AgentKit(
            session=self._session,
            workbench=self,
            services=self._services,
            settings=lambda: self._settings.settings,
            registry=self._registry,
            context=self._context,
            permissions=self._permissions,
            skills=self._definitions.skills,
            waiting=self._chain.waiting,
            history=self._history,
            servers=self._servers,
            environment=self._prompt.environment,
        )
        agents = Subagents(kit, AgentPlanner(kit, self._kinds.active))
        self._context.agents = agents.spawner(
            Starter(
                agent_id=MAIN_AGENT,
                depth=0,
                model=lambda: self._session.data.model,
                effort=lambda: self._session.data.effort,
                cwd=lambda: self._context.cwd,
            )
        )
        return agents

    def _build_commands(self) -> Commands:
        session, skills = self._session, self._definitions.skills
        builtins = BuiltinCommands(session, skills, self._forget_files, self._kinds.active)
        return Commands(session.log, builtins.table(), skills, self._skills)

    def _build_skills(self) -> SkillBench:
        return SkillBench(
            self._session,
            self._definitions.skills,
            self._permissions,
            lambda: (self._chain, self._offer.registry()),
            self._scope,
            lambda: self._context.agents,
        )

    def _attachments(self) -> list[AttachmentSource]:
        return [
            self._edit_report,
            self._chain.reminders,
            self._plan,
            self._background,
            self._session.agent_news,
        ]

    def _forget_files(self) -> None:
        self._context.files.clear()
        self._take_todos(())

    def _take_todos(self, todos: tuple[TodoItem, ...]) -> None:
        self._context.todos = todos
        self._session.log.emit(TodosChanged(todos=todos))
