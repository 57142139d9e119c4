"""Past calls come from transcripts as they are, whatever else stands in them."""

from pathlib import Path

import pytest
from pilotfish.core.events import (
    DecisionMade,
    EventRecord,
    KeptEvent,
    ModeChanged,
    NoteAdded,
    QuestionAsked,
    QuestionResolved,
    RuleGranted,
    RuleRevoked,
    SessionCreated,
    ToolStarted,
)
from pilotfish.core.ids import MAIN_AGENT, RequestId, SessionId, ToolUseId
from pilotfish.core.permission import AnswerKind, PermissionQuestion, PermissionRule, Phase
from pilotfish.permissions.past import PastCall, PastOutcome
from pilotfish.session import codec, past_calls
from pilotfish.session.past_calls import read_past_calls

SESSION = SessionId("0f0f0f0f-1")
GRANT = PermissionRule(source="session", behavior="allow", tool="Bash", content="make:*")
CREATED = SessionCreated(
    session_id=SESSION,
    cwd="/w",
    version="1",
    mode="default",
    model="m",
    allowed_tools=("Read, Bash(ls)",),
    disallowed_tools=("Bash(rm:*)",),
)


def started(call: str, command: str = "make") -> ToolStarted:
    return ToolStarted(
        tool_use_id=ToolUseId(call),
        tool="Bash",
        title=command,
        kind="execute",
        input={"command": command},
    )


def decided(call: str, *, allowed: bool = True, phase: Phase = "mode") -> DecisionMade:
    return DecisionMade(
        tool_use_id=ToolUseId(call),
        tool="Bash",
        behavior="allow" if allowed else "deny",
        phase=phase,
        reason="so",
    )


def asked(call: str) -> QuestionAsked:
    return QuestionAsked(
        question=PermissionQuestion(
            request_id=RequestId(f"r-{call}"),
            session_id=SESSION,
            agent_id=MAIN_AGENT,
            tool_use_id=ToolUseId(call),
            tool="Bash",
            title="make",
            input={},
            reason="",
            risk="normal",
            suggestions=(),
            hide_always=False,
        )
    )


def answered(call: str, answer: AnswerKind) -> QuestionResolved:
    return QuestionResolved(request_id=RequestId(f"r-{call}"), answer=answer)


def transcript(folder: Path, *events: KeptEvent, between: bytes = b"") -> Path:
    file = folder / "it.jsonl"
    lines = [
        codec.to_line(EventRecord(seq=seq, time_ms=seq * 1000, event=event, agent_id=MAIN_AGENT))
        for seq, event in enumerate(events, start=1)
    ]
    file.write_bytes(between.join(lines))
    return file


def read(file: Path, since_ms: int = 0) -> list[PastCall]:
    return list(read_past_calls([file], since_ms))


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("allow_once", "approved"),
        ("allow_always", "approved"),
        ("reject", "rejected"),
        ("feedback", "rejected"),
        ("withdrawn", "withdrawn"),
    ],
)
def test_the_outcome_is_what_the_user_answered(
    tmp_path: Path, answer: AnswerKind, outcome: PastOutcome
) -> None:
    events = (CREATED, started("a"), asked("a"), answered("a", answer), decided("a"))
    (call,) = read(transcript(tmp_path, *events))

    assert (call.outcome, call.tool, call.input) == (outcome, "Bash", {"command": "make"})
    assert call.cwd == Path("/w")


def test_without_a_question_it_is_what_the_chain_said(tmp_path: Path) -> None:
    file = transcript(
        tmp_path,
        CREATED,
        started("a"),
        started("b"),
        started("c"),
        decided("a"),
        decided("c", allowed=False, phase="no_prompt"),
        decided("b", allowed=False, phase="deny_rules"),
    )

    assert [call.outcome for call in read(file)] == ["allowed", "unanswerable", "refused"]


def test_mode_and_grants_are_those_of_the_moment(tmp_path: Path) -> None:
    file = transcript(
        tmp_path,
        CREATED,
        ModeChanged(mode="acceptEdits", previous="default", cause="user"),
        ModeChanged(mode="plan", previous="acceptEdits", cause="user"),
        started("a"),
        RuleGranted(rule=GRANT),
        decided("a"),
        started("b"),
        RuleRevoked(rule=GRANT),
        decided("b"),
    )
    first, second = read(file)

    assert (first.mode, first.pre_plan_mode) == ("plan", "acceptEdits")
    assert [rule.text() for rule in first.granted] == ["Read", "Bash(ls)", "Bash(rm:*)"]
    assert second.granted == (*first.granted, GRANT)


def test_torn_foreign_and_overlong_lines_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past_calls, "MAX_LINE_BYTES", 2_000)
    long = started("long", "x" * 5_000)
    file = transcript(
        tmp_path,
        CREATED,
        NoteAdded(text='"type":"tool_started"', origin="mode"),
        long,
        decided("long"),
        started("a"),
        decided("a"),
        between=b'{"type":"tool_started"}\n\xff{\n\n',
    )
    with file.open("ab") as stream:
        stream.write(b'{"seq": 99, "event": {"type":"decision_made"')

    assert [call.title for call in read(file)] == ["make"]
    assert list(read_past_calls([tmp_path / "none.jsonl", file])) == read(file)


def test_calls_before_a_moment_are_left_out(tmp_path: Path) -> None:
    file = transcript(
        tmp_path, CREATED, started("a"), decided("a"), started("b", "ls"), decided("b")
    )

    assert [call.title for call in read(file, since_ms=4_000)] == ["ls"]
