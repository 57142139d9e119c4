"""What a client is shown of a session, and when."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.errors import SessionError
from pilotfish.core.events import TitleChanged
from pilotfish.core.ids import MAIN_AGENT, RequestId, SessionId, ToolUseId
from pilotfish.core.permission import PermissionQuestion
from pilotfish.edges.attachment import Attachment
from pilotfish.session.log import EventLog
from pilotfish.session.session import Session
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.util import slices
from pilotfish.util.clock import SystemClock
from pilotfish.util.tasks import TaskScope

from tests.support.waiting import WAIT_S, until

SESSION = SessionId("s-1")
QUESTION = PermissionQuestion(
    request_id=RequestId("r-1"),
    session_id=SESSION,
    agent_id=MAIN_AGENT,
    tool_use_id=ToolUseId("toolu_1"),
    tool="Bash",
    title="ls",
    input={"command": "ls"},
    reason="because",
    risk="normal",
    suggestions=(),
    hide_always=False,
)


class SlowDisk(TranscriptWriter):
    """Lets nothing be flushed until told so; then the flush may fail."""

    def __init__(self, path: Path, error: SessionError | None = None) -> None:
        super().__init__(path)
        self.ready = asyncio.Event()
        self.waits = 0
        self._error = error

    async def flush(self) -> None:
        self.waits += 1
        await self.ready.wait()
        if self._error is not None:
            raise self._error
        await super().flush()


class Client:
    """Says yes to every question."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.told: list[str] = []
        """Titles of the session that it was told of, and questions, in order."""
        self.on_title: Callable[[str], None] = lambda _: None

    def notify(self, method: str, params: dict[str, Any]) -> None:
        if method == "session/update" and "title" in params["update"]:
            self.told.append(params["update"]["title"])
            self.on_title(params["update"]["title"])

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(params)
        self.told.append("question")
        return {"outcome": {"outcome": "selected", "optionId": "allow_once"}}


async def question_put(writer: SlowDisk) -> None:
    """Put a question with a slow disk: it must not be shown before it is stored."""
    clock, tasks, client = SystemClock(), TaskScope("test"), Client()
    session = Session(SESSION, EventLog(writer, clock), clock, tasks)
    attachment = Attachment(
        session,
        client,
        can_answer=True,
        can_fill_forms=False,
        extended=False,
        on_closed=lambda: None,
    )
    asking = tasks.start(session.inbox.ask(QUESTION), name="ask")
    await until(lambda: writer.waits == 1)
    assert session.inbox.open_questions() == (QUESTION,)
    assert client.asked == []
    writer.ready.set()
    answer = await asyncio.wait_for(asking, WAIT_S)
    assert answer.kind == "allow_once"
    assert len(client.asked) == 1
    await attachment.close()
    await writer.close()
    await tasks.close()


async def test_a_question_is_on_disk_before_it_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    await question_put(SlowDisk(path))
    assert '"question_asked"' in path.read_text().splitlines()[0]


async def test_a_question_is_shown_even_where_it_cannot_be_stored(tmp_path: Path) -> None:
    await question_put(SlowDisk(tmp_path / "s.jsonl", SessionError("the disk is full")))


async def test_what_happens_during_a_replay_comes_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "SLICE_S", 0.0)
    clock, tasks, client = SystemClock(), TaskScope("test"), Client()
    writer = TranscriptWriter(tmp_path / "s.jsonl")
    session = Session(SESSION, EventLog(writer, clock), clock, tasks)
    for number in range(50):
        session.log.emit(TitleChanged(title=f"old {number}"))
    history = session.log.held_after(0)
    session.log.emit(TitleChanged(title="since it was collected"))
    attachment = Attachment(
        session,
        client,
        can_answer=True,
        can_fill_forms=False,
        extended=True,
        on_closed=lambda: None,
    )
    asking: list[asyncio.Task[Any]] = []

    def go_on(title: str) -> None:
        if title == "old 5":
            session.log.emit(TitleChanged(title="meanwhile"))
            asking.append(tasks.start(session.inbox.ask(QUESTION), name="ask"))

    client.on_title = go_on
    await asyncio.wait_for(attachment.replay(history), WAIT_S)
    await asyncio.wait_for(asking[0], WAIT_S)
    await attachment.caught_up()
    session.log.emit(TitleChanged(title="after"))
    old = [f"old {number}" for number in range(50)]
    assert client.told == [*old, "since it was collected", "meanwhile", "question", "after"]
    await attachment.close()
    await writer.close()
    await tasks.close()
