"""What a client is told of a session's agents, on a real engine; what the agents do is made up."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.agent_events import AgentBackgrounded, AgentEnded, AgentStarted
from pilotfish.core.errors import AgentError, SessionError
from pilotfish.core.events import (
    BlockFinished,
    KeptEvent,
    PromptSubmitted,
    TodosChanged,
    ToolStarted,
    TurnStarted,
)
from pilotfish.core.ids import AgentId, MessageId, SessionId, ToolUseId, TurnId
from pilotfish.core.messages import TextBlock
from pilotfish.core.passing_events import BlockDelta
from pilotfish.core.todos import TodoItem
from pilotfish.edges.agent_methods import AgentMethods
from pilotfish.edges.attachment import Attachment
from pilotfish.edges.snapshots import history_of
from pilotfish.session.agent_transcripts import agent_transcript
from pilotfish.session.log import EventLog
from pilotfish.session.session import Session
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.util.clock import SystemClock
from pilotfish.util.tasks import TaskScope
from pilotfish.wire.agent_methods import DISMISS, LIST, UNVIEW, VIEW
from pydantic import BaseModel

from tests.support.engine_stage import EngineStage
from tests.support.made_up_agents import facts, outcome
from tests.support.waiting import until

MESSAGE = MessageId("m-1")


class Client:
    """Keeps what it is sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self.sent.append((method, params))

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError(f"{method} {params}")

    def of_agent(self, agent: str) -> list[int]:
        """Return the places of an agent's events that came."""
        metas = [
            params["_meta"]["pilotfish"]
            for method, params in self.sent
            if method == "session/update" and "_meta" in params
        ]
        return [meta["seq"] for meta in metas if meta["agentId"] == agent]

    def lists(self) -> list[dict[str, Any]]:
        return [params for method, params in self.sent if method == "_pilotfish/agents/changed"]


class Story:
    """A session that a client follows, and agents in it."""

    def __init__(self, stage: EngineStage, session: Session) -> None:
        self.session = session
        self.client = Client()
        self._methods = AgentMethods(stage.manager, self._get).handlers()
        self.attachment = Attachment(
            session,
            self.client,
            can_answer=True,
            can_fill_forms=False,
            extended=True,
            on_closed=lambda: None,
        )
        self._children: list[Session] = []

    def _get(self, _: str) -> Session:
        return self.session

    async def call(self, method: str, **params: Any) -> Any:
        handler = self._methods[method]
        given = {"sessionId": self.session.id, **params}
        answer = await handler.call(handler.params.model_validate(given))
        assert isinstance(answer, BaseModel)
        return answer.model_dump(by_alias=True)

    def begin(self, agent: str, **more: Any) -> Session:
        """Start an agent whose own session the test drives."""
        self.session.log.emit(AgentStarted(facts=facts(agent, **more)))
        writer = TranscriptWriter(agent_transcript(self.session.log.path, AgentId(agent)))
        log = EventLog(writer, SystemClock(), AgentId(agent))
        child = Session(SessionId(self.session.id), log, SystemClock(), TaskScope("child"))
        child.equip(self.session.workbench)
        self._children.append(child)
        self.session.roster.follow(AgentId(agent), child)
        return child

    async def end(self, agent: str, child: Session) -> None:
        self.session.log.emit(AgentEnded(agent_id=AgentId(agent), outcome=outcome(ended_ms=2**41)))
        await child.log.flush()

    async def close(self) -> None:
        for child in self._children:
            await child.log.close()
        await self.attachment.close()


@pytest.fixture
async def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Story]:
    async with _open(tmp_path, monkeypatch) as found:
        yield found


@asynccontextmanager
async def _open(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Story]:
    async with EngineStage.open(folder, monkeypatch) as stage:
        found = Story(stage, await stage.session())
        try:
            yield found
        finally:
            await found.close()


def said(text: str) -> list[KeptEvent]:
    return [
        TurnStarted(turn_id=TurnId("t-1"), model="m"),
        PromptSubmitted(message_id=MessageId("p-1"), content=(TextBlock(text="Where?"),)),
        BlockFinished(message_id=MESSAGE, block_index=0, block=TextBlock(text=text)),
    ]


async def test_a_client_hears_of_rows_but_not_of_what_agents_in_the_background_do(
    story: Story,
) -> None:
    child = story.begin("a", color="red", name="scout")
    for event in said("In the parser."):
        child.log.emit(event)
    await until(lambda: len(story.client.lists()) > 0)
    [row] = story.client.lists()[-1]["agents"]
    assert row["agentId"] == "a"
    assert (row["status"], row["color"], row["name"], row["depth"]) == (
        "running",
        "red",
        "scout",
        1,
    )
    assert (row["parentAgentId"], row["parentToolCallId"]) == ("main", "toolu_a")
    assert story.client.of_agent("a") == []
    listed = await story.call(LIST.name)
    assert listed["agents"] == [row]
    assert listed["viewing"] is None
    every = await story.call(LIST.name, sessionId=None)
    assert every["agents"] == [row]


