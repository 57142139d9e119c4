"""A transcript from elsewhere goes on as a new session, with what was said and nothing that permits."""

from pathlib import Path

import pytest
from pilotfish import __version__
from pilotfish.core.errors import SessionError
from pilotfish.core.events import (
    TRANSCRIPT_FORMAT,
    BlockFinished,
    ContextCleared,
    EventRecord,
    FileChanged,
    KeptEvent,
    ModeChanged,
    PlanApproved,
    PromptQueued,
    PromptSubmitted,
    ReplyFinished,
    RuleGranted,
    SessionCreated,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import (
    MAIN_AGENT,
    AgentId,
    CheckpointId,
    MessageId,
    SessionId,
    ToolUseId,
    TurnId,
)
from pilotfish.core.messages import TextBlock, Usage
from pilotfish.core.permission import PermissionRule
from pilotfish.core.worktree_events import SessionWorktree, WorktreeEntered
from pilotfish.session import codec
from pilotfish.session.foreign_transcript import TakenIn
from pilotfish.session.log import EventLog
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.session.transcript_reader import read_records
from pilotfish.session.transcript_store import TranscriptStore

from tests.support.fake_clock import FakeClock

OLD = SessionId("0a1b2c3d-0000-4000-8000-000000000001")
NEW = SessionId("0a1b2c3d-0000-4000-8000-000000000002")

CREATED = SessionCreated(
    session_id=OLD,
    cwd="/elsewhere",
    version="0",
    mode="bypassPermissions",
    model="m",
    allowed_tools=("Bash",),
    disallowed_tools=("WebFetch",),
    system_prompt_append="Speak like a sailor.",
)


def turn(number: int) -> list[KeptEvent]:
    turn_id, reply = TurnId(f"t{number}"), MessageId(f"r{number}")
    said = TextBlock(text=f"asked {number}")
    return [
        TurnStarted(turn_id=turn_id, model="m", cwd="/elsewhere"),
        PromptSubmitted(message_id=MessageId(f"p{number}"), content=(said,)),
        BlockFinished(message_id=reply, block_index=0, block=TextBlock(text=f"answered {number}")),
        ReplyFinished(
            message_id=reply, model="m", stop_reason="end_turn", usage=Usage(), cost_usd=0.5
        ),
        TurnEnded(turn_id=turn_id, reason="completed"),
    ]


def write(path: Path, *events: KeptEvent, agent_id: AgentId = MAIN_AGENT) -> Path:
    lines = [
        codec.to_line(EventRecord(seq=seq, time_ms=seq, event=event, agent_id=agent_id))
        for seq, event in enumerate(events, 1)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))
    return path


@pytest.fixture
def store(tmp_path: Path) -> TranscriptStore:
    return TranscriptStore(tmp_path / "home")


async def taken(store: TranscriptStore, file: Path, cwd: Path) -> EventLog:
    """Return the session that a file becomes."""
    assert await store.take_in(file, cwd, NEW) == TakenIn(session_id=NEW)
    log = EventLog(TranscriptWriter(store.path_for(NEW, cwd)), FakeClock())
    assert (await log.restore()).problem() == ""
    return log


async def test_what_was_said_goes_on_in_the_folder_of_the_run(
    store: TranscriptStore, tmp_path: Path
) -> None:
    file = write(tmp_path / "backup.jsonl", CREATED, *turn(1), *turn(2), *turn(3)[:-1])
    before = file.read_bytes()
    log = await taken(store, file, tmp_path)
    said = [
        block.text
        for message in log.conversation.messages()
        for block in message.content
        if isinstance(block, TextBlock)
    ]
    # The third turn never ended.
    assert said == ["asked 1", "answered 1", "asked 2", "answered 2"]
    assert (log.data.cwd, log.data.session_id) == (tmp_path, NEW)
    assert log.data.used.total.cost_usd == 1.0
    assert file.read_bytes() == before


async def test_nothing_that_permits_or_moves_comes_along(
    store: TranscriptStore, tmp_path: Path
) -> None:
    rule = PermissionRule(behavior="allow", source="session", tool="Bash")
    tree = SessionWorktree(slug="x", path="/w", branch="b", repository="/r", base=None, folder="/w")
    hostile: list[KeptEvent] = [
        CREATED,
        RuleGranted(rule=rule),
        ModeChanged(mode="acceptEdits", previous="default", cause="user"),
        PlanApproved(plan_path="/p.md", allowed_prompts=("run anything",)),
        WorktreeEntered(worktree=tree),
        PromptQueued(message_id=MessageId("q"), content=(TextBlock(text="later"),)),
        *turn(1),
        CREATED,
        FileChanged(
            path="/etc/passwd",
            tool_use_id=ToolUseId("c"),
            checkpoint_id=CheckpointId("x"),
            added_lines=1,
            removed_lines=1,
            created=False,
        ),
    ]
    log = await taken(store, write(tmp_path / "evil.jsonl", *hostile), tmp_path)
    kinds = [record.event.type for record in read_records(store.path_for(NEW, tmp_path))]
    assert kinds == ["session_created", *(event.type for event in turn(1))]
    data = log.data
    assert (data.mode, data.worktree, data.queued) == ("default", None, set())
    created = next(read_records(store.path_for(NEW, tmp_path))).event
    assert created == SessionCreated(
        session_id=NEW,
        cwd=str(tmp_path),
        version="0",
        mode="default",
        model="m",
        forked_from=OLD,
        disallowed_tools=("WebFetch",),
    )


