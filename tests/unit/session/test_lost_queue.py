"""What becomes of prompts that waited when the process ended."""

from pathlib import Path

import pytest
from pilotfish.core.events import (
    EventRecord,
    KeptEvent,
    PromptDropped,
    PromptQueued,
    PromptSubmitted,
    SessionEvent,
    TurnStarted,
)
from pilotfish.core.ids import MAIN_AGENT, MessageId, TurnId
from pilotfish.core.messages import TextBlock
from pilotfish.session import codec
from pilotfish.session.log import EventLog
from pilotfish.session.recovery import recover
from pilotfish.session.transcript import TranscriptWriter

from tests.support.fake_clock import FakeClock

pytestmark = pytest.mark.asyncio(loop_scope="session")


def queued(message: str) -> PromptQueued:
    return PromptQueued(message_id=MessageId(message), content=(TextBlock(text=message),))


async def test_prompts_that_nobody_took_are_marked_as_lost(tmp_path: Path) -> None:
    taken = PromptSubmitted(message_id=MessageId("taken"), content=(TextBlock(text="taken"),))
    events: list[KeptEvent] = [
        TurnStarted(turn_id=TurnId("t"), model="m"),
        queued("taken"),
        queued("removed"),
        queued("lost"),
        PromptDropped(message_id=MessageId("removed"), cause="removed"),
        taken,
    ]
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        b"".join(
            codec.to_line(EventRecord(seq=at, time_ms=at, event=event, agent_id=MAIN_AGENT))
            for at, event in enumerate(events, 1)
        )
    )
    log = EventLog(TranscriptWriter(path), FakeClock())
    await log.restore()
    said: list[SessionEvent] = []
    log.listen(lambda record: said.append(record.event))
    recover(log)
    dropped = [event for event in said if isinstance(event, PromptDropped)]
    assert dropped == [PromptDropped(message_id=MessageId("lost"), cause="lost")]
    assert log.data.queued == set()
    await log.close()
