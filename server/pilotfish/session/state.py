"""A session's state, folded from its events.

Owns: everything about a session that is neither the model's conversation nor live: mode, model,
title, todo list, sums, what is unfinished. The same fold serves the live session and a load.
"""

import logging
from collections import deque
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from pilotfish.core.agent_events import (
    AgentBackgrounded,
    AgentEnded,
    AgentResumed,
    AgentSpent,
    AgentStarted,
    AgentTold,
    AgentTreeSettled,
)
from pilotfish.core.agents import AgentEntry, AgentFacts, AgentOutcome
from pilotfish.core.background import BackgroundTask
from pilotfish.core.dialogs import Question
from pilotfish.core.events import (
    BackgroundEnded,
    BackgroundKept,
    BackgroundStarted,
    BackgroundTold,
    ContextCleared,
    ConversationRewound,
    DecisionMade,
    EffortChanged,
    EventRecord,
    FileChanged,
    ModeChanged,
    ModelChanged,
    NoteAdded,
    PlanApproved,
    PriceMissing,
    PromptDropped,
    PromptQueued,
    PromptSubmitted,
    QuestionAsked,
    QuestionResolved,
    ReplyDiscarded,
    ReplyFinished,
    SessionCreated,
    SessionEvent,
    SideCallFinished,
    TitleChanged,
    TodosChanged,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import AgentId, MessageId, RequestId, SessionId, TaskId, ToolUseId, TurnId
from pilotfish.core.messages import NO_USAGE, Usage, text_of
from pilotfish.core.permission import PermissionMode
from pilotfish.core.todos import TodoItem
from pilotfish.core.worktree_events import SessionWorktree, WorktreeEntered, WorktreeLeft
from pilotfish.session.known_files import KnownFiles
from pilotfish.session.usage import UsageLedger, Worked
from pilotfish.util.records import dataclass
from pilotfish.util.text_span import opening

logger = logging.getLogger(__name__)

MAX_AUDIT_LINES = 200
"""Decisions that are kept at hand for the permissions view; the transcript has them all."""

MAX_BACKGROUND_TASKS = 200
"""Ended background tasks that are kept at hand."""

MAX_ENDED_AGENTS = 200
"""Agents that have ended and are kept at hand; the transcript knows them all."""

_NO_SESSION = SessionId("")


_EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "LSP"})

MAX_TITLE_CHARS = 200
"""As much of a prompt as a list of turns shows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnMark:
    """A turn and the prompt that began it."""

    turn_id: TurnId
    message_id: MessageId
    title: str
    """The prompt's beginning, on one line."""
    time_ms: int


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditLine:
    """A decision, and the call that it was about."""

    time_ms: int
    title: str
    decision: DecisionMade


