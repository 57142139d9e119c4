"""Calls of past sessions, read from their transcripts.

Owns: which calls there were, under which mode and grants each was decided, and what came of it; read
line by line, so that a transcript of any size costs little memory.
Does not own: the transcripts (``session.transcript``), judging (``permissions``). Blocks on the disk.
"""

from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path

from pilotfish.config.rule_syntax import parse_rule, split_rules
from pilotfish.core.dialogs import Resolution
from pilotfish.core.events import (
    DecisionMade,
    EventRecord,
    ModeChanged,
    QuestionAsked,
    QuestionResolved,
    RuleGranted,
    RuleRevoked,
    SessionCreated,
    ToolStarted,
)
from pilotfish.core.ids import RequestId, ToolUseId
from pilotfish.core.permission import PermissionMode, PermissionQuestion, PermissionRule
from pilotfish.permissions.past import PastCall, PastOutcome
from pilotfish.session import codec
from pilotfish.util.records import dataclass

MAX_LINE_BYTES = 4 * 1024 * 1024
"""Longest line that is looked at; a call with a larger input is left out."""

MAX_OPEN_CALLS = 1_000
"""Calls of one session that may wait for their decision; older ones are forgotten."""

_WANTED = tuple(
    f'"type":"{kind}"'.encode()
    for kind in (
        "session_created",
        "mode_changed",
        "rule_granted",
        "rule_revoked",
        "tool_started",
        "question_asked",
        "question_resolved",
        "decision_made",
    )
)
"""Marks of the lines that matter: reading all of a long transcript as events takes much longer."""

_ANSWERS: dict[Resolution, PastOutcome] = {
    "allow_once": "approved",
    "allow_always": "approved",
    "reject": "rejected",
    "feedback": "rejected",
    "withdrawn": "withdrawn",
}


@dataclass
class _Open:
    """A call that has begun and is not decided on yet."""

    event: ToolStarted
    mode: PermissionMode
    pre_plan_mode: PermissionMode
    granted: tuple[PermissionRule, ...]
    answer: Resolution | None = None


@dataclass
class _Past:
    """What is known of one session so far."""

    created: SessionCreated | None = None
    mode: PermissionMode = "default"
    pre_plan_mode: PermissionMode = "default"
    asked_for: tuple[PermissionRule, ...] = ()
    granted: list[PermissionRule] = field(default_factory=list[PermissionRule])
    calls: dict[ToolUseId, _Open] = field(default_factory=dict[ToolUseId, _Open])
    questions: dict[RequestId, ToolUseId] = field(default_factory=dict[RequestId, ToolUseId])

    def take(self, record: EventRecord) -> PastCall | None:
        """Take an event into account; returns the call that it completes, if it does."""
        match record.event:
            case SessionCreated() as event:
                self.created, self.mode = event, event.mode
                self.asked_for = _rules_asked_for(event)
            case ModeChanged(mode=mode):
                if mode == "plan" and self.mode != "plan":
                    self.pre_plan_mode = self.mode
                self.mode = mode
            case RuleGranted(rule=rule):
                self.granted.append(rule)
            case RuleRevoked(rule=rule):
                self.granted = [one for one in self.granted if one != rule]
            case ToolStarted() as event:
                self._begin(event)
            case QuestionAsked(question=PermissionQuestion() as question):
                self.questions[question.request_id] = question.tool_use_id
                self._answered(question.tool_use_id, "withdrawn")
            case QuestionResolved(request_id=request_id, answer=answer):
                self._answered(self.questions.pop(request_id, None), answer)
            case DecisionMade() as event:
                return self._decided(event)
            case _:
                pass
        return None

    def _begin(self, event: ToolStarted) -> None:
        if len(self.calls) >= MAX_OPEN_CALLS:
            del self.calls[next(iter(self.calls))]
        granted = (*self.asked_for, *self.granted)
        self.calls[event.tool_use_id] = _Open(event, self.mode, self.pre_plan_mode, granted)

    def _answered(self, tool_use_id: ToolUseId | None, answer: Resolution) -> None:
        call = None if tool_use_id is None else self.calls.get(tool_use_id)
        if call is not None:
            call.answer = answer

    def _decided(self, decision: DecisionMade) -> PastCall | None:
        call = self.calls.pop(decision.tool_use_id, None)
        if call is None or self.created is None:
            return None
        return PastCall(
            session_id=self.created.session_id,
            tool=call.event.tool,
            title=call.event.title,
            input=call.event.input,
            cwd=Path(self.created.cwd),
            mode=call.mode,
            pre_plan_mode=call.pre_plan_mode,
            granted=call.granted,
            outcome=_outcome(decision, call.answer),
        )


def read_past_calls(transcripts: Iterable[Path], since_ms: int = 0) -> Iterator[PastCall]:
    """Read the decided calls of transcripts, one transcript after the other.

    Args:
        transcripts: The files; one that cannot be read is passed over.
        since_ms: Calls that were decided before are left out.
    """
    for path in transcripts:
        past = _Past()
        for line in _lines(path):
            record = codec.from_line(line) if any(mark in line for mark in _WANTED) else None
            call = None if record is None else past.take(record)
            if call is not None and record is not None and record.time_ms >= since_ms:
                yield call


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while line := file.readline(MAX_LINE_BYTES):
                whole = line.endswith(b"\n")
                if whole:
                    yield line
                while not whole and (rest := file.readline(MAX_LINE_BYTES)):
                    whole = rest.endswith(b"\n")
    except OSError:
        return


def _outcome(decision: DecisionMade, answer: Resolution | None) -> PastOutcome:
    if answer in _ANSWERS:
        return _ANSWERS[answer]
    if decision.behavior == "allow":
        return "allowed"
    return "unanswerable" if decision.phase == "no_prompt" else "refused"


def _rules_asked_for(created: SessionCreated) -> tuple[PermissionRule, ...]:
    """Return the rules that the client asked for when it created the session."""
    allowed = [
        parse_rule(rule, "allow", "cliArg") for text in created.allowed_tools
        for rule in split_rules(text)
    ]  # fmt: skip
    denied = [
        parse_rule(rule, "deny", "cliArg") for text in created.disallowed_tools
        for rule in split_rules(text)
    ]  # fmt: skip
    return tuple(one.rule for one in (*allowed, *denied) if one.rule is not None)
