"""Copying and deleting sessions where the disk is full or cannot be written."""

from pathlib import Path

import pytest
from pilotfish.core.agent_events import AgentStarted
from pilotfish.core.errors import SessionError
from pilotfish.core.events import (
    EventRecord,
    KeptEvent,
    PromptSubmitted,
    SessionCreated,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import MAIN_AGENT, AgentId, MessageId, SessionId, TurnId
from pilotfish.core.messages import TextBlock
from pilotfish.session import codec
from pilotfish.session.agent_transcripts import agent_transcript
from pilotfish.session.transcript_store import TranscriptStore

from tests.support.full_disk import files_end_at, read_only
from tests.support.made_up_agents import facts

ID = SessionId("0a1b2c3d-0000-4000-8000-000000000008")
COPY = SessionId("0a1b2c3d-0000-4000-8000-000000000009")
LONG = "word " * 4_000


def write(path: Path, agent: AgentId, prompt: str, *inside: KeptEvent) -> None:
    turn, message = TurnId(f"t-{agent}"), MessageId("m")
    events = [
        SessionCreated(session_id=ID, cwd="/p", version="0", mode="default", model="m"),
        TurnStarted(turn_id=turn, model="m"),
        PromptSubmitted(message_id=message, content=(TextBlock(text=prompt),)),
        *inside,
        TurnEnded(turn_id=turn, reason="completed"),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(
        b"".join(
            codec.to_line(EventRecord(seq=seq, time_ms=seq, event=event, agent_id=agent))
            for seq, event in enumerate(events, 1)
        )
    )


def stored(home: Path, *, long: str = "") -> TranscriptStore:
    """Store a session with an agent, a task, a plan and a draft; one of them may be long."""
    store = TranscriptStore(home)
    path = store.path_for(ID, Path("/p"))
    write(path, MAIN_AGENT, "Go", AgentStarted(facts=facts("a1")))
    agent = agent_transcript(path, AgentId("a1"))
    write(agent, AgentId("a1"), LONG if long == "agent" else "Go")
    files = {
        "task": home / "tasks" / ID / "1.json",
        "plan": home / "plans" / f"go.{ID}.md",
        "draft": path.with_suffix(".draft"),
    }
    for name, file in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(LONG if long == name else name, encoding="utf-8")
    return store


def files_of(home: Path) -> dict[Path, bytes]:
    return {
        path: path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }


@pytest.mark.parametrize("long", ["agent", "task", "plan"])
async def test_half_a_copy_is_none(tmp_path: Path, long: str) -> None:
    store = stored(tmp_path, long=long)
    before = files_of(tmp_path)
    with (
        files_end_at(len(LONG) // 2),
        pytest.raises(SessionError, match=r"cannot be copied: File too large\."),
    ):
        await store.fork(ID, COPY)
    assert files_of(tmp_path) == before
    assert [one.session_id for one in await store.list_sessions()] == [ID]
    await store.fork(ID, COPY)
    assert {one.session_id for one in await store.list_sessions()} == {ID, COPY}


async def test_a_session_that_cannot_be_deleted_loses_nothing(tmp_path: Path) -> None:
    store = stored(tmp_path)
    before = files_of(tmp_path)
    with (
        read_only(tmp_path / "projects"),
        pytest.raises(SessionError, match=r"cannot be deleted: Permission denied \(.*projects"),
    ):
        await store.delete(ID)
    assert files_of(tmp_path) == before
    assert await store.delete(ID)
    assert files_of(tmp_path) == {}


async def test_nothing_at_all_can_be_written(tmp_path: Path) -> None:
    home = tmp_path / "home"
    store = stored(home)
    before = files_of(home)
    with read_only(home):
        with pytest.raises(SessionError, match="cannot be copied"):
            await store.fork(ID, COPY)
        with pytest.raises(SessionError, match="cannot be deleted"):
            await store.delete(ID)
        assert [one.session_id for one in await store.list_sessions()] == [ID]
    assert files_of(home) == before
