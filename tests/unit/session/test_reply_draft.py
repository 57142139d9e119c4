"""The draft of a reply: what of it still counts when a session is loaded, and that it goes again."""

import asyncio
from pathlib import Path

import pytest
from pilotfish.core.events import (
    BlockFinished,
    EventRecord,
    PromptSubmitted,
    ReplyDiscarded,
    SessionCreated,
    SessionEvent,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import MAIN_AGENT, MessageId, TurnId, new_message_id, new_session_id
from pilotfish.core.messages import TextBlock
from pilotfish.session import codec
from pilotfish.session.reply_draft import draft_of
from pilotfish.session.session import Session

from tests.support.engine_stage import EngineStage, ask
from tests.support.stage import assert_paired, body_of, text_of
from tests.support.waiting import until
from tools.fake_model import Stall, Turn

TURN, OTHER = TurnId("turn-1"), TurnId("turn-0")
SAID = BlockFinished(
    message_id=MessageId("msg-1"), block_index=0, block=TextBlock(text="It swims beside")
)
WHOLE = BlockFinished(
    message_id=MessageId("msg-1"), block_index=0, block=TextBlock(text="It swims beside the shark.")
)


def record(seq: int, event: SessionEvent, turn: TurnId | None = TURN) -> EventRecord:
    return EventRecord(seq=seq, time_ms=seq, event=event, turn_id=turn, agent_id=MAIN_AGENT)


async def loaded(stage: EngineStage, later: list[SessionEvent], draft: bytes) -> list[str]:
    """Load a session with a draft of after its prompt; returns what the model is told it had said."""
    session_id = new_session_id()
    events: list[SessionEvent] = [
        SessionCreated(
            session_id=session_id, cwd=str(stage.project), version="1", mode="default", model="m"
        ),
        TurnStarted(turn_id=TURN, model="m"),
        PromptSubmitted(message_id=new_message_id(), content=(TextBlock(text="What is it?"),)),
        *later,
    ]
    home = stage.project.parent / "home" / ".pilotfish" / "projects" / "elsewhere"
    home.mkdir(parents=True, exist_ok=True)
    path = home / f"{session_id}.jsonl"
    lines = [codec.to_line(record(seq, event)) for seq, event in enumerate(events, 1)]
    path.write_bytes(b"".join(lines))
    draft_of(path).write_bytes(draft)
    session = await stage.manager.load(session_id)
    assert not draft_of(path).exists()
    await ask(session, "Go on")
    body = body_of(stage.fake)
    assert_paired(dict(body))
    await stage.manager.close(session_id)
    return [text_of(one).strip() for one in body["messages"] if one["role"] == "assistant"]


DRAFT = codec.to_line(record(3, SAID))


@pytest.mark.parametrize(
    ("later", "draft", "said"),
    [
        pytest.param([], DRAFT, ["It swims beside"], id="new"),
        pytest.param([WHOLE], DRAFT, ["It swims beside the shark."], id="the block became whole"),
        pytest.param(
            [ReplyDiscarded(message_id=SAID.message_id)], DRAFT, [], id="the reply was given up"
        ),
        pytest.param(
            [TurnEnded(turn_id=TURN, reason="completed")], DRAFT, [], id="the turn has ended"
        ),
        pytest.param([], codec.to_line(record(3, SAID, OTHER)), [], id="of another turn"),
        pytest.param(
            [], codec.to_line(record(9, SAID)), ["It swims beside"], id="events were lost"
        ),
        pytest.param([], DRAFT[:40], [], id="torn"),
        pytest.param([], b"", [], id="empty"),
        pytest.param([], b"\xff\x00[]\n{}\n", [], id="something else"),
    ],
)
async def test_what_of_a_draft_counts(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    later: list[SessionEvent],
    draft: bytes,
    said: list[str],
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        stage.play([Turn("I go on.", repeat="forever")])
        assert await loaded(stage, later, draft) == said
        assert stage.fake.problems == []


async def drafted(stage: EngineStage) -> tuple[Session, asyncio.Task[TurnEnded], Path]:
    """Let a reply stand still in mid-word until there is a draft of it."""
    stage.play([Turn("It swims beside the shark.", faults=[Stall(after_events=3)])])
    session = await stage.session()
    turn = asyncio.create_task(ask(session, "What is it?"))
    draft = draft_of(session.log.path)
    await until(draft.exists)
    return session, turn, draft


async def test_a_draft_goes_with_the_reply_that_it_stands_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session, turn, draft = await drafted(stage)
        stage.fake.release()
        assert (await turn).reason == "completed"
        await until(lambda: not draft.exists())
        assert session.log.path.read_bytes().count(b'"type":"block_finished"') == 1
        stage.check(session)


async def test_a_draft_goes_with_its_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session, turn, draft = await drafted(stage)
        await stage.manager.close(session.id)
        await turn
        assert list(draft.parent.glob("*.draft*")) == []


async def test_where_no_draft_can_be_written_the_turn_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        stage.play([Turn("It swims beside the shark.", faults=[Stall(after_events=3)])])
        session = await stage.session()
        draft_of(session.log.path).mkdir(parents=True)
        turn = asyncio.create_task(ask(session, "What is it?"))
        await until(lambda: "the draft" in caplog.text)
        stage.fake.release()
        assert (await turn).reason == "completed"
        stage.check(session)