@dataclass
class SessionData:
    """The fold. Changed by ``apply`` alone."""

    session_id: SessionId = _NO_SESSION
    cwd: Path = field(default_factory=Path)
    seq: int = 0
    updated_ms: int = 0
    title: str = ""
    first_title: str = ""
    """What it was called first: the beginning of its first prompt. It never changes again."""
    mode: PermissionMode = "default"
    pre_plan_mode: PermissionMode | None = None
    """The mode before plan mode; None outside of it."""
    prompts_since_plan_note: int | None = None
    """Prompts since the model was last told of plan mode; None when it has not been told."""
    approved_plan: PlanApproved | None = None
    """The plan that is being carried out; None from the next entry into plan mode on."""
    approved_plan_seq: int = 0
    model: str = ""
    effort: str = ""
    """What was chosen; empty when nothing was."""
    unpriced_models: set[str] = field(default_factory=set[str])
    """Models of which the user was told that the budget is not kept for them."""
    todos: tuple[TodoItem, ...] = ()
    decisions: deque[AuditLine] = field(default_factory=lambda: deque(maxlen=MAX_AUDIT_LINES))
    """The latest decisions, oldest first."""
    used: UsageLedger = field(default_factory=UsageLedger)
    """Sums over all model calls, side questions included."""
    worked: Worked = field(default_factory=Worked)
    """Time and changed lines of the whole session."""
    last_usage: Usage = NO_USAGE
    """Of the last model call: how full the window is."""
    open_turn: TurnId | None = None
    """The turn that has begun and not ended."""
    open_questions: dict[RequestId, Question] = field(default_factory=dict[RequestId, Question])
    running_calls: dict[ToolUseId, ToolStarted] = field(
        default_factory=dict[ToolUseId, ToolStarted]
    )
    last_reason: str = ""
    """Terminal reason of the last turn; empty before the first."""
    turns: list["TurnMark"] = field(default_factory=list["TurnMark"])
    """The turns that the model knows, oldest first."""
    edit_decisions: dict[ToolUseId, DecisionMade] = field(
        default_factory=dict[ToolUseId, DecisionMade]
    )
    """Why each edit was allowed."""
    background: dict[TaskId, BackgroundTask] = field(default_factory=dict[TaskId, BackgroundTask])
    """Background tasks, oldest first."""
    background_count: int = 0
    """How many there have been."""
    tool_uses: int = 0
    """Calls that were carried out or decided on."""
    agents: dict[AgentId, AgentEntry] = field(default_factory=dict[AgentId, AgentEntry])
    """Sub-agents of this session and their own, oldest first."""
    worktree: SessionWorktree | None = None
    """The worktree that it works in; None in its own folder."""
    queued: set[MessageId] = field(default_factory=set[MessageId])
    """Prompts that wait for the running turn."""
    known_files: KnownFiles = field(default_factory=KnownFiles)
    """Files that the model has seen."""

    def apply(self, record: EventRecord) -> None:  # noqa: C901, PLR0912, PLR0915 - one flat table
        """Take one kept event into account."""
        self.seq, self.updated_ms = record.seq, record.time_ms
        self.known_files.apply(record)
        match record.event:
            case SessionCreated() as event:
                self.session_id, self.cwd = event.session_id, Path(event.cwd)
                self.mode, self.model = event.mode, event.model
            case TitleChanged(title=title):
                self.title, self.first_title = title, self.first_title or title
            case ModeChanged() as event:
                self._change_mode(event)
            case PlanApproved() as event:
                self.approved_plan = event
                self.approved_plan_seq = record.seq
            case NoteAdded(origin="plan"):
                self.prompts_since_plan_note = 0
            case PromptQueued() | PromptDropped() | PromptSubmitted() as event:
                self._note_prompt(event, record.time_ms)
            case ContextCleared(kept_from=kept):
                self._keep_turns(kept)
                self.last_usage = NO_USAGE
            case ConversationRewound(message_id=message):
                self._forget_turns(message)
                self.last_usage = NO_USAGE
            case PriceMissing(model=model):
                self.unpriced_models.add(model)
            case ModelChanged(model=model):
                self.model = model
            case EffortChanged(effort=effort):
                self.effort = effort
            case TodosChanged(todos=todos):
                self.todos = todos
            case DecisionMade() as event:
                self._note(event, record)
            case ReplyFinished() as event:
                self._note_reply(event)
            case ReplyDiscarded() as event if event.model:
                # A reply that had finished before was counted then.
                self.used.count(event.model, event.usage, event.cost_usd)
            case SideCallFinished() as event:
                self.used.count(event.model, event.usage, event.cost_usd)
            case TurnStarted(turn_id=turn_id, model=model):
                self.open_turn = turn_id
                self.model = self.model or model
            case TurnEnded(reason=reason, duration_ms=duration_ms):
                self.open_turn = None
                self.last_reason = reason
                self.worked = self.worked.plus_turn(duration_ms)
            case QuestionAsked(question=question):
                self.open_questions[question.request_id] = question
            case QuestionResolved(request_id=request_id):
                self.open_questions.pop(request_id, None)
            case ToolStarted() as event:
                self.tool_uses += 1
                self.running_calls[event.tool_use_id] = event
            case ToolFinished(tool_use_id=call, duration_ms=duration_ms):
                self.end_call(call, duration_ms)
            case event:
                self._follow_task(event, record.time_ms)

    def _note_reply(self, event: ReplyFinished) -> None:
        self.used.count(event.model, event.usage, event.cost_usd)
        self.worked = self.worked.plus_reply(event.duration_ms, event.answer_ms)
        self.last_usage = event.usage

    def spent_usd(self) -> float:
        """Return what the session and its agents have cost, as far as prices are known."""
        return self.used.total.cost_usd or 0.0

    def end_call(self, call: ToolUseId, duration_ms: int) -> None:
        """Take into account that a call has its result."""
        self.running_calls.pop(call, None)
        self.worked = self.worked.plus_call(duration_ms)

    def _follow_task(self, event: SessionEvent, time_ms: int) -> None:
        match event:
            case WorktreeEntered(worktree=worktree):
                self.worktree = worktree
            case WorktreeLeft():
                self.worktree = None
            case BackgroundStarted(task=task):
                self._note_task(task)
            case BackgroundKept() as event:
                self._keep_task(event)
            case BackgroundEnded() as event:
                self._end_task(event, time_ms)
            case NoteAdded(origin="task", task_id=task_id, agent_id=agent):
                self._mark_told(task_id)
                self._tell_of_agent(agent)
            case BackgroundTold(task_id=task_id):
                self._mark_told(task_id)
            case FileChanged(added_lines=added, removed_lines=removed):
                self.worked = self.worked.plus_change(added, removed)
            case _:
                self._follow_agent(event, time_ms)

    def _follow_agent(self, event: SessionEvent, time_ms: int) -> None:
        match event:
            case AgentStarted(facts=facts):
                self._note_agent(facts)
            case AgentSpent():
                self.used.count(event.model, event.usage, event.cost_usd)
                self.worked = self.worked.plus_reply(event.duration_ms, event.answer_ms)
            case AgentBackgrounded(agent_id=agent):
                self._change_agent(agent, is_background=True)
            case AgentEnded(agent_id=agent, outcome=outcome):
                self._end_agent(agent, outcome)
            case AgentTold(agent_id=agent):
                self._tell_of_agent(agent)
            case AgentTreeSettled(agent_id=agent, kept=kept):
                self._settle_tree(agent, kept=kept)
            case AgentResumed(agent_id=agent, entry=known):
                self._resume_agent(agent, known, time_ms)
            case _:
                pass

    def _note_agent(self, facts: AgentFacts) -> None:
        self.agents[facts.agent_id] = AgentEntry(facts=facts, is_background=facts.is_background)
        over = len(self.agents) - MAX_ENDED_AGENTS
        if over > 0:
            # What somebody is still to hear of is kept.
            done = [
                (each.outcome.ended_ms, each.agent_id)
                for each in self.agents.values()
                if each.outcome is not None and (each.told or not each.is_background)
            ]
            for _, agent in sorted(done, key=lambda one: one[0])[:over]:
                del self.agents[agent]
            _note_surplus("agents", len(self.agents), MAX_ENDED_AGENTS)

    def _change_agent(self, agent: AgentId, **changes: Any) -> None:
        entry = self.agents.get(agent)
        if entry is not None:
            self.agents[agent] = replace(entry, **changes)

    def _end_agent(self, agent: AgentId, outcome: AgentOutcome) -> None:
        """Take an end into account; the first one counts, whatever is said later."""
        entry = self.agents.get(agent)
        if entry is not None and entry.outcome is None:
            self.agents[agent] = replace(entry, outcome=outcome)

    def _tell_of_agent(self, agent: AgentId | None) -> None:
        entry = self.agents.get(agent) if agent else None
        if entry is not None and entry.outcome is not None:
            self.agents[entry.agent_id] = replace(entry, told=True)

    def _settle_tree(self, agent: AgentId, *, kept: bool) -> None:
        """Take into account what became of an agent's tree: its own, and that of all who worked in it."""
        owner = self.agents.get(agent)
        path = None if owner is None else owner.tree_path
        for entry in tuple(self.agents.values()):
            shares = path is not None and entry.tree_path == path
            if entry.outcome is not None and (shares or entry is owner):
                outcome = replace(entry.outcome, worktree_kept=kept)
                self.agents[entry.agent_id] = replace(entry, outcome=outcome)

    def _resume_agent(self, agent: AgentId, known: AgentEntry | None, time_ms: int) -> None:
        entry = self.agents.get(agent, known)
        if entry is None:
            return
        if agent not in self.agents:  # it is older than those that are kept
            later, self.agents = self.agents, {agent: entry}
            self.agents.update(later)
        ended_ms = time_ms if entry.outcome is None else entry.outcome.ended_ms
        self.agents[agent] = replace(
            entry,
            outcome=None,
            told=False,
            is_background=True,
            runs=entry.runs + 1,
            idle_ms=entry.idle_ms + max(0, time_ms - ended_ms),
        )

    def _note(self, event: DecisionMade, record: EventRecord) -> None:
        call = self.running_calls.get(event.tool_use_id)
        title = event.tool if call is None else call.title
        if event.tool in _EDITS:
            self.edit_decisions[event.tool_use_id] = event
        self.decisions.append(AuditLine(time_ms=record.time_ms, title=title, decision=event))

    def _note_task(self, task: BackgroundTask) -> None:
        self.background_count += 1
        self.background[task.task_id] = task
        # What the model is still to hear of is kept.
        done = (each for each in self.background.values() if each.status != "running" and each.told)
        ended = [each.task_id for each in done]
        for task_id in ended[: max(0, len(self.background) - MAX_BACKGROUND_TASKS)]:
            del self.background[task_id]
        _note_surplus("background tasks", len(self.background), MAX_BACKGROUND_TASKS)

    def _keep_task(self, event: BackgroundKept) -> None:
        task = self.background.get(event.task_id)
        if task is not None and task.status == "running":
            self.background[event.task_id] = replace(task, kept=event.kept)

    def _end_task(self, event: BackgroundEnded, time_ms: int) -> None:
        """Take an end into account; the first one counts, whatever is said later."""
        task = self.background.get(event.task_id)
        if task is not None and task.status == "running":
            self.background[event.task_id] = replace(
                task, status=event.status, outcome=event.outcome, ended_ms=time_ms
            )

    def _mark_told(self, task_id: TaskId | None) -> None:
        task = self.background.get(task_id) if task_id else None
        if task is not None and task.status != "running":
            self.background[task.task_id] = replace(task, told=True)

    def _change_mode(self, event: ModeChanged) -> None:
        entering_plan = event.mode == "plan" and self.mode != "plan"
        if entering_plan:
            self.pre_plan_mode = self.mode
            self.approved_plan = None
        elif event.mode != "plan":
            self.pre_plan_mode = None
        if event.mode != self.mode:
            self.prompts_since_plan_note = None
        self.mode = event.mode

    def _note_prompt(
        self, event: PromptQueued | PromptDropped | PromptSubmitted, time_ms: int
    ) -> None:
        if isinstance(event, PromptQueued):
            self.queued.add(event.message_id)
            return
        self.queued.discard(event.message_id)
        if isinstance(event, PromptDropped):
            return
        if self.prompts_since_plan_note is not None:
            self.prompts_since_plan_note += 1
        turn = self.open_turn
        if turn is not None and (not self.turns or self.turns[-1].turn_id != turn):
            title = opening(text_of(event.content), MAX_TITLE_CHARS)
            self.turns.append(
                TurnMark(turn_id=turn, message_id=event.message_id, title=title, time_ms=time_ms)
            )

    def _keep_turns(self, first: MessageId | None) -> None:
        """Forget the turns before a prompt; all when there is none."""
        places = (at for at, turn in enumerate(self.turns) if turn.message_id == first)
        del self.turns[: next(places, len(self.turns))]

    def _forget_turns(self, message: MessageId) -> None:
        known = [turn.message_id for turn in self.turns]
        if message in known:
            del self.turns[known.index(message) :]


def _note_surplus(what: str, count: int, most: int) -> None:
    """Have the log tell of a list that is longer than it should be, since nothing in it may be forgotten."""
    if count > most:
        logger.info(
            "%d %s are at hand, more than %d: they run, or are still news", count, what, most
        )
