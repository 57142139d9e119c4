"""Transcripts survive crashes, full disks and newer versions."""

import errno
from pathlib import Path

import pytest
from pilotfish.core.agent_events import AgentSpent
from pilotfish.core.errors import SessionError
from pilotfish.core.events import (
    EventRecord,
    KeptEvent,
    PromptSubmitted,
    ReplyFinished,
    SessionCreated,
    TitleChanged,
    TurnStarted,
)
from pilotfish.core.ids import MAIN_AGENT, AgentId, MessageId, SessionId, TurnId
from pilotfish.core.messages import TextBlock, Usage
from pilotfish.core.worktree_events import WorktreeEntered
from pilotfish.session import codec, transcript
from pilotfish.session.session_list import HEAD_BYTES, slug_of, title_in
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.session.transcript_reader import read_records
from pilotfish.session.transcript_store import TranscriptStore

ID = SessionId("0a1b2c3d-0000-4000-8000-000000000001")
CWD = Path("/home/ann/my project")


def created() -> SessionCreated:
    return SessionCreated(session_id=ID, cwd=str(CWD), version="0", mode="default", model="m")


def prompt(text: str) -> PromptSubmitted:
    return PromptSubmitted(message_id=MessageId("u1"), content=(TextBlock(text=text),))


def record(seq: int, event: KeptEvent) -> EventRecord:
    return EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT)


async def written(store: TranscriptStore, *events: KeptEvent) -> Path:
    writer = TranscriptWriter(store.path_for(ID, CWD))
    for seq, event in enumerate(events, 1):
        writer.append(record(seq, event))
    await writer.close()
    return writer.path


async def test_what_was_appended_comes_back_equal(tmp_path: Path) -> None:
    store = TranscriptStore(tmp_path)
    path = await written(store, created(), prompt("Grüße\n你好 \udc80"))
    assert path == await store.find(ID)
    events = [one.event for one in read_records(path)]
    assert events[0] == created()
    assert isinstance(events[1], PromptSubmitted)


async def test_a_torn_last_line_costs_that_line_only(tmp_path: Path) -> None:
    store = TranscriptStore(tmp_path)
    path = await written(store, created(), prompt("one"))
    with path.open("ab") as file:
        file.write(b'{"seq":3,"time_ms":3,"event":{"type":"prompt_sub')
    writer = TranscriptWriter(path)
    writer.append(record(3, prompt("two")))
    await writer.close()
    texts = [str(one.event) for one in read_records(path)]
    assert len(texts) == 3
    assert "two" in texts[-1]


async def test_an_event_of_a_newer_version_is_skipped(tmp_path: Path) -> None:
    store = TranscriptStore(tmp_path)
    path = await written(store, created())
    with path.open("ab") as file:
        file.write(b'{"seq":2,"time_ms":2,"agent_id":"main","event":{"type":"from_the_future"}}\n')
    assert len(list(read_records(path))) == 1


async def test_a_full_disk_is_told_at_the_flush_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = TranscriptStore(tmp_path)
    writer = TranscriptWriter(store.path_for(ID, CWD))
    real = transcript._append

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(transcript, "_append", full)
    writer.append(record(1, created()))
    with pytest.raises(SessionError, match="No space left on device"):
        await writer.flush()
    monkeypatch.setattr(transcript, "_append", real)
    writer.append(record(2, prompt("after")))
    await writer.flush()
    await writer.close()
    assert [one.seq for one in read_records(writer.path)] == [1, 2]


async def test_a_session_is_listed_whose_beginning_is_lost_or_far_behind(tmp_path: Path) -> None:
    store = TranscriptStore(tmp_path)
    path = await written(store, prompt("Fix it"), prompt("x" * (HEAD_BYTES + 1)))
    assert await store.list_sessions() == [], "nobody knows in which folder it works"
    assert await store.list_sessions(CWD) == []
    assert title_in(path) == "Fix it"
    path.unlink()
    turn = TurnStarted(turn_id=TurnId("t"), model="m", cwd=str(CWD))
    await written(store, turn, prompt("Fix it"), prompt("x" * (HEAD_BYTES + 1)))
    for sessions in (await store.list_sessions(), await store.list_sessions(CWD)):
        [listed] = sessions
        assert (listed.session_id, listed.cwd, listed.title) == (ID, str(CWD), "Fix it")
    assert await store.list_sessions(CWD.with_name("cwd")) == []
    await written(store, created(), TitleChanged(title="Login"))
    assert [one.title for one in await store.list_sessions()] == ["Login"]
    assert [one.title for one in await TranscriptStore(tmp_path).list_sessions()] == ["Login"]
    path.write_bytes(b"\0{}\n")
    assert await store.list_sessions(CWD) == []


async def test_sessions_are_listed_by_their_title_and_only_once_they_have_a_prompt(
    tmp_path: Path,
) -> None:
    store = TranscriptStore(tmp_path)
    await written(store, created())
    assert await store.list_sessions() == []
    await written(store, prompt("\n  Fix the login\nplease"))
    [summary] = await store.list_sessions(CWD)
    assert summary.title == "Fix the login"
    await written(store, TitleChanged(title="Login"))
    [summary] = await store.list_sessions()
    assert summary.title == "Login"
    assert await store.list_sessions(Path("/elsewhere")) == []


@pytest.mark.parametrize("hostile", ["../../etc/passwd", "*", "a/b", "", "0a1b2c3d*"])
async def test_an_id_that_is_no_id_finds_nothing(tmp_path: Path, hostile: str) -> None:
    store = TranscriptStore(tmp_path)
    await written(store, created())
    assert await store.find(SessionId(hostile)) is None


def test_folder_names_are_readable_and_bounded() -> None:
    assert slug_of(Path("/home/ann/my project")) == "home-ann-my-project"
    assert len(slug_of(Path("/" + "x" * 400))) <= 80
    assert slug_of(Path("/")) == "root"


def test_lines_of_earlier_versions_are_read_with_what_they_do_not_say() -> None:
    def read(event: str) -> object:
        line = f'{{"seq":1,"time_ms":1,"event":{event},"agent_id":"main"}}\n'
        record = codec.from_line(line.encode())
        return None if record is None else record.event

    reply = (
        '{"message_id":"m","model":"x","stop_reason":"end_turn","usage":{"input_tokens":1},'
        '"cost_usd":null,"duration_ms":5,"type":"reply_finished"}'
    )
    spent = (
        '{"agent_id":"a","model":"x","usage":{"input_tokens":1},"cost_usd":null,'
        '"duration_ms":5,"type":"agent_spent"}'
    )
    entered = (
        '{"worktree":{"slug":"fix","path":"/w","branch":"b","repository":"/r","base":null,'
        '"folder":"/w"},"type":"worktree_entered"}'
    )
    assert read(reply) == ReplyFinished(
        message_id=MessageId("m"),
        model="x",
        stop_reason="end_turn",
        usage=Usage(input_tokens=1),
        cost_usd=None,
        duration_ms=5,
        answer_ms=None,
        first_ms=None,
    )
    assert read(spent) == AgentSpent(
        agent_id=AgentId("a"),
        model="x",
        usage=Usage(input_tokens=1),
        cost_usd=None,
        duration_ms=5,
        answer_ms=None,
    )
    event = read(entered)
    assert isinstance(event, WorktreeEntered)
    assert event.worktree.original_branch == ""
