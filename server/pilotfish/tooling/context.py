"""What a tool may use.

Owns: the records handed to tools. There is no mode, no rule and no way to ask in them: the
permission layer has decided before a tool runs.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from pathlib import Path

from pilotfish.codeintel.sources import CodeSources
from pilotfish.core.calls import ToolProgress
from pilotfish.core.ids import MAIN_AGENT, AgentId, SessionId, ToolUseId, TurnId
from pilotfish.core.todos import TodoItem
from pilotfish.ports.agents import AgentSpawner, NoAgents
from pilotfish.ports.background import BackgroundPort
from pilotfish.ports.clock import ClockPort
from pilotfish.ports.diagnostics import NobodyLooks, ProblemLookup
from pilotfish.ports.editor import EditorPort
from pilotfish.ports.interaction import DialogPort
from pilotfish.ports.planning import PlanPort
from pilotfish.ports.processes import NO_LIMITS, ProcessPort, ResourceLimits
from pilotfish.ports.skills import NoSkills, SkillDesk
from pilotfish.ports.terminals import TerminalPort
from pilotfish.ports.worktrees import WorktreePort
from pilotfish.tasklist.desk import TaskDesk
from pilotfish.tooling.deferred import DeferredTool
from pilotfish.util.records import dataclass
from pilotfish.workspace.edit_pipeline import EditPipeline
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.proposal import Agreed
from pilotfish.workspace.search import Ripgrep

HiddenFiles = Callable[[Iterable[Path]], frozenset[Path]]
"""Returns those of some absolute paths that no search may show. Blocking."""


def nothing_hidden(_: Iterable[Path]) -> frozenset[Path]:
    """Stand in where every file may be shown."""
    return frozenset()


@dataclass(kw_only=True)
class ToolContext:
    """One agent's working state and the services its tools use."""

    session_id: SessionId
    agent_id: AgentId
    roots: tuple[Path, ...]
    """Workspace folders, real paths; the first is the project root."""
    cwd: Path
    """Where relative paths and commands start. The shell tool moves it, and so do worktrees."""
    results_dir: Path
    """Where long outputs are kept for this session."""
    files: FileStates
    edits: EditPipeline
    editor: EditorPort
    processes: ProcessPort
    search: Ripgrep
    clock: ClockPort
    on_todos: Callable[[tuple[TodoItem, ...]], None]
    dialogs: DialogPort
    plan: PlanPort
    background: BackgroundPort
    code: CodeSources
    """Who can be asked where things are defined and used."""
    tasks: TaskDesk
    """The task list that all agents of the session share."""
    worktrees: WorktreePort
    """Where the session works, and how that is changed."""
    agent_name: str = MAIN_AGENT
    """How the agent is called where people and other agents see it: as the owner of a task."""
    agents: AgentSpawner = field(default_factory=NoAgents)
    """Who work can be handed to."""
    skills: SkillDesk = field(default_factory=NoSkills)
    """The ways of working that it can look up."""
    problems: ProblemLookup = field(default_factory=NobodyLooks)
    """Who can be asked what is wrong in the files as they are."""
    hidden_files: HiddenFiles = nothing_hidden
    dedup_reads: bool = True
    """Whether a read that would only repeat an earlier result points to it instead."""
    terminals: TerminalPort | None = None
    """Where commands run in sight of the user; None: as children of this process."""
    command_limits: ResourceLimits = NO_LIMITS
    """What a command may take."""
    todos: tuple[TodoItem, ...] = field(default=())


@dataclass(frozen=True, kw_only=True)
class CallContext:
    """A context together with the call that is running."""

    tools: ToolContext
    turn_id: TurnId
    tool_use_id: ToolUseId
    on_progress: Callable[[ToolProgress], None]
    agreed: Agreed | None = None
    """For edits: what was shown and judged; None where no edit was proposed."""
    deferred: Sequence[DeferredTool] = ()
    """The tools that the model has to look for."""
    listed_tools: frozenset[str] = frozenset()
    """Names of the tools that it sees."""
    agreed_batch: tuple[Agreed, ...] = ()
    """For a change of several files: the same, file by file."""
    plan: object = None
    """What the tool's ``survey`` has left for its run."""
