"""A session's state, folded from its events.

Owns: everything about a session that is neither the model's conversation nor live: mode, model,
title, todo list, sums, what is unfinished. The same fold serves the live session and a load.
"""

from dataclasses import dataclass, field
from pathlib import Path

from pilotfish.core.dialogs import Question
from pilotfish.core.events import (
    EventRecord,
    ModeChanged,
    ModelChanged,
    NoteAdded,
    PlanApproved,
    PromptSubmitted,
    QuestionAsked,
    QuestionResolved,
    ReplyFinished,
    RuleGranted,
    SessionCreated,
    TitleChanged,
    TodoItem,
    TodosChanged,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import RequestId, SessionId, ToolUseId, TurnId
from pilotfish.core.messages import NO_USAGE, Usage
from pilotfish.core.permission import PermissionMode, PermissionRule

_NO_SESSION = SessionId("")


@dataclass
class SessionData:
    """The fold. Changed by ``apply`` alone."""

    session_id: SessionId = _NO_SESSION
    cwd: Path = field(default_factory=Path)
    seq: int = 0
    updated_ms: int = 0
    title: str = ""
    mode: PermissionMode = "default"
    pre_plan_mode: PermissionMode | None = None
    """The mode before plan mode; None outside of it."""
    prompts_since_plan_note: int | None = None
    """Prompts since the model was last told of plan mode; None when it has not been told."""
    approved_plan: PlanApproved | None = None
    """The plan that is being carried out; None from the next entry into plan mode on."""
    approved_plan_seq: int = 0
    model: str = ""
    todos: tuple[TodoItem, ...] = ()
    granted_rules: list[PermissionRule] = field(default_factory=list[PermissionRule])
    usage: Usage = NO_USAGE
    """Sum over all model calls."""
    last_usage: Usage = NO_USAGE
    """Of the last model call: how full the window is."""
    cost_usd: float | None = None
    open_turn: TurnId | None = None
    """The turn that has begun and not ended."""
    open_questions: dict[RequestId, Question] = field(default_factory=dict[RequestId, Question])
    running_calls: dict[ToolUseId, ToolStarted] = field(
        default_factory=dict[ToolUseId, ToolStarted]
    )
    last_reason: str = ""
    """Terminal reason of the last turn; empty before the first."""

    def apply(self, record: EventRecord) -> None:  # noqa: C901, PLR0912 - one flat table
        """Take one kept event into account."""
        self.seq = record.seq
        self.updated_ms = record.time_ms
        match record.event:
            case SessionCreated() as event:
                self.session_id = event.session_id
                self.cwd = Path(event.cwd)
                self.mode = event.mode
                self.model = event.model
            case TitleChanged(title=title):
                self.title = title
            case ModeChanged() as event:
                self._change_mode(event)
            case PlanApproved() as event:
                self.approved_plan = event
                self.approved_plan_seq = record.seq
            case NoteAdded(origin="plan"):
                self.prompts_since_plan_note = 0
            case PromptSubmitted():
                if self.prompts_since_plan_note is not None:
                    self.prompts_since_plan_note += 1
            case ModelChanged(model=model):
                self.model = model
            case TodosChanged(todos=todos):
                self.todos = todos
            case RuleGranted(rule=rule):
                self.granted_rules.append(rule)
            case ReplyFinished() as event:
                self._count(event)
            case TurnStarted(turn_id=turn_id):
                self.open_turn = turn_id
            case TurnEnded(reason=reason):
                self.open_turn = None
                self.last_reason = reason
            case QuestionAsked(question=question):
                self.open_questions[question.request_id] = question
            case QuestionResolved(request_id=request_id):
                self.open_questions.pop(request_id, None)
            case ToolStarted() as event:
                self.running_calls[event.tool_use_id] = event
            case ToolFinished(tool_use_id=call):
                self.running_calls.pop(call, None)
            case _:
                pass

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

    def _count(self, event: ReplyFinished) -> None:
        self.usage = self.usage + event.usage
        self.last_usage = event.usage
        if event.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + event.cost_usd
