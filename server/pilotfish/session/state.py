"""A session's state, folded from its events.

Owns: everything about a session that is neither the model's conversation nor live: mode, model,
title, todo list, sums, what is unfinished. The same fold serves the live session and a load.
"""

from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from pilotfish.core.events import (
    DecisionMade,
    EventRecord,
    ModeChanged,
    ModelChanged,
    QuestionAsked,
    QuestionResolved,
    ReplyFinished,
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
from pilotfish.core.permission import PermissionMode, PermissionQuestion

MAX_AUDIT_LINES = 200
"""Decisions that are kept at hand for the permissions view; the transcript has them all."""

_NO_SESSION = SessionId("")


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
    mode: PermissionMode = "default"
    pre_plan_mode: PermissionMode | None = None
    """The mode before plan mode; None outside of it."""
    model: str = ""
    todos: tuple[TodoItem, ...] = ()
    decisions: deque[AuditLine] = field(default_factory=lambda: deque(maxlen=MAX_AUDIT_LINES))
    """The latest decisions, oldest first."""
    usage: Usage = NO_USAGE
    """Sum over all model calls."""
    last_usage: Usage = NO_USAGE
    """Of the last model call: how full the window is."""
    cost_usd: float | None = None
    open_turn: TurnId | None = None
    """The turn that has begun and not ended."""
    open_questions: dict[RequestId, PermissionQuestion] = field(
        default_factory=dict[RequestId, PermissionQuestion]
    )
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
            case ModelChanged(model=model):
                self.model = model
            case TodosChanged(todos=todos):
                self.todos = todos
            case DecisionMade() as event:
                self._note(event, record)
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

    def _note(self, event: DecisionMade, record: EventRecord) -> None:
        call = self.running_calls.get(event.tool_use_id)
        title = event.tool if call is None else call.title
        self.decisions.append(AuditLine(time_ms=record.time_ms, title=title, decision=event))

    def _change_mode(self, event: ModeChanged) -> None:
        entering_plan = event.mode == "plan" and self.mode != "plan"
        if entering_plan:
            self.pre_plan_mode = self.mode
        elif event.mode != "plan":
            self.pre_plan_mode = None
        self.mode = event.mode

    def _count(self, event: ReplyFinished) -> None:
        self.usage = self.usage + event.usage
        self.last_usage = event.usage
        if event.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + event.cost_usd
