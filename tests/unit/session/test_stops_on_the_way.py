"""A stop, or the end of the session, while a prompt is still on its way into it."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.errors import SessionError, UnknownSession
from pilotfish.session.session import Session
from pilotfish.tooling import scheduler
from pilotfish.workspace import file_writer
from pilotfish.workspace.disk import write_file

from tests.support.engine_stage import EngineStage, ask
from tests.support.stage import body_of, text_of
from tests.support.waiting import until
from tools.fake_model import ToolUse, Turn

WAIT_S = 30.0
"""Longest wait for what must happen at once."""


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[EngineStage]:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        yield stage


class Intake:
    """A session's intake, at which prompts wait until they are let in."""

    def __init__(self, session: Session) -> None:
        self._inner = session.workbench.intake
        self.reached = asyncio.Event()
        self.let_in = asyncio.Event()

    async def take(self, *given: Any) -> Any:
        self.reached.set()
        await self.let_in.wait()
        return await self._inner.take(*given)


def held_up(session: Session, monkeypatch: pytest.MonkeyPatch) -> Intake:
    intake = Intake(session)
    monkeypatch.setattr(session.workbench, "intake", intake)
    return intake


async def test_a_stop_reaches_a_prompt_whose_attachments_are_still_being_read(
    stage: EngineStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.play(["Never said.", "Later."])
    session = await stage.session()
    intake = held_up(session, monkeypatch)
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        prompt = group.create_task(ask(session, "Look at this"))
        await intake.reached.wait()
        await session.cancel()
        intake.let_in.set()
    assert prompt.result().reason == "aborted_streaming"
    assert stage.fake.requests == []
    kinds = [event.type for event in stage.events(session)]
    assert kinds.count("prompt_queued") == kinds.count("prompt_dropped") == 1
    assert "turn_started" not in kinds
    assert (await ask(session, "And now?")).reason == "completed"
    assert "Look at this" not in str(stage.fake.requests[-1].body["messages"])
    stage.check(session)


class HeldWrites:
    """The disk, on which a write waits until it is let through."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._began, self._may_end = threading.Event(), threading.Event()
        self._write = write_file
        monkeypatch.setattr(file_writer, "write_file", self)

    def __call__(self, *given: Any, **named: Any) -> Any:
        self._began.set()
        assert self._may_end.wait(WAIT_S)
        return self._write(*given, **named)

    async def begun(self) -> None:
        assert await asyncio.to_thread(self._began.wait, WAIT_S)

    def let_through(self) -> None:
        self._may_end.set()


async def test_a_stop_lets_a_write_that_has_begun_end_and_the_model_learns_the_truth(
    stage: EngineStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "INTERRUPT_GRACE_S", WAIT_S)
    writes = HeldWrites(monkeypatch)
    calls = [ToolUse("Write", {"file_path": f"{name}.txt", "content": name}) for name in "ab"]
    stage.play([Turn(list(calls)), "As you like."])
    session = await stage.session()
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        prompt = group.create_task(ask(session, "Write both"))
        await writes.begun()
        stop = group.create_task(session.cancel())
        others = asyncio.all_tasks() - {prompt, stop}
        await until(lambda: any(task.cancelling() for task in others))
        writes.let_through()
    assert prompt.result().reason == "aborted_tools"
    assert (stage.project / "a.txt").read_text() == "a"
    assert not (stage.project / "b.txt").exists()
    assert (await ask(session, "And now?")).reason == "completed"
    told = body_of(stage.fake)["messages"][2]["content"]
    done, dropped = [block for block in told if block["type"] == "tool_result"]
    assert [one.get("is_error", False) for one in (done, dropped)] == [False, True]
    assert "a.txt" in text_of(done)
    assert "Nothing was run" in text_of(dropped)
    stage.check(session)


async def test_a_session_that_was_closed_begins_no_turn(
    stage: EngineStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await stage.session()
    intake = held_up(session, monkeypatch)
    prompt = asyncio.ensure_future(ask(session, "Look at this"))
    async with asyncio.timeout(WAIT_S):
        await intake.reached.wait()
        await stage.manager.close(session.id)
        intake.let_in.set()
        with pytest.raises(SessionError, match="closed"):
            await prompt
        session.wake()
        with pytest.raises(SessionError, match="closed"):
            session.say("Still there?")
    assert session.state == "idle"
    assert stage.fake.requests == []


@pytest.mark.parametrize("ends", ["close", "delete"])
async def test_a_session_that_is_opened_while_it_ends_is_opened_after_that(
    stage: EngineStage, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    stage.play(["One.", "Two."])
    session = await stage.session()
    await ask(session, "First")
    reached, may_end = asyncio.Event(), asyncio.Event()
    end = session.workbench.close

    async def lingers() -> None:
        reached.set()
        await may_end.wait()
        await end()

    monkeypatch.setattr(session.workbench, "close", lingers)
    async with asyncio.timeout(WAIT_S):
        ending = asyncio.ensure_future(getattr(stage.manager, ends)(session.id))
        await reached.wait()
        opening = asyncio.ensure_future(stage.manager.load(session.id))
        may_end.set()
        await ending
        if ends == "delete":
            with pytest.raises(UnknownSession):
                await opening
            return
        again = await opening
        assert again is not session
        assert (await ask(again, "Second")).reason == "completed"
    assert "First" in str(stage.fake.requests[-1].body["messages"])
