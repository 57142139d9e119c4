"""What the turns of a sub-agent are made of.

Owns: putting together an agent's own parts (files it knows, folder, to-dos, prompt, tools) with those
that it shares with the session it works for; implements ``session.workbench.Workbench``.
Does not own: the agent's life (``session.agent_run``), its mode (``session.agent_standing``).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pilotfish.agents.model import AgentDefinition
from pilotfish.config.schema import Settings
from pilotfish.core.agents import AgentFacts
from pilotfish.core.calls import CallScope, ToolProgress
from pilotfish.core.events import NoteAdded, PromptSubmitted, TodosChanged
from pilotfish.core.passing_events import ReviewChanged
from pilotfish.core.permission import PermissionMode
from pilotfish.core.todos import TodoItem
from pilotfish.engine.state import TurnIdentity, TurnSettings
from pilotfish.engine.turn import Turn
from pilotfish.llm.choose import ProviderChoice
from pilotfish.permissions.waiting import WaitingCalls
from pilotfish.ports.agents import AgentSpawner
from pilotfish.ports.attachments import AttachmentSource
from pilotfish.ports.editing import EditRecord
from pilotfish.prompts.system import Environment, build_agent_prompt
from pilotfish.session.background import BackgroundTasks
from pilotfish.session.budget_notice import tell_of_missing_prices
from pilotfish.session.code_servers import CodeServers
from pilotfish.session.commands import NoCommands
from pilotfish.session.delegating_bench import DelegatingBench
from pilotfish.session.internal_fork import ForkBase, InternalForks
from pilotfish.session.model_bench import ModelBench, TurnParts, call_scope, tell_news, turn_ports
from pilotfish.session.observers import FileChangeNotes
from pilotfish.session.permission_source import PermissionSource, results_folder
from pilotfish.session.prompt_intake import PromptIntake
from pilotfish.session.recorded_decisions import witness_of
from pilotfish.session.recording import end_recording, recorded, recording_of
from pilotfish.session.services import Services
from pilotfish.session.session import Session
from pilotfish.session.session_settings import take_tool_settings
from pilotfish.session.skill_bench import SkillBench
from pilotfish.session.skill_definitions import SkillDefinitions
from pilotfish.session.tool_chain import AgentManners, ToolChain
from pilotfish.session.tool_offer import ToolOffer
from pilotfish.session.turn_model import TurnModel
from pilotfish.session.workbench import Workbench
from pilotfish.tooling.context import ToolContext
from pilotfish.tooling.registry import ToolRegistry
from pilotfish.util.records import dataclass
from pilotfish.workspace.edit_pipeline import EditPipeline
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.history import FileHistory


@dataclass(frozen=True, kw_only=True)
class AgentKit:
    """What a session shares with its agents."""

    session: Session
    workbench: Workbench
    """The session's own."""
    services: Services
    settings: Callable[[], Settings]
    """Returns the settings as last read."""
    registry: ToolRegistry
    """All tools that there are in the session."""
    context: ToolContext
    """Of the main agent; what is in it of agents in common is taken from there."""
    permissions: PermissionSource
    skills: SkillDefinitions
    waiting: WaitingCalls
    history: FileHistory
    servers: CodeServers
    environment: Environment


@dataclass(frozen=True, kw_only=True)
class AgentJob:
    """One agent's task, worked out."""

    facts: AgentFacts
    definition: AgentDefinition
    memory: str = ""
    """What its system prompt says of its memory; empty when it has none."""


