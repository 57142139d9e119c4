"""Questions that wait in sessions which are not open."""

from pathlib import Path

import pytest
from pilotfish.core.dialogs import PlanQuestion
from pilotfish.core.events import (
    EventRecord,
    KeptEvent,
    QuestionAsked,
    QuestionResolved,
    TurnEnded,
)
from pilotfish.core.ids import MAIN_AGENT, AgentId, RequestId, SessionId, ToolUseId, TurnId
from pilotfish.session import codec
from pilotfish.session.session_list import SessionSummary
from pilotfish.session.waiting_sessions import TAIL_BYTES, waiting_sessions

SUMMARY = SessionSummary(session_id=SessionId("s1"), cwd="/work", title="A chat", updated_ms=9)


def asked(request: str, agent: AgentId = MAIN_AGENT, at_ms: int = 1) -> KeptEvent:
    question = PlanQuestion(
        request_id=RequestId(request),
        session_id=SessionId("s1"),
        agent_id=agent,
        tool_use_id=ToolUseId(f"call_{request}"),
        title=f"Plan {request}",
        plan_path="/plan.md",
        plan="# Plan",
        created_at_ms=at_ms,
    )
    return QuestionAsked(question=question)


def resolved(request: str) -> KeptEvent:
    return QuestionResolved(request_id=RequestId(request), answer="start")


def ended() -> KeptEvent:
    return TurnEnded(turn_id=TurnId("t"), reason="completed")


def transcript(folder: Path, *events: KeptEvent, before: bytes = b"") -> Path:
    path = folder / "s1.jsonl"
    lines = [
        codec.to_line(EventRecord(seq=seq, time_ms=0, event=event, agent_id=MAIN_AGENT))
        for seq, event in enumerate(events, start=1)
    ]
    path.write_bytes(before + b"".join(lines))
    return path


@pytest.mark.parametrize(
    ("events", "waits"),
    [
        ((asked("a"),), ["Plan a"]),
        ((asked("a"), resolved("a")), []),
        ((asked("a"), asked("b"), resolved("a")), ["Plan b"]),
        ((asked("b", at_ms=5), asked("a", at_ms=2)), ["Plan a", "Plan b"]),
        ((asked("a"), ended()), []),
        ((asked("a", AgentId("agent_1")),), []),
        ((ended(), asked("a")), ["Plan a"]),
    ],
)
def test_what_waits_is_told_by_the_end_of_a_transcript(
    tmp_path: Path, events: tuple[KeptEvent, ...], waits: list[str]
) -> None:
    found = waiting_sessions([(SUMMARY, transcript(tmp_path, *events))])
    assert [one.title for one in found] == waits
    assert {one.session_title for one in found} <= {"A chat"}


def test_a_torn_line_and_a_long_history_are_no_obstacle(tmp_path: Path) -> None:
    path = transcript(tmp_path, asked("a"), before=b"x" * (2 * TAIL_BYTES) + b"\n")
    with path.open("ab") as file:
        file.write(b'{"seq": 7, "event": {"type":"question_resol')
    assert [one.title for one in waiting_sessions([(SUMMARY, path)])] == ["Plan a"]


def test_a_file_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    assert waiting_sessions([(SUMMARY, tmp_path / "gone.jsonl")]) == []
