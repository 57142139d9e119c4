"""A disk that fills up and lines from elsewhere do not spoil a transcript."""

import asyncio
from pathlib import Path

import pytest
from pilotfish.core.errors import SessionError
from pilotfish.core.events import EventRecord, PromptSubmitted, SessionCreated, TurnEnded
from pilotfish.core.ids import MAIN_AGENT, MessageId, SessionId, TurnId
from pilotfish.core.messages import TextBlock
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.session.transcript_reader import read_records
from pilotfish.session.transcript_store import TranscriptStore

from tests.support.full_disk import files_end_at
from tests.support.waiting import until

ID = SessionId("0a1b2c3d-0000-4000-8000-000000000002")


def created() -> EventRecord:
    event = SessionCreated(session_id=ID, cwd="/p", version="0", mode="default", model="m")
    return EventRecord(seq=1, time_ms=1, event=event, agent_id=MAIN_AGENT)


def prompt(seq: int, text: str) -> EventRecord:
    event = PromptSubmitted(message_id=MessageId(f"u{seq}"), content=(TextBlock(text=text),))
    return EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT)


def turn_ended(seq: int) -> EventRecord:
    event = TurnEnded(turn_id=TurnId("t"), reason="completed")
    return EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT)


async def test_what_a_full_disk_took_in_part_is_there_once_in_the_end(tmp_path: Path) -> None:
    store = TranscriptStore(tmp_path)
    writer = TranscriptWriter(store.path_for(ID, Path("/p")))
    writer.append(created())
    await writer.flush()
    size = writer.path.stat().st_size
    # The first of the two lines fits, the second is torn.
    with files_end_at(size + 1_000):
        writer.append(prompt(2, "two"))
        writer.append(prompt(3, "x" * 5_000))
        with pytest.raises(SessionError, match="cannot be written"):
            await writer.flush()
        assert writer.path.stat().st_size == size
    await writer.flush()
    await writer.close()
    assert [one.seq for one in read_records(writer.path)] == [1, 2, 3]


async def test_an_end_on_a_full_disk_is_told_in_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    writer = TranscriptWriter(TranscriptStore(tmp_path).path_for(ID, Path("/p")))
    with files_end_at(10):
        writer.append(created())
        await writer.close()
    assert "is not complete" in caplog.text
    assert "cannot be written" in caplog.text
    assert "Traceback" not in caplog.text


async def test_lines_from_elsewhere_are_skipped(tmp_path: Path) -> None:
    store = TranscriptStore(tmp_path)
    writer = TranscriptWriter(store.path_for(ID, Path("/p")))
    writer.append(created())
    await writer.close()
    with writer.path.open("ab") as file:
        file.write(b"[" * 100_000 + b"\n")
        file.write(b'{"seq":2,"time_ms":1,"event":' + b'{"a":' * 50_000 + b"\n")
        file.write(b'{"seq":"x","event":7}\n\xff\xfe\n' + b"z" * 1_000_000 + b"\n")
    assert len(list(read_records(writer.path))) == 1


async def test_all_who_wait_for_a_full_disk_hear_of_it(tmp_path: Path) -> None:
    writer = TranscriptWriter(TranscriptStore(tmp_path).path_for(ID, Path("/p")))
    writer.append(created())
    await writer.flush()
    with files_end_at(writer.path.stat().st_size):
        writer.append(prompt(2, "two"))
        outcomes = await asyncio.gather(writer.flush(), writer.flush(), return_exceptions=True)
    assert [type(one) for one in outcomes] == [SessionError, SessionError]
    await writer.close()
    assert [one.seq for one in read_records(writer.path)] == [1, 2]


async def test_a_write_that_failed_unheard_fails_nothing_once_there_is_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    writer = TranscriptWriter(TranscriptStore(tmp_path).path_for(ID, Path("/p")))
    writer.append(created())
    await writer.flush()
    with files_end_at(writer.path.stat().st_size):
        writer.append(turn_ended(2))  # written at once, nobody waits for it
        await until(lambda: "File too large" in caplog.text)
    await writer.flush()
    await writer.close()
    assert [one.seq for one in read_records(writer.path)] == [1, 2]