class AgentBench(ModelBench, DelegatingBench):
    """The workbench of one agent."""

    def __init__(
        self,
        kit: AgentKit,
        session: Session,
        job: AgentJob,
        *,
        spawner: AgentSpawner,
        offer: ToolOffer,
        prompt_timeout_s: Callable[[], float],
    ) -> None:
        """Set it up.

        Args:
            kit: What the session shares.
            session: The agent's own conversation.
            job: Its task.
            spawner: Starts its own agents.
            offer: The tools that it has.
            prompt_timeout_s: Returns how long its questions may wait; 0: as long as it takes.
        """
        super().__init__(kit.workbench)
        self._kit = kit
        self._session = session
        self._job = job
        self._offer = offer
        cwd = Path(job.facts.cwd)
        worktree = job.facts.worktree
        self._roots = kit.context.roots if worktree is None else (Path(worktree.path),)
        self._files = FileStates()
        self._servers = kit.servers.for_agent(self._roots, self._files)
        self._edit_report = self._servers.edit_report(cwd)
        self._tasks = BackgroundTasks(
            session.log, kit.services.clock, session.wake, kit.services.kept_works
        )
        self._recording = recording_of(kit.services, session)
        self._skills = self._build_skills(spawner)
        self._model = TurnModel(
            kit.services.providers,
            kit.settings,
            lambda: self._skills.use.model or session.data.model,
            self._effort,
        )
        self.commands = NoCommands()
        self.intake = PromptIntake(kit.services.governor, self._model.facts, session.warn)
        self.context = self._build_context(cwd, spawner)
        manners = AgentManners(waiting=kit.waiting, prompt_timeout_s=prompt_timeout_s)
        self._chain = ToolChain(
            self.context, session, kit.permissions, self._servers.preview, agent=manners
        )
        self._prompt = build_agent_prompt(
            job.definition.system_prompt, self._environment(), job.memory
        )
        self.forks = InternalForks(
            session.log,
            kit.session.log.emit,
            self._model.cost_of,
            self._fork_base,
            kit.services.clock,
        )

    @property
    def background(self) -> BackgroundTasks:
        """The agent's own commands in the background."""
        return self._tasks

    @property
    def start_model(self) -> str:
        """The model that it begins with."""
        return self._job.facts.model

    async def build_turn(
        self, identity: TurnIdentity, take_queued: Callable[[], list[PromptSubmitted]]
    ) -> Turn:
        """Build a turn from the settings as the session last read them."""
        choice = self._model.choose()
        choice.require_usable()
        tell_of_missing_prices(self._kit.session, self._model, choice)
        settings = self._kit.settings()
        take_tool_settings(self.context, settings)
        self._tasks.take(settings.shell)
        self._edit_report.begin_turn()
        await tell_news(self._session, self._news())
        changed_tools = self._offer.news()
        if changed_tools is not None:
            self._session.log.emit(changed_tools)
        parts = TurnParts(
            session=self._session,
            services=self._kit.services,
            model=self._model,
            chain=self._chain,
            registry=self._offer.registry(),
            attachments=self._attachments(),
            late_news=(self._edit_report, *self._news()),
            spent=self._kit.session.data.spent_usd,
            witness=witness_of(self._recording),
        )
        ports = replace(turn_ports(parts, choice, take_queued), flush=self._before_call)
        turn_settings = self._turn_settings(choice)
        ports = recorded(self._recording, ports, turn_settings)
        return Turn(identity, turn_settings, ports, self._scope)

    def _turn_settings(self, choice: ProviderChoice) -> TurnSettings:
        return self._model.turn_settings(
            choice, self._prompt, self._offer.schemas(), self._max_model_calls()
        )

    async def _fork_base(self) -> ForkBase:
        choice = self._model.choose_for_side()
        return ForkBase(
            model=self._model.client(choice),
            settings=self._turn_settings(choice),
            scope=self._scope,
            spent=self._kit.session.data.spent_usd,
        )

    def note_for_mode(self, _old: PermissionMode, _new: PermissionMode) -> NoteAdded | None:
        """Return nothing: an agent's mode follows its parent's."""
        return None

    async def close(self) -> None:
        """End its commands, and finish edits that have begun."""
        await self._chain.close()
        self._servers.close()
        await self.forks.close()
        self._skills.use.close()
        await self._tasks.close()
        await end_recording(self._recording)
        await self.context.edits.close()

    async def _before_call(self) -> None:
        """Make durable what there is, and let the server answer while many agents go on at once."""
        await self._session.log.flush()
        await self._kit.services.pace.step()

    def _effort(self) -> str:
        return self._skills.use.effort or self._session.data.effort or self._job.facts.effort

    def _max_model_calls(self) -> int | None:
        return self._job.definition.max_turns or self._kit.settings().agents.max_turns

    def _scope(
        self, identity: TurnIdentity, on_progress: Callable[[ToolProgress], None]
    ) -> CallScope:
        return call_scope(identity, self.context.cwd, on_progress)

    def _environment(self) -> Environment:
        """Return what the agent is told of where it works."""
        worktree = self._job.facts.worktree
        return replace(
            self._kit.environment,
            cwd=self.context.cwd,
            roots=self.context.roots,
            empty_submodules=() if worktree is None else worktree.empty,
        )

    def _build_skills(self, spawner: AgentSpawner) -> SkillBench:
        return SkillBench(
            self._session,
            self._kit.skills,
            self._kit.permissions,
            lambda: (self._chain, self._offer.registry()),
            self._scope,
            lambda: spawner,
        )

    def _build_context(self, cwd: Path, spawner: AgentSpawner) -> ToolContext:
        kit, session = self._kit, self._session
        edits = EditPipeline(
            editor=kit.services.editor,
            history=kit.history,
            observers=[
                self._edit_report,
                FileChangeNotes(session.log.emit),
                _ReviewNews(kit.session),
            ],
            locks=kit.services.locks,
            before_write=self._edit_report.before_edit,
            unfinished=kit.services.unfinished,
        )
        worktree = self._job.facts.worktree
        return replace(
            kit.context,
            agent_id=session.agent_id,
            agent_name=self._job.facts.name or session.agent_id,
            roots=self._roots,
            cwd=cwd,
            files=self._files,
            code=self._servers.sources(kit.services.code),
            problems=self._servers,
            edits=edits,
            on_todos=self._take_todos,
            background=self._tasks,
            agents=spawner,
            skills=self._skills.desk,
            hidden_files=kit.context.hidden_files
            if worktree is None
            else kit.permissions.hidden_files_in(Path(worktree.path)),
            results_dir=results_folder(kit.services.state_folder, session.id),
            terminals=None,
            todos=session.data.todos,
        )

    def _attachments(self) -> list[AttachmentSource]:
        return [self._edit_report, self._chain.reminders, *self._news()]

    def _news(self) -> Sequence[AttachmentSource]:
        return (self._tasks, self._session.agent_news)

    def _take_todos(self, todos: tuple[TodoItem, ...]) -> None:
        self._session.log.emit(TodosChanged(todos=todos))


class _ReviewNews:
    """Tells the session's views that there is more to review; implements ``EditObserver``."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def edited(self, record: EditRecord) -> None:
        """Take note of a write."""
        self._session.log.tell(ReviewChanged(paths=(str(record.path),)))
