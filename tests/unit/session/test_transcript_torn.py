"""A transcript that was cut anywhere, or torn in its middle, loses what was hit and nothing else."""

import asyncio
import signal
import sys
import textwrap
from pathlib import Path

import pytest
from pilotfish.core.events import (
    BlockFinished,
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
from pilotfish.session import codec
from pilotfish.session.log import EventLog
from pilotfish.session.recovery import recover
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.session.transcript_reader import Reading, read_records
from pilotfish.session.transcript_store import TranscriptStore

from tests.support.fake_clock import FakeClock

ID = SessionId("0a1b2c3d-0000-4000-8000-000000000003")

COPY, COPY2, COPY3 = (SessionId(f"0a1b2c3d-0000-4000-8000-00000000000{n}") for n in (4, 5, 6))

CALL = ToolUseId("c")


def events() -> list[KeptEvent]:
    """Return a turn with a call, and a second one; letters of several bytes are in both."""
    reply, again = MessageId("r"), MessageId("s")
    use = ToolUseBlock(id=CALL, name="Read", input={"file_path": "größe.py"})
    said = (TextBlock(text="größer → 🐟"),)
    return [
        SessionCreated(session_id=ID, cwd="/p", version="0", mode="default", model="m"),
        TurnStarted(turn_id=TurnId("t"), model="m"),
        PromptSubmitted(message_id=MessageId("p"), content=said),
        BlockFinished(message_id=reply, block_index=0, block=use),
        ToolStarted(tool_use_id=CALL, tool="Read", title="größe.py", kind="read", input=use.input),
        ReplyFinished(
            message_id=reply, model="m", stop_reason="tool_use", usage=Usage(), cost_usd=0.5
        ),
        ToolFinished(tool_use_id=CALL, status="completed", content=said),
        BlockFinished(message_id=again, block_index=0, block=TextBlock(text="Read it.")),
        ReplyFinished(
            message_id=again, model="m", stop_reason="end_turn", usage=Usage(), cost_usd=0.25
        ),
        TurnEnded(turn_id=TurnId("t"), reason="completed"),
    ]


LINES = [
    codec.to_line(EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT))
    for seq, event in enumerate(events(), 1)
]

WHOLE = b"".join(LINES)


def whole_lines(size: int) -> int:
    """Return how many events are whole in the first bytes; the last needs no newline for that."""
    found = end = 0
    for line in LINES:
        end += len(line)
        if size < end - 1:
            break
        found += 1
    return found


def test_cut_at_every_byte_all_that_is_whole_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    for size in range(len(WHOLE) + 1):
        path.write_bytes(WHOLE[:size])
        reading = Reading()
        found = [record.event for record in read_records(path, reading)]
        assert found == events()[: whole_lines(size)], size
        assert reading.problem() == "", size
        assert reading.torn == (size > 0 and size not in ENDS), size


ENDS = {
    end - minus
    for end in (len(b"".join(LINES[:count])) for count in range(1, len(LINES) + 1))
    for minus in (0, 1)
}
"""Where a line is whole, with its newline and without."""


async def test_cut_at_any_byte_the_session_goes_on_and_every_call_has_its_result(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.jsonl"
    first = len(LINES[0])
    for size in range(first, len(WHOLE) + 1, 7):
        path.write_bytes(WHOLE[:size])
        log = EventLog(TranscriptWriter(path), FakeClock())
        await log.restore()
        recover(log)
        log.emit(TitleChanged(title="goes on"))
        await log.close()

        again = EventLog(TranscriptWriter(path), FakeClock())
        reading = await again.restore()
        assert (reading.problem(), again.data.title) == ("", "goes on"), size
        assert again.data.used.total.cost_usd == log.data.used.total.cost_usd, size
        messages = again.conversation.messages()
        assert list(messages) == list(log.conversation.messages()), size
        seqs = [record.seq for record in read_records(path)]
        assert seqs == list(range(1, len(seqs) + 1)), size
        await again.close()


def test_a_line_torn_at_every_byte_in_the_middle_costs_that_line_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    before, hit, after = b"".join(LINES[:5]), LINES[5], b"".join(LINES[6:])
    for size in range(len(hit) - 1):
        path.write_bytes(before + hit[:size] + b"\n" + after)
        reading = Reading()
        found = [record.event for record in read_records(path, reading)]
        assert found == [*events()[:5], *events()[6:]], size
        # What a crash leaves is no reason to trouble anybody.
        assert (reading.problem(), reading.torn) == ("", size > 0), size


@pytest.mark.parametrize("garbage", [b"x", b"}", b"\xff\xfe", b'"', b"{"])
def test_what_no_crash_leaves_is_said(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "s.jsonl"
    hit = LINES[5]
    for size in (1, 3, 20, len(hit) - 20):
        line = garbage + hit[:size] + b"\n"
        path.write_bytes(b"".join(LINES[:5]) + line + b"".join(LINES[6:]))
        reading = Reading()
        assert len(list(read_records(path, reading))) == len(LINES) - 1
        assert (reading.damaged, reading.torn) == (1, False), size


def test_lines_run_together_where_a_newline_was_lost_cost_those_two(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(LINES[:4]) + LINES[4].rstrip() + b"".join(LINES[5:]))
    reading = Reading()
    found = [record.event for record in read_records(path, reading)]
    assert found == [*events()[:4], *events()[6:]]
    assert (reading.damaged, reading.torn) == (1, False)


async def test_a_copy_of_a_session_is_there_whole_or_not_at_all_when_the_process_is_killed(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    store = TranscriptStore(home)
    source = store.path_for(ID, Path("/p"))
    source.parent.mkdir(parents=True)
    source.write_bytes(WHOLE)
    stopped = tmp_path / "killed_in_a_copy.py"
    stopped.write_text(
        textwrap.dedent(
            """
            import asyncio, os, signal, sys
            from pathlib import Path
            from pilotfish.core.ids import SessionId
            from pilotfish.session import codec, fork
            from pilotfish.session.transcript_store import TranscriptStore

            home, source, copy, lines = sys.argv[1:]
            left = int(lines)

            def to_line(record):
                global left
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                left -= 1
                return real(record)

            real, codec.to_line = codec.to_line, to_line
            asyncio.run(TranscriptStore(Path(home)).fork(SessionId(source), SessionId(copy)))
            """
        ),
        encoding="utf-8",
    )
    for lines, copy in ((0, COPY), (5, COPY2)):
        arguments = [sys.executable, str(stopped), str(home), ID, copy, str(lines)]
        process = await asyncio.create_subprocess_exec(*arguments)
        assert await process.wait() == -signal.SIGKILL
        assert await store.find(copy) is None
        assert source.read_bytes() == WHOLE
    # What the killed process left does not stand in the way of the next copy.
    copied = list(read_records(await store.fork(ID, COPY3)))
    assert [record.event for record in copied][1:] == events()[1:]
    assert {one.session_id for one in await store.list_sessions()} == {ID, COPY3}
