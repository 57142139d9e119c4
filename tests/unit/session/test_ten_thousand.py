"""Long work leaves nothing behind: no listener, no task, no timer, however many items went by.

Design 04 §9: JIRA-002, JIRA-003, JIRA-009.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from pilotfish.core.errors import SessionError
from pilotfish.core.events import EventRecord, NoteAdded, PromptSubmitted, TurnEnded
from pilotfish.core.mentions import Mention
from pilotfish.core.messages import DocumentBlock, ImageBlock, TextBlock, text_of
from pilotfish.engine.state import TurnEnd, TurnIdentity
from pilotfish.engine.turn import Turn
from pilotfish.session import log, transcript
from pilotfish.session.commands import NoCommands
from pilotfish.session.prompt_intake import Taken
from pilotfish.session.prompt_queue import MAX_QUEUED_PROMPTS
from pilotfish.session.session import Session
from pilotfish.session.workbench import Workbench

from tests.support.engine_stage import EngineStage, ask
from tests.support.made_up_agents import MadeUp
from tests.support.waiting import until
from tools.fake_model import Pace, Stall
from tools.fake_model import Turn as Said

ITEMS = 10_000

MAX_TIMERS = 250
"""The loop drops cancelled timers when there are more than a hundred."""


def timers() -> int:
    """Return how many timers the loop holds, cancelled ones included."""
    loop: Any = asyncio.get_running_loop()
    return len(loop._scheduled)


class PlainTurn:
    """A turn that asks nobody: it takes what waits, and ends."""

    def __init__(
        self,
        take_queued: Callable[[], list[PromptSubmitted]],
        taken: list[str],
        flush: Callable[[], Awaitable[None]],
    ) -> None:
        self._take_queued = take_queued
        self._taken = taken
        self._flush = flush

    async def run(self, _: object) -> TurnEnd:
        await self._flush()
        self._taken.extend(text_of(each.content) for each in self._take_queued())
        return TurnEnd(reason="completed")


class PlainBench:
    """As much of a workbench as plain turns need."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.taken: list[str] = []
        self._turns = 0
        self.intake = self
        self.commands = NoCommands()

    async def take(
        self,
        content: Sequence[TextBlock | ImageBlock],
        _documents: Sequence[DocumentBlock],
        _mentions: Sequence[Mention],
    ) -> Taken:
        return Taken(content=tuple(content), notes=())

    async def build_turn(
        self, _: TurnIdentity, take_queued: Callable[[], list[PromptSubmitted]]
    ) -> Turn:
        return cast("Turn", PlainTurn(take_queued, self.taken, self._flush_sometimes))

    async def _flush_sometimes(self) -> None:
        """Write to disk now and then: ten thousand writes are another test's."""
        self._turns += 1
        if self._turns % 100 == 0:
            await self._session.log.flush()
        else:
            await asyncio.sleep(0)

    async def close(self) -> None:
        pass


def equip(session: Session) -> PlainBench:
    bench = PlainBench(session)
    session.equip(cast("Workbench", bench))
    return bench


FOLDERS_OWN = ("index of ", "settings watch:")
"""How tasks are named that serve the folder: they begin and end with its files, not with prompts."""


def tasks_of_prompts() -> list[str]:
    """Return the names of the tasks that run, without those that only serve the folder."""
    names = (task.get_name() for task in asyncio.all_tasks())
    return sorted(name for name in names if not name.startswith(FOLDERS_OWN))


async def until_no_more_than(before: list[str]) -> None:
    """Wait until no more tasks run than ran before; a failure names them."""
    try:
        # The model's server is in this process, and a connection that was closed has no task.
        await until(lambda: len(tasks_of_prompts()) <= len(before))
    except TimeoutError:
        pytest.fail(f"before: {before}, now: {tasks_of_prompts()}")