async def test_what_the_model_had_forgotten_stays_forgotten(
    store: TranscriptStore, tmp_path: Path
) -> None:
    kept = ContextCleared(kept_from=MessageId("p2"), kept_seq=9)
    mode = ModeChanged(mode="plan", previous="default", cause="user")
    # Before the second turn, at 9, two events are left out.
    events = [CREATED, mode, *turn(1), mode, *turn(2), kept, *turn(3)]
    assert events[8] == turn(2)[0]
    log = await taken(store, write(tmp_path / "backup.jsonl", *events), tmp_path)
    prompts = [message.content for message in log.conversation.messages() if message.role == "user"]
    assert [content[0].text for content in prompts if isinstance(content[0], TextBlock)] == [
        "asked 2",
        "asked 3",
    ]
    records = list(read_records(store.path_for(NEW, tmp_path)))
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    cleared = next(one.event for one in records if isinstance(one.event, ContextCleared))
    begun = records[cleared.kept_seq - 1].event
    assert isinstance(begun, TurnStarted)
    assert begun.turn_id == "t2"


async def test_a_transcript_of_this_home_is_its_own_session(
    store: TranscriptStore, tmp_path: Path
) -> None:
    own = write(store.path_for(OLD, tmp_path), CREATED, *turn(1))
    link = tmp_path / f"{OLD}.jsonl"
    link.symlink_to(own)
    assert await store.take_in(own, tmp_path, NEW) == TakenIn(session_id=OLD)
    assert await store.take_in(link, tmp_path, NEW) == TakenIn(session_id=OLD)
    assert not store.path_for(NEW, tmp_path).exists()
    # One that is only called like it is another.
    link.unlink()
    write(link, CREATED, *turn(2))
    assert await store.take_in(link, tmp_path, NEW) == TakenIn(session_id=NEW)


@pytest.mark.parametrize("head", [b"", b"\0" * 300 + b"\n", b'{"seq":1,"time_ms":1,"eve\n'])
async def test_a_file_whose_first_line_is_lost_goes_on_and_says_so(
    store: TranscriptStore, tmp_path: Path, head: bytes
) -> None:
    file = write(tmp_path / "backup.jsonl", CREATED, *turn(1), *turn(2))
    _, *rest = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(head + b"".join(rest))
    taken_in = await store.take_in(file, tmp_path, NEW)
    assert taken_in.session_id == NEW
    assert f"The first line of {file} is lost." in taken_in.problem
    assert "It asks before it acts." in taken_in.problem
    first, *others = read_records(store.path_for(NEW, tmp_path))
    assert first.event == SessionCreated(
        session_id=NEW, cwd=str(tmp_path), version=__version__, mode="default", model="m"
    )
    assert [one.event.type for one in others] == [one.type for one in (*turn(1), *turn(2))]
    # Whatever happens to the copy's own first line, it never works where the file came from.
    assert {one.event.cwd for one in others if isinstance(one.event, TurnStarted)} == {
        str(tmp_path)
    }


async def test_what_cannot_be_read_of_a_file_is_told(
    store: TranscriptStore, tmp_path: Path
) -> None:
    file = write(tmp_path / "backup.jsonl", CREATED, *turn(1), *turn(2))
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:6], b"\0\0\n", *lines[6:]]))
    assert "1 line damaged" in (await store.take_in(file, tmp_path, NEW)).problem


async def test_what_is_no_transcript_says_so_and_leaves_nothing(
    store: TranscriptStore, tmp_path: Path
) -> None:
    newer = SessionCreated(
        session_id=OLD,
        cwd="/",
        version="9",
        mode="default",
        model="m",
        format=TRANSCRIPT_FORMAT + 1,
    )
    wrong = {
        "no transcript": write(tmp_path / "headless.jsonl", *turn(1)[1:]),
        "is no transcript": write(tmp_path / "agent.jsonl", *turn(1), agent_id=AgentId("a1")),
        "was written by Pilotfish 9": write(tmp_path / "newer.jsonl", newer, *turn(1)),
        "No such file": tmp_path / "gone.jsonl",
        "Is a directory": tmp_path,
    }
    for message, file in wrong.items():
        with pytest.raises(SessionError, match=message):
            await store.take_in(file, tmp_path, NEW)
    assert list((tmp_path / "home").rglob("*.jsonl")) == []
