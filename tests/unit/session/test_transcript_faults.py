"""A disk that fills up and lines from elsewhere do not spoil a transcript."""

import resource
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pilotfish.core.errors import SessionError
from pilotfish.core.events import EventRecord, PromptSubmitted, SessionCreated
from pilotfish.core.ids import MAIN_AGENT, MessageId, SessionId
from pilotfish.core.messages import TextBlock
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.session.transcript_reader import read_records
from pilotfish.session.transcript_store import TranscriptStore

ID = SessionId("0a1b2c3d-0000-4000-8000-000000000002")


def created() -> EventRecord:
    event = SessionCreated(session_id=ID, cwd="/p", version="0", mode="default", model="m")
    return EventRecord(seq=1, time_ms=1, event=event, agent_id=MAIN_AGENT)


def prompt(seq: int, text: str) -> EventRecord:
    event = PromptSubmitted(message_id=MessageId(f"u{seq}"), content=(TextBlock(text=text),))
    return EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT)


@contextmanager
def files_end_at(size: int) -> Generator[None]:
    """Let every file of this process be full at a size, as a full disk does it: in mid-write."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


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
