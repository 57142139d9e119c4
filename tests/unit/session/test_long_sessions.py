"""A session of any length opens quickly, knows what it must know, and shows itself in pages."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pilotfish.core.errors import SessionError
from pilotfish.core.events import (
    BlockFinished,
    ContextCleared,
    EventRecord,
    KeptEvent,
    PromptSubmitted,
    ReplyFinished,
    SessionCreated,
    TitleChanged,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import MAIN_AGENT, MessageId, SessionId, ToolUseId, TurnId
from pilotfish.core.messages import TextBlock, ToolUseBlock, Usage
from pilotfish.session import codec, event_pages, log
from pilotfish.session import transcript_reader as reader
from pilotfish.session.log import EventLog
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.session.transcript_reader import read_records

from tests.support.fake_clock import FakeClock

ID = SessionId("0a1b2c3d-0000-4000-8000-000000000004")
CREATED = SessionCreated(session_id=ID, cwd="/p", version="0", mode="default", model="m")


def turn(number: int, text: str = "words") -> Iterator[KeptEvent]:
    """Yield the events of a turn with one call."""
    call, reply = ToolUseId(f"c{number}"), MessageId(f"r{number}")
    turn_id = TurnId(f"t{number}")
    yield TurnStarted(turn_id=turn_id, model="m")
    yield PromptSubmitted(message_id=MessageId(f"p{number}"), content=(TextBlock(text=text),))
    block = ToolUseBlock(id=call, name="Read", input={"type": "context_cleared"})
    yield BlockFinished(message_id=reply, block_index=0, block=block)
    yield ToolStarted(tool_use_id=call, tool="Read", title="a", kind="read", input=block.input)
    yield ToolFinished(
        tool_use_id=call,
        status="completed",
        content=(TextBlock(text=f'{text}"duration_ms":7,"type":"tool_finished"}}'),),
        duration_ms=number,
    )
    usage = Usage(input_tokens=number, output_tokens=1)
    yield ReplyFinished(
        message_id=reply, model="m", stop_reason="end_turn", usage=usage, cost_usd=0.5
    )
    yield TurnEnded(turn_id=turn_id, reason="completed")


def write(path: Path, events: list[KeptEvent]) -> None:
    lines = [
        codec.to_line(EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT))
        for seq, event in enumerate(events, 1)
    ]
    path.write_bytes(b"".join(lines))


def opened(path: Path) -> EventLog:
    return EventLog(TranscriptWriter(path), FakeClock())


step = st.one_of(
    st.integers(1, 50).map(lambda number: tuple(turn(number, "w" * (number % 7)))),
    st.just((ContextCleared(),)),
    st.text(max_size=5).map(lambda title: (TitleChanged(title=title),)),
    # A turn that was cut off, and a context that is cleared in the middle of one.
    st.integers(51, 60).map(lambda number: tuple(turn(number))[:4]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=st.lists(step, max_size=8), chunk=st.sampled_from([64, 300, 1 << 20]))
async def test_what_is_skipped_makes_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: list[tuple[KeptEvent, ...]], chunk: int
) -> None:
    """A load that leaves out what the model forgot gives the same state as one of every event."""
    monkeypatch.setattr(reader, "CHUNK_BYTES", chunk)
    monkeypatch.setattr(reader, "MARK_BYTES", chunk)
    path = tmp_path / "s.jsonl"
    write(path, [CREATED, *(event for one in steps for event in one)])
    quick = opened(path)
    assert (await quick.restore()).problem() == ""
    slow = opened(path)
    for record in read_records(path):
        slow._fold(record)
    assert quick.data == slow.data
    assert list(quick.conversation.messages()) == list(slow.conversation.messages())
    for number in range(1, 61):
        call = ToolUseId(f"c{number}")
        assert quick.conversation.knows_call(call) == slow.conversation.knows_call(call)


async def test_pages_together_are_the_whole_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MARK_BYTES", 5_000)
    monkeypatch.setattr(log, "WINDOW_BYTES", 20_000)
    path = tmp_path / "s.jsonl"
    events = [CREATED, *(event for number in range(60) for event in turn(number, "x" * 1_000))]
    write(path, events)
    session = opened(path)
    await session.restore()
    session.emit(TitleChanged(title="last"))
    assert len(session.held_after(0)) < 60
    seen: list[EventRecord] = []
    before: int | None = None
    pages = 0
    while True:
        page = await session.page(before=before, max_bytes=15_000)
        seen[:0] = page.records
        pages += 1
        if not page.has_earlier:
            break
        before = page.records[0].seq
        assert isinstance(page.records[0].event, TurnStarted)
    assert [one.event for one in seen] == [*events, TitleChanged(title="last")]
    assert [one.seq for one in seen] == list(range(1, len(events) + 2))
    assert pages > 5
    await session.close()


async def test_what_a_view_missed_is_read_from_the_file_when_memory_has_let_go_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "MAX_WINDOW_EVENTS", 10)
    session = opened(tmp_path / "s.jsonl")
    session.emit(CREATED)
    for number in range(30):
        for event in turn(number):
            session.emit(event)
        await session.flush()
    assert len(session.held_after(0)) <= 17
    page = await session.page(after=40)
    assert [one.seq for one in page.records] == list(range(41, 1 + 30 * 7 + 1))
    assert not page.has_earlier
    await session.close()


async def test_events_that_are_not_on_disk_yet_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "MAX_WINDOW_EVENTS", 10)
    (tmp_path / "no-folder").write_text("", encoding="utf-8")
    session = opened(tmp_path / "no-folder" / "s.jsonl")
    for number in range(5):
        for event in turn(number):
            session.emit(event)
    with pytest.raises(SessionError, match="cannot be written"):
        await session.flush()
    assert len((await session.page()).records) == 35
    await session.close()


def test_a_page_that_begins_in_the_middle_of_a_long_turn_is_not_made_tiny() -> None:
    records = [
        EventRecord(seq=seq, time_ms=1, event=event, agent_id=MAIN_AGENT)
        for seq, event in enumerate([*(TitleChanged(title="t") for _ in range(40)), *turn(1)], 1)
    ]
    page = event_pages.page_of(records, after=0, max_bytes=33 * event_pages.EVENT_BYTES + 100)
    assert len(page.records) > 20
    assert page.has_earlier


async def test_damaged_lines_are_counted_and_the_rest_is_used(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    write(path, [CREATED, TitleChanged(title="a"), TitleChanged(title="b")])
    lines = path.read_bytes().splitlines(keepends=True)
    future = b'{"seq":4,"time_ms":2,"agent_id":"main","event":{"type":"from_the_future"}}\n'
    path.write_bytes(lines[0] + b"\x00\xff garbage\n" + lines[2] + lines[1] + future)
    session = opened(path)
    reading = await session.restore()
    assert (reading.damaged, reading.foreign, reading.repeated) == (1, 1, 1)
    assert session.data.title == "b"
    assert reading.problem() == (
        "The history of this session has gaps; left out: 1 line damaged, 1 line of another version "
        "of Pilotfish, 1 line that another process wrote into it."
    )


async def test_a_torn_last_line_is_nothing_to_tell(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    write(path, [CREATED, TitleChanged(title="a")])
    path.write_bytes(path.read_bytes()[:-30])
    session = opened(path)
    assert (await session.restore()).problem() == ""
    session.emit(TitleChanged(title="c"))
    await session.close()
    again = opened(path)
    reading = await again.restore()
    assert (reading.problem(), reading.torn, again.data.title) == ("", True, "c")


async def test_a_transcript_of_a_newer_form_is_refused_and_an_older_one_is_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.jsonl"
    write(path, [CREATED])
    plain = json.loads(path.read_bytes())
    del plain["event"]["format"]
    path.write_text(json.dumps(plain) + "\n", encoding="utf-8")
    created = (await opened(path).restore()).created
    assert created is not None
    assert created.format == 1
    plain["event"]["format"] = 99
    path.write_text(json.dumps(plain) + "\n", encoding="utf-8")
    with pytest.raises(SessionError, match=r"form that this version does not know \(99.*Update"):
        await opened(path).restore()
