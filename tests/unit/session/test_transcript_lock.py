"""One process writes a session; a second one is told, and histories are never mixed."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest
from pilotfish.core.errors import SessionBusy
from pilotfish.core.events import EventRecord, KeptEvent, SessionCreated, TitleChanged
from pilotfish.core.ids import MAIN_AGENT, SessionId
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.session.transcript_lock import TranscriptLock
from pilotfish.session.transcript_reader import read_records
from pilotfish.session.transcript_store import TranscriptStore

ID = SessionId("0a1b2c3d-0000-4000-8000-000000000003")

HOLD = """
import asyncio, sys
from pathlib import Path
from pilotfish.core.ids import SessionId
from pilotfish.session.transcript_lock import TranscriptLock

async def hold():
    lock = TranscriptLock(Path(sys.argv[1]), SessionId(sys.argv[2]))
    await lock.acquire()
    print("held", flush=True)
    await asyncio.Event().wait()  # until it is killed

asyncio.run(hold())
"""


def record(seq: int, event: KeptEvent) -> EventRecord:
    return EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT)


def created() -> SessionCreated:
    return SessionCreated(session_id=ID, cwd="/p", version="0", mode="default", model="m")


async def holder(home: Path) -> asyncio.subprocess.Process:
    """Start a process that holds the session."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, str(home), ID, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"held\n"
    return process


async def test_a_second_process_is_refused_and_told_who_has_the_session(tmp_path: Path) -> None:
    process = await holder(tmp_path)
    try:
        with pytest.raises(SessionBusy, match=rf"process {process.pid}\).*mix up its history"):
            await TranscriptLock(tmp_path, ID).acquire(wait_s=0)
    finally:
        process.kill()
        await process.communicate()


async def test_a_session_is_free_again_when_its_process_is_killed(tmp_path: Path) -> None:
    process = await holder(tmp_path)
    process.send_signal(signal.SIGKILL)
    await process.communicate()
    lock = TranscriptLock(tmp_path, ID)
    await lock.acquire()
    lock.release()
    assert list((tmp_path / "locks").glob("*.owner")) == []


async def test_opening_waits_for_a_process_that_is_about_to_end(tmp_path: Path) -> None:
    process = await holder(tmp_path)
    waiting = asyncio.create_task(TranscriptLock(tmp_path, ID).acquire(wait_s=20))
    await asyncio.sleep(0)
    process.kill()
    await process.communicate()
    await waiting


async def test_a_closed_session_can_be_opened_by_others(tmp_path: Path) -> None:
    store = TranscriptStore(tmp_path)
    lock = store.lock_for(ID)
    await lock.acquire()
    writer = TranscriptWriter(store.path_for(ID, Path("/p")), lock)
    writer.append(record(1, created()))
    with pytest.raises(SessionBusy):
        await store.lock_for(ID).acquire(wait_s=0)
    await writer.flush()
    with pytest.raises(SessionBusy):
        await store.delete(ID)
    await writer.close()
    assert await store.delete(ID)


async def test_lines_that_somebody_else_wrote_end_the_writing(tmp_path: Path) -> None:
    """On a file system without locks the length of the file tells."""
    path = tmp_path / "p" / f"{ID}.jsonl"
    one, two = TranscriptWriter(path), TranscriptWriter(path)
    one.append(record(1, created()))
    await one.flush()
    two.append(record(2, TitleChanged(title="two")))
    await two.flush()
    one.append(record(2, TitleChanged(title="one")))
    with pytest.raises(SessionBusy, match="must not be mixed"):
        await one.flush()
    await two.close()
    with pytest.raises(SessionBusy):
        await one.flush()
    assert [one.event for one in read_records(path)] == [created(), TitleChanged(title="two")]


async def test_a_place_without_locks_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "locks").write_text("no folder", encoding="utf-8")
    lock = TranscriptLock(tmp_path, ID)
    await lock.acquire(wait_s=0)
    lock.release()