async def test_ten_thousand_pieces_of_a_reply_leave_no_task_listener_or_timer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        stage.play([Said("Hello."), Said("x" * ITEMS, pace=Pace(chunk_chars=1))])
        await ask(session, "Warm up")  # connections and caches are made once
        before = (session.log.listeners, tasks_of_prompts())
        assert (await ask(session, "Tell me much")).reason == "completed"
        assert session.log.conversation.last_text() == "x" * ITEMS
        await until_no_more_than(before[1])
        assert session.log.listeners == before[0]
        assert timers() < MAX_TIMERS


async def test_a_stop_among_many_pieces_is_cancelled_and_leaves_as_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        long = Said("x" * ITEMS, pace=Pace(chunk_chars=1), faults=[Stall(after_events=ITEMS // 2)])
        stage.play([Said("Hello."), long])
        await ask(session, "Warm up")  # connections and caches are made once
        before = (session.log.listeners, tasks_of_prompts())
        prompt = asyncio.get_running_loop().create_task(ask(session, "Tell me much"))
        await stage.fake.wait_for_stall()
        await session.cancel()
        assert (await prompt).reason == "aborted_streaming"
        await until_no_more_than(before[1])
        assert session.log.listeners == before[0]
        assert timers() < MAX_TIMERS


async def test_ten_thousand_turns_leave_no_listener_and_no_task(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        session = made.session
        equip(session)
        await ask(session, "Warm up")
        before = (session.log.listeners, tasks_of_prompts(), timers())
        for _ in range(ITEMS):
            assert (await ask(session, "go")).reason == "completed"
        assert len(session.queue) == 0
        assert session.data.open_turn is None
        await session.log.flush()
        await until_no_more_than(before[1])
        assert session.log.listeners == before[0]
        assert timers() - before[2] < MAX_TIMERS


async def test_a_thousand_prompts_with_stops_among_them_come_out_in_order_each_answered_once(
    tmp_path: Path,
) -> None:
    async with MadeUp.open(tmp_path) as made:
        session = made.session
        bench = equip(session)
        loop = asyncio.get_running_loop()
        sent: list[asyncio.Task[TurnEnded]] = []
        stopped: set[int] = set()
        for number in range(MAX_QUEUED_PROMPTS):
            sent.append(loop.create_task(ask(session, f"prompt {number}")))
            if number % 100 == 50:
                await asyncio.sleep(0)  # what was sent is queued, and not taken yet
                waiting = len(session.queue)
                stopped |= set(range(number + 1 - waiting, number + 1))
                await session.cancel()
        ends = await asyncio.gather(*sent)
        assert len(ends) == MAX_QUEUED_PROMPTS
        assert bench.taken == sorted(bench.taken, key=lambda text: int(text.split()[1]))
        assert not {int(text.split()[1]) for text in bench.taken} & stopped
        for number in stopped:
            assert ends[number].reason.startswith("aborted")
        assert len(session.queue) == 0


async def test_a_prompt_waits_for_a_slow_disk_and_is_refused_by_one_that_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "MAX_QUEUED_RECORDS", 1)
    takes = threading.Event()
    write = transcript.TranscriptWriter._write

    def slowly(self: transcript.TranscriptWriter, batch: Sequence[EventRecord]) -> int:
        takes.wait()
        return write(self, batch)

    monkeypatch.setattr(transcript.TranscriptWriter, "_write", slowly)
    async with MadeUp.open(tmp_path) as made:
        session = made.session
        bench = equip(session)
        session.log.emit(NoteAdded(text="on its way", origin="recovery"))
        waiting = asyncio.create_task(ask(session, "first"))
        await asyncio.sleep(0)
        assert (waiting.done(), bench.taken, len(session.queue)) == (False, [], 0)
        takes.set()
        assert (await waiting).reason == "completed"

        takes.clear()
        monkeypatch.setattr(log, "ROOM_WAIT_S", 0.01)
        session.log.emit(NoteAdded(text="on its way", origin="recovery"))
        with pytest.raises(SessionError, match="waits to be written to disk"):
            await ask(session, "second")
        takes.set()
