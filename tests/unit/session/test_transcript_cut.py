"""A conversation that no request can hold is cut when it is opened, once, and everybody is told."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pilotfish.core.calls import TextDisplay
from pilotfish.core.events import (
    BlockFinished,
    ContextCleared,
    EventRecord,
    KeptEvent,
    NoteAdded,
    PromptSubmitted,
    ReplyFinished,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import MAIN_AGENT, MessageId, ToolUseId, TurnId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import ImageBlock, Message, TextBlock, ToolUseBlock, Usage
from pilotfish.session import codec, transcript_cut
from pilotfish.session.log import BEGINNING_CUT, EventLog
from pilotfish.session.transcript_cut import (
    MAX_PART_CHARS,
    without_long_parts,
    without_long_result,
)
from pilotfish.session.transcript_reader import read_records

from tests.unit.session.test_long_sessions import CREATED, opened, write

PICTURE = ImageBlock(media_type="image/png", data="x" * 4_000)


def turn(number: int, size: int, *, shape: str) -> Iterator[KeptEvent]:
    """Yield a turn of some size: answered, cut off before an answer, or with a call left open."""
    reply, call = MessageId(f"r{number}"), ToolUseId(f"c{number}")
    yield NoteAdded(text=f"note before {number}", origin="mode")
    yield TurnStarted(turn_id=TurnId(f"t{number}"), model="m")
    content = PICTURE if shape == "picture" else TextBlock(text=f"<{number}>" + "w" * size)
    yield PromptSubmitted(message_id=MessageId(f"p{number}"), content=(content,))
    if shape == "unanswered":
        return
    block = ToolUseBlock(id=call, name="Read", input={})
    yield BlockFinished(message_id=reply, block_index=0, block=block)
    yield ReplyFinished(
        message_id=reply, model="m", stop_reason="tool_use", usage=Usage(), cost_usd=None
    )
    yield ToolStarted(tool_use_id=call, tool="Read", title="a", kind="read", input={})
    if shape != "open call":
        result = (TextBlock(text="r" * size),)
        yield ToolFinished(tool_use_id=call, status="completed", content=result)
    yield TurnEnded(turn_id=TurnId(f"t{number}"), reason="completed")


shapes = st.sampled_from(["whole", "whole", "unanswered", "open call", "picture"])
steps = st.lists(
    st.one_of(st.tuples(shapes, st.integers(0, 900)), st.just(("cleared", 0))), max_size=14
)


def events_of(plan: list[tuple[str, int]]) -> list[KeptEvent]:
    events: list[KeptEvent] = [CREATED]
    for number, (shape, size) in enumerate(plan):
        events += [ContextCleared()] if shape == "cleared" else turn(number, size, shape=shape)
    return events


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_cut, "CUT_ABOVE", 6_000)
    monkeypatch.setattr(transcript_cut, "KEPT_WEIGHT", 3_000)
    monkeypatch.setattr(transcript_cut, "MEDIA_WEIGHT", 100)


def messages(log: EventLog) -> list[Message]:
    return list(log.conversation.messages("m"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(plan=steps)
async def test_what_is_kept_is_the_end_and_every_way_to_load_it_agrees(
    small_limits: None, tmp_path: Path, plan: list[tuple[str, int]]
) -> None:
    path = tmp_path / "s.jsonl"
    events = events_of(plan)
    write(path, events)
    whole = opened(path)
    for record in read_records(path):
        whole._fold(record)
    first = opened(path)
    reading = await first.restore()
    kept = messages(first)
    if reading.cut is None:
        assert kept == messages(whole)
        assert reading.problem() == ""
        return
    assert "the model knows only its latest turns" in reading.problem()
    assert kept[0].role == "user"
    assert BEGINNING_CUT in str(kept[-1].content)
    # The same, whoever reads it: the next process, and one that takes every event into account.
    await first.flush()
    await first.close()
    again, slow = opened(path), opened(path)
    second = await again.restore()
    assert second.cut is None
    for record in read_records(path):
        slow._fold(record)
    assert messages(again) == messages(slow) == kept
    assert again.data.turns == slow.data.turns
    assert again.data.last_usage == slow.data.last_usage
    # What was kept is the end of what there was, and rewinding works for it alone.
    everything = messages(whole)
    assert everything[len(everything) - len(kept) + 1 : -1] == kept[1:-1]
    known = {turn.message_id for turn in again.data.turns}
    for prompt in (one.message_id for one in events if isinstance(one, PromptSubmitted)):
        assert again.conversation.can_go_back_to(prompt) == slow.conversation.can_go_back_to(prompt)
        assert again.conversation.can_go_back_to(prompt) or prompt not in known


async def test_pictures_weigh_little_and_a_short_conversation_is_not_cut(
    small_limits: None, tmp_path: Path
) -> None:
    path = tmp_path / "s.jsonl"
    write(path, events_of([("picture", 0)] * 3))
    assert path.stat().st_size > 2 * transcript_cut.CUT_ABOVE
    log = opened(path)
    assert (await log.restore()).cut is None
    write(path, events_of([("whole", 500)] * 20))
    log = opened(path)
    reading = await log.restore()
    assert reading.cut is not None
    assert len(log.data.turns) in range(1, 4)
    assert log.data.last_usage == Usage()
    await log.close()


def long_turn(calls: int, size: int) -> Iterator[KeptEvent]:
    """Yield one turn whose calls have long inputs, results and texts for people."""
    yield TurnStarted(turn_id=TurnId("t"), model="m")
    yield PromptSubmitted(message_id=MessageId("p"), content=(TextBlock(text="Do it all."),))
    for number in range(calls):
        reply, call = MessageId(f"r{number}"), ToolUseId(f"c{number}")
        given: JsonObject = {"file_path": f"f{number}", "content": "i" * size}
        block = ToolUseBlock(id=call, name="Write", input=given)
        yield BlockFinished(message_id=reply, block_index=0, block=block)
        yield ReplyFinished(
            message_id=reply, model="m", stop_reason="tool_use", usage=Usage(), cost_usd=None
        )
        yield ToolStarted(tool_use_id=call, tool="Write", title="a", kind="edit", input={})
        yield ToolFinished(
            tool_use_id=call,
            status="completed",
            content=(TextBlock(text=f"<{number}>" + "r" * size),),
            display=(TextDisplay(text="d" * size),),
        )


@pytest.mark.parametrize("before", [0, 3], ids=["alone", "after others"])
@pytest.mark.parametrize("kept_bytes", [2_000_000, 96_000_000], ids=["beyond the window", "in it"])
async def test_one_turn_longer_than_all_that_stays_keeps_its_prompt_and_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int, kept_bytes: int
) -> None:
    monkeypatch.setattr(transcript_cut, "CUT_ABOVE", 1_000_000)
    monkeypatch.setattr(transcript_cut, "KEPT_WEIGHT", 500_000)
    monkeypatch.setattr(transcript_cut, "STEP_WEIGHT", 50_000)
    monkeypatch.setattr(transcript_cut, "MAX_KEPT_BYTES", kept_bytes)
    path = tmp_path / "s.jsonl"
    others = [event for number in range(before) for event in turn(number, 500, shape="whole")]
    write(path, [CREATED, *others, *long_turn(60, 30_000)])
    assert path.stat().st_size > 5_000_000
    log = opened(path)
    reading = await log.restore()
    assert "of its older results the model knows only that there were some" in reading.problem()
    kept = messages(log)
    # All calls and results are there, in pairs, after the prompt that they are for.
    assert "Do it all." in str(kept[0].content)
    assert [one.role for one in kept] == ["user", "assistant"] * 60 + ["user"]
    calls = [block for one in kept for block in one.content if isinstance(block, ToolUseBlock)]
    assert [call.id for call in calls] == [f"c{number}" for number in range(60)]
    assert calls[0].input == {"file_path": "f0", "content": transcript_cut.LEFT_OUT}
    assert transcript_cut.LEFT_OUT in str(kept[2].content)
    assert "<59>r" in str(kept[-1].content)
    assert sum(len(str(one.content)) for one in kept) < 700_000
    await log.flush()
    await log.close()
    # The next process is told the same, and nothing is cut again.
    again = opened(path)
    second = await again.restore()
    assert (second.cut, second.shortened) == (None, True)
    assert [one.role for one in messages(again)] == [one.role for one in kept]


@pytest.mark.parametrize("kept_bytes", [200_000, 96_000_000], ids=["beyond the window", "in it"])
async def test_of_a_turn_of_very_many_steps_the_latest_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept_bytes: int
) -> None:
    monkeypatch.setattr(transcript_cut, "CUT_ABOVE", 1_000_000)
    monkeypatch.setattr(transcript_cut, "KEPT_WEIGHT", 200_000)
    monkeypatch.setattr(transcript_cut, "STEP_WEIGHT", 20_000)
    monkeypatch.setattr(transcript_cut, "SHORT_WEIGHT", 100_000)
    monkeypatch.setattr(transcript_cut, "SHORT_STEP_WEIGHT", 5_000)
    monkeypatch.setattr(transcript_cut, "MAX_KEPT_BYTES", kept_bytes)
    path = tmp_path / "s.jsonl"
    write(path, [CREATED, *turn(0, 500, shape="whole"), *long_turn(600, 900)])
    log = opened(path)
    reading = await log.restore()
    assert "and of its oldest steps nothing" in reading.problem()
    kept = messages(log)
    assert "Do it all." in str(kept[0].content)
    assert [one.role for one in kept] == ["user", "assistant"] * (len(kept) // 2) + ["user"]
    calls = [block for one in kept for block in one.content if isinstance(block, ToolUseBlock)]
    numbers = [int(call.id[1:]) for call in calls]
    assert numbers == list(range(numbers[0], 600))
    assert 60 < len(numbers) < 120
    assert f"<{numbers[0]}>r" in str(kept[2].content)
    assert sum(len(str(one.content)) for one in kept) < 500_000
    # Ids of calls that nobody knows any more are not given a second time, and all of them were counted.
    assert log.conversation.knows_call(ToolUseId("c0"))
    assert log.data.tool_uses == 601
    # People still see all of it, page by page.
    page = await log.page(before=reading.last_seq, max_bytes=1)
    seen = [record.seq for record in page.records]
    while seen[0] > 1:
        page = await log.page(before=seen[0], max_bytes=50_000)
        seen = [*(record.seq for record in page.records), *seen]
    assert seen == list(range(1, reading.last_seq))
    # It goes on, for the next process, too.
    log.emit(PromptSubmitted(message_id=MessageId("p2"), content=(TextBlock(text="Go on."),)))
    await log.flush()
    await log.close()
    again = opened(path)
    await again.restore()
    assert messages(again)[0] == kept[0]
    assert messages(again)[-40:-1] == kept[-40:-1]


@settings(max_examples=200)
@given(
    st.lists(st.text(max_size=40), min_size=1, max_size=3),
    st.integers(1, 3_000),
    st.lists(st.text(max_size=20), max_size=2),
)
def test_a_result_that_is_left_out_unread_is_as_if_it_had_been_read(
    words: list[str], times: int, shown: list[str]
) -> None:
    record = EventRecord(
        seq=7,
        time_ms=8,
        event=ToolFinished(
            tool_use_id=ToolUseId("c"),
            status="failed",
            content=tuple(TextBlock(text=f'","display":[{word}' * times) for word in words),
            display=tuple(TextDisplay(text=f'"duration_ms":1,{one}' * times) for one in shown),
            duration_ms=9,
        ),
        turn_id=TurnId("t"),
        agent_id=MAIN_AGENT,
    )
    line = codec.to_line(record)
    unread = codec.from_line(without_long_result(line))
    assert unread is not None
    assert without_long_parts(unread) == without_long_parts(record)
    assert len(without_long_result(line)) < 12 * MAX_PART_CHARS + 1_000


def test_a_line_that_was_torn_stays_so() -> None:
    event = ToolFinished(
        tool_use_id=ToolUseId("c"), status="completed", content=(TextBlock(text="x" * 90_000),)
    )
    line = codec.to_line(EventRecord(seq=1, time_ms=1, event=event, agent_id=MAIN_AGENT))
    assert without_long_result(line[:-2]) == line[:-2]
