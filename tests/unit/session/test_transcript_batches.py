"""What is written at once, and what may wait for company."""

from pathlib import Path

import pytest
from pilotfish.core.calls import ToolKind
from pilotfish.core.events import (
    BlockFinished,
    EventRecord,
    KeptEvent,
    QuestionAsked,
    ToolStarted,
    TurnEnded,
)
from pilotfish.core.ids import MAIN_AGENT, MessageId, RequestId, SessionId, ToolUseId, TurnId
from pilotfish.core.messages import TextBlock
from pilotfish.core.permission import PermissionQuestion
from pilotfish.session import transcript
from pilotfish.session.transcript import TranscriptWriter, must_last

from tests.support.waiting import until


def started(kind: ToolKind) -> ToolStarted:
    return ToolStarted(tool_use_id=ToolUseId("c"), tool="T", title="t", kind=kind, input={})


WORDS = BlockFinished(message_id=MessageId("m"), block_index=0, block=TextBlock(text="hello"))
ENDED = TurnEnded(turn_id=TurnId("t"), reason="completed")
ASKED = QuestionAsked(
    question=PermissionQuestion(
        request_id=RequestId("r"),
        session_id=SessionId("s"),
        agent_id=MAIN_AGENT,
        tool_use_id=ToolUseId("c"),
        tool="Bash",
        title="ls",
        input={},
        reason="because",
        risk="normal",
        suggestions=(),
        hide_always=False,
    )
)


@pytest.mark.parametrize(
    "event", [ENDED, ASKED, started("execute"), started("edit"), started("other")], ids=str
)
async def test_what_must_last_is_written_without_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event: KeptEvent
) -> None:
    monkeypatch.setattr(transcript, "BATCH_S", 3_600)
    writer = TranscriptWriter(tmp_path / "s.jsonl")
    for seq, one in enumerate((WORDS, event), 1):
        writer.append(EventRecord(seq=seq, time_ms=1, event=one, agent_id=MAIN_AGENT))
    await until(lambda: writer.path.exists() and writer.path.read_bytes().count(b"\n") == 2)
    await writer.close()


@pytest.mark.parametrize("event", [WORDS, started("read"), started("search")], ids=str)
def test_what_can_be_done_again_may_wait(event: KeptEvent) -> None:
    assert not must_last(event)