async def test_whoever_looks_gets_what_was_and_then_each_event_once(story: Story) -> None:
    child = story.begin("a")
    for event in said("In the parser."):
        child.log.emit(event)
    answer = await story.call(VIEW.name, agentId="a")
    assert answer["snapshot"]["seq"] == 3
    assert answer["snapshot"]["title"] == "find it"
    texts = [update["update"].get("content") for update in answer["snapshot"]["updates"]]
    assert {"type": "text", "text": "In the parser."} in texts
    child.log.tell(BlockDelta(message_id=MESSAGE, block_index=1, kind="text", text="And "))
    child.log.tell(BlockDelta(message_id=MESSAGE, block_index=1, kind="text", text="more."))
    child.log.emit(
        BlockFinished(message_id=MESSAGE, block_index=1, block=TextBlock(text="And more."))
    )
    assert story.client.of_agent("a") == [3, 4]
    texts = [
        params["update"]["content"]["text"]
        for method, params in story.client.sent
        if method == "session/update" and params["update"]["sessionUpdate"] == "agent_message_chunk"
    ]
    assert texts == ["And more.", ""], "streamed text goes in bundles, and once"
    await story.call(UNVIEW.name)
    before = len(story.client.sent)
    child.log.emit(
        BlockFinished(message_id=MESSAGE, block_index=2, block=TextBlock(text="Unseen."))
    )
    assert not [1 for method, _ in story.client.sent[before:] if method == "session/update"], (
        "what is not looked at is not sent"
    )


async def test_a_foreground_agent_streams_into_its_card_until_it_is_moved(story: Story) -> None:
    child = story.begin("a", is_background=False)
    child.log.emit(said("x")[0])
    await until(lambda: len(story.client.lists()) > 0)
    assert [row["agentId"] for row in story.client.lists()[-1]["foreground"]] == ["a"]
    assert story.client.lists()[-1]["agents"] == []
    for event in said("x")[1:]:
        child.log.emit(event)
    updates = [params for method, params in story.client.sent if method == "session/update"]
    assert [one["_meta"]["pilotfish"]["seq"] for one in updates][-3:] == [1, 2, 3]
    story.session.log.emit(AgentBackgrounded(agent_id=AgentId("a")))
    await until(lambda: len(story.client.lists()) > 1)
    before = len(story.client.sent)
    child.log.emit(said("unseen")[2])
    assert not [1 for method, _ in story.client.sent[before:] if method == "session/update"]


async def test_an_ended_agent_is_read_from_its_file_page_by_page(story: Story) -> None:
    child = story.begin("a")
    todo = TodoItem(content="look", status="completed", active_form="looking")
    child.log.emit(TodosChanged(todos=(todo,)))
    for event in said("x" * 1_500_000):
        child.log.emit(event)
    for number in range(3):
        text = TextBlock(text=f"{number}" * 1_000_000)
        child.log.emit(BlockFinished(message_id=MESSAGE, block_index=number + 1, block=text))
    await story.end("a", child)
    answer = await story.call(VIEW.name, agentId="a")
    assert (answer["row"]["status"], answer["row"]["canResume"]) == ("completed", True)
    snapshot = answer["snapshot"]
    assert (snapshot["seq"], snapshot["state"], snapshot["hasEarlier"]) == (7, "idle", True)
    assert [one["content"] for one in snapshot["todos"]] == ["look"]
    seqs = [update["_meta"]["pilotfish"]["seq"] for update in snapshot["updates"]]
    while snapshot["hasEarlier"]:
        page = await history_of(story.session, snapshot["firstSeq"], AgentId("a"))
        snapshot = page.model_dump(by_alias=True)
        seqs = [one["_meta"]["pilotfish"]["seq"] for one in snapshot["updates"]] + seqs
    assert seqs == [1, 2, 3, 4, 5, 6, 7]
    await story.call(DISMISS.name, agentId="a")
    assert (await story.call(LIST.name))["agents"] == []


async def test_what_is_wrong_is_said(story: Story) -> None:
    with pytest.raises(AgentError, match="no agent 'x'"):
        await story.call(VIEW.name, agentId="x")
    child = story.begin("a")
    with pytest.raises(AgentError, match="still runs"):
        await story.call(DISMISS.name, agentId="a")
    await story.end("a", child)
    agent_transcript(story.session.log.path, AgentId("a")).unlink(missing_ok=True)
    with pytest.raises(SessionError, match="not on disk any more"):
        await story.call(VIEW.name, agentId="a")


async def test_a_client_that_comes_later_sees_what_there_is(story: Story) -> None:
    child = story.begin("a", is_background=False)
    call = ToolStarted(
        tool_use_id=ToolUseId("t"), tool="Grep", title="Grep", kind="search", input={}
    )
    for event in (*said("x"), call):
        child.log.emit(event)
    late = Client()
    attachment = Attachment(
        story.session,
        late,
        can_answer=True,
        can_fill_forms=False,
        extended=True,
        on_closed=lambda: None,
    )
    assert [row["activity"] for row in late.lists()[0]["foreground"]] == ["Grep"]
    updates = [params for method, params in late.sent if method == "session/update"]
    assert [one["_meta"]["pilotfish"]["seq"] for one in updates] == [1, 2, 3, 4]
    before = child.log.listeners
    await attachment.close()
    assert child.log.listeners == before - 1
