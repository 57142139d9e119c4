"""A tool context over a real folder, a real governor and an editor in memory."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pilotfish.codeintel.sources import CodeSources
from pilotfish.core.calls import ToolOutcome, ToolProgress
from pilotfish.core.events import KeptEvent
from pilotfish.core.ids import MAIN_AGENT, SessionId, ToolUseId, TurnId
from pilotfish.core.messages import TextBlock
from pilotfish.core.todos import TodoItem
from pilotfish.ports.code import CodeSource
from pilotfish.ports.editing import EditObserver, EditRecord
from pilotfish.session.background import BackgroundTasks
from pilotfish.session.inbox import Inbox
from pilotfish.session.kept_works import KeptWorks
from pilotfish.session.log import EventLog
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.tasklist.desk import TaskDesk
from pilotfish.tasklist.model import Entries
from pilotfish.tasklist.store import TaskStore
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolInputError, ToolResult
from pilotfish.util.clock import SystemClock
from pilotfish.workspace.edit_pipeline import EditPipeline
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.history import FileHistory, WriteOrigin
from pilotfish.workspace.process import Governor
from pilotfish.workspace.proposal import Agreed
from pilotfish.workspace.search import Ripgrep

from tests.support.fake_editor import FakeEditor
from tests.support.no_worktrees import NoWorktrees
from tests.support.quiet_plan import QuietPlan

WRITE_ORIGIN = WriteOrigin(
    session_id=SessionId("s"),
    turn_id=TurnId("turn"),
    agent_id=MAIN_AGENT,
    tool_use_id=ToolUseId("toolu"),
)
"""Who writes, where that does not matter."""


ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}


class EditLog:
    """Remembers the writes it hears of."""

    def __init__(self) -> None:
        self.records: list[EditRecord] = []

    def edited(self, record: EditRecord) -> None:
        self.records.append(record)


@dataclass
class ToolBench:
    """A context, and what a test looks at beside the results."""

    context: ToolContext
    root: Path
    editor: FakeEditor
    history: FileHistory
    governor: Governor
    edits: EditLog
    background: BackgroundTasks
    events: EventLog
    progress: list[ToolProgress] = field(default_factory=list[ToolProgress])
    todo_lists: list[tuple[TodoItem, ...]] = field(default_factory=list[tuple[TodoItem, ...]])
    task_lists: list[Entries] = field(default_factory=list[Entries])
    calls: int = 0

    def call_context(self) -> CallContext:
        self.calls += 1
        return CallContext(
            tools=self.context,
            turn_id=TurnId("turn"),
            tool_use_id=ToolUseId(f"toolu_{self.calls}"),
            on_progress=self.progress.append,
        )

    async def call(self, tool: Tool[Any], /, **arguments: object) -> ToolResult:
        """Do what the executor does: validate, gather facts, preview, run."""
        args = tool.args_type.model_validate(arguments)
        try:
            survey = await tool.survey(args, self.context)
        except ToolInputError as error:
            return ToolResult(content=(TextBlock(text=str(error)),), is_error=True)
        agreed = tuple(Agreed(preview=one, places=survey.effects.writes) for one in survey.batch)
        context = replace(self.call_context(), plan=survey.plan, agreed_batch=agreed)
        return await tool.run(args, context)


@asynccontextmanager
async def tool_bench(
    tmp_path: Path,
    *,
    observers: Sequence[EditObserver] = (),
    other_roots: Sequence[Path] = (),
    code: Sequence[CodeSource] = (),
) -> AsyncGenerator[ToolBench]:
    """Build a bench whose project is ``tmp_path/project``, and tear it down."""
    root = (tmp_path / "project").resolve()
    root.mkdir(parents=True, exist_ok=True)
    clock = SystemClock()
    governor = Governor(clock, kill_after_s=0.5)
    editor = FakeEditor()
    log = EditLog()
    history = FileHistory(tmp_path / "home" / "file-history" / "s", clock)
    pipeline = EditPipeline(editor=editor, history=history, observers=(log, *observers))
    todo_lists: list[tuple[TodoItem, ...]] = []
    task_lists: list[Entries] = []
    events = EventLog(TranscriptWriter(tmp_path / "home" / "s.jsonl"), clock)
    kept = KeptWorks()
    background = BackgroundTasks(events, clock, lambda: None, kept)
    questions: list[KeptEvent] = []
    context = ToolContext(
        session_id=SessionId("s"),
        agent_id=MAIN_AGENT,
        roots=(root, *other_roots),
        cwd=root,
        results_dir=tmp_path / "home" / "tool-results",
        files=FileStates(),
        edits=pipeline,
        editor=editor,
        processes=governor,
        search=Ripgrep(governor, environment=ENVIRONMENT),
        clock=clock,
        on_todos=todo_lists.append,
        dialogs=Inbox(questions.append, can_ask=lambda: False, can_ask_forms=lambda: False),
        background=background,
        code=CodeSources(code),
        tasks=TaskDesk(TaskStore(tmp_path / "home" / "tasks" / "s"), task_lists.append),
        worktrees=NoWorktrees(),
        plan=QuietPlan(file=tmp_path / "home" / "plan.md"),
    )
    bench = ToolBench(
        context=context,
        root=root,
        editor=editor,
        history=history,
        governor=governor,
        edits=log,
        background=background,
        events=events,
        todo_lists=todo_lists,
        task_lists=task_lists,
    )
    try:
        yield bench
    finally:
        await background.close()
        await kept.close()
        await pipeline.close()
        await governor.close()
        await events.close()


def text_of(result: ToolResult | ToolOutcome) -> str:
    """Return the text of a result."""
    return "\n".join(block.text for block in result.content if isinstance(block, TextBlock))
