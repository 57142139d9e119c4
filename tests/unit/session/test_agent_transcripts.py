"""What becomes of the agents' transcripts when people search, copy, export and delete a session."""

from pathlib import Path

from pilotfish.core.agent_events import AgentStarted
from pilotfish.core.events import (
    BlockFinished,
    EventRecord,
    KeptEvent,
    PromptSubmitted,
    ReplyDiscarded,
    ReplyFinished,
    SessionCreated,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import MAIN_AGENT, AgentId, MessageId, SessionId, ToolUseId, TurnId
from pilotfish.core.messages import TextBlock, Usage
from pilotfish.session import codec
from pilotfish.session.agent_transcripts import (
    AgentTrace,
    agent_transcript,
    agent_transcripts,
    copy_agents,
    trace_of,
)
from pilotfish.session.session_document import document_of
from pilotfish.session.transcript_reader import read_records
from pilotfish.session.transcript_store import TranscriptStore
from pilotfish.util.redact import Redactor

from tests.support.made_up_agents import facts

ID = SessionId("0a1b2c3d-0000-4000-8000-000000000008")
COPY = SessionId("0a1b2c3d-0000-4000-8000-000000000009")
SECRET = "ghp_" + "q1" * 18


def created(cwd: Path) -> SessionCreated:
    return SessionCreated(session_id=ID, cwd=str(cwd), version="0", mode="default", model="m")


def turn(number: int, *inside: KeptEvent, prompt: str = "Go") -> list[KeptEvent]:
    turn_id, message = TurnId(f"t{number}"), MessageId(f"p{number}")
    return [
        TurnStarted(turn_id=turn_id, model="m"),
        PromptSubmitted(message_id=message, content=(TextBlock(text=prompt),)),
        *inside,
        TurnEnded(turn_id=turn_id, reason="completed"),
    ]


def said(text: str) -> BlockFinished:
    return BlockFinished(message_id=MessageId("m"), block_index=0, block=TextBlock(text=text))


def write(path: Path, events: list[KeptEvent], agent: AgentId = MAIN_AGENT) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        codec.to_line(EventRecord(seq=seq, time_ms=seq, event=event, agent_id=agent))
        for seq, event in enumerate(events, 1)
    ]
    path.write_bytes(b"".join(lines))


def stored(home: Path) -> tuple[TranscriptStore, Path, Path]:
    """Store a session of two turns, each with an agent; returns store, project, transcript."""
    project = home / "project"
    project.mkdir(parents=True)
    store = TranscriptStore(home)
    path = store.path_for(ID, project)
    events: list[KeptEvent] = [created(project)]
    for number, agent in enumerate(("a1", "a2")):
        begun = AgentStarted(facts=facts(agent, description=f"errand {number}"))
        events += turn(number, begun, said("Main words."))
        inside = turn(10 + number, said(f"The needle of {agent} is {SECRET}."))
        write(agent_transcript(path, AgentId(agent)), [created(project), *inside], AgentId(agent))
    write(path, events)
    return store, project, path


async def test_what_only_an_agent_has_said_is_found(tmp_path: Path) -> None:
    store, project, _ = stored(tmp_path)
    result = await store.search("NEEDLE of a2", project)
    assert [one.summary.session_id for one in result.found] == [ID]
    assert "needle of a2" in result.found[0].snippet
    assert (await store.search("no such words", project)).found == []
    assert len(await store.list_sessions(None)) == 1, "agents are no sessions of their own"


async def test_a_copy_has_the_agents_that_it_knows(tmp_path: Path) -> None:
    store, _, path = stored(tmp_path)
    target = await store.fork(ID, COPY, MessageId("p1"))
    assert [one.name for one in agent_transcripts(target)] == ["agent-a1.jsonl"]
    records = list(read_records(agent_transcript(target, AgentId("a1"))))
    first = records[0].event
    assert isinstance(first, SessionCreated)
    assert (first.session_id, first.forked_from) == (COPY, ID)
    assert {record.agent_id for record in records} == {AgentId("a1")}
    assert len(agent_transcripts(path)) == 2
    whole = path.with_name("whole.jsonl")
    whole.write_bytes(path.read_bytes())
    assert copy_agents(path, whole, COPY) == {TurnId("t10"), TurnId("t11")}


async def test_a_document_has_what_the_agents_did_without_secrets(tmp_path: Path) -> None:
    _, _, path = stored(tmp_path)
    text = "".join(document_of(path, Redactor(home=tmp_path)))
    assert text.index("Main words.") < text.index("# Agent Explore: errand 0")
    assert text.index("# Agent Explore: errand 0") < text.index("The needle of a1")
    assert "# Agent Explore: errand 1" in text
    assert SECRET not in text


async def test_deleting_leaves_nothing(tmp_path: Path) -> None:
    store, _, path = stored(tmp_path)
    for left in (".draft", ".draft.part"):
        path.with_suffix(left).write_text("what it was saying", encoding="utf-8")
    assert await store.delete(ID)
    assert list(path.parent.iterdir()) == []


def test_what_an_agent_came_to_is_read_from_its_events(tmp_path: Path) -> None:
    """Also from a transcript that ends within a line, and without those that hold much text."""
    usage = Usage(input_tokens=900, cache_read_tokens=80, output_tokens=20)
    reply = ReplyFinished(
        message_id=MessageId("m"), model="m", stop_reason="tool_use", usage=usage, cost_usd=None
    )
    events: list[KeptEvent] = [
        reply,
        ToolStarted(
            tool_use_id=ToolUseId("t"),
            tool="Write",
            title="t",
            kind="edit",
            input={"content": '{"type":"tool_started"}\n{"type":"reply_finished"}'},
        ),
        ReplyDiscarded(message_id=MessageId("n"), model="m", usage=usage),
        BlockFinished(
            message_id=MessageId("o"), block_index=0, block=TextBlock(text='"type":"tool_started"')
        ),
    ]
    lines = [
        codec.to_line(EventRecord(seq=seq, time_ms=seq * 10, event=event, agent_id=AgentId("a")))
        for seq, event in enumerate(events, start=1)
    ]
    path = tmp_path / "agent-a.jsonl"
    path.write_bytes(b"".join(lines))
    assert trace_of(path) == AgentTrace(tokens=2_000, tool_uses=1, last_ms=40)
    path.write_bytes(b"".join(lines)[:-20])
    assert trace_of(path) == AgentTrace(tokens=2_000, tool_uses=1, last_ms=30)
    assert trace_of(tmp_path / "none.jsonl") == AgentTrace()
