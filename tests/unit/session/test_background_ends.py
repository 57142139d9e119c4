"""Each command in the background has one end, whatever happens, and its news get to the model.

Design 04 §10: AUT-002, AUT-003, AUT-007, AUT-010.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.core.background import TaskEnd
from pilotfish.core.events import BackgroundEnded
from pilotfish.core.ids import TaskId, ToolUseId
from pilotfish.session import background
from pilotfish.session.background import BackgroundTasks
from pilotfish.session.kept_works import KeptWorks

from tests.support.made_up_agents import MadeUp
from tests.support.waiting import until


class Work:
    """A command that ends when the test says so."""

    def __init__(self, question: str = "") -> None:
        self.end: asyncio.Future[TaskEnd] = asyncio.get_running_loop().create_future()
        self.process = asyncio.create_task(self.ended())
        self.process.add_done_callback(lambda task: task.cancelled() or task.exception())
        self.started_in = Path("/w")
        self.output_path = Path("/w/out")
        self.shown = threading.Event()
        self.shown.set()
        self.read = threading.Event()
        self._question = question

    async def ended(self) -> TaskEnd:
        return await asyncio.shield(self.end)

    def output(self) -> str:
        self.read.set()
        self.shown.wait(30)
        return "output"

    def preview(self) -> str:
        return "output"

    def stop(self) -> None:
        self.process.cancel()

    def waits_for_input(self) -> str:
        return self._question


@pytest.fixture
async def made(tmp_path: Path) -> AsyncGenerator[MadeUp]:
    async with MadeUp.open(tmp_path) as session:
        yield session


@pytest.fixture
async def tasks(made: MadeUp) -> AsyncGenerator[BackgroundTasks]:
    kept = KeptWorks()
    begun = BackgroundTasks(made.session.log, made.clock, lambda: None, kept)
    yield begun
    await begun.close()
    await kept.close()


def begin(tasks: BackgroundTasks, work: Work) -> TaskId:
    return tasks.adopt(work, title="make", call=ToolUseId("toolu_1")).task_id


def status(tasks: BackgroundTasks, task: TaskId) -> str:
    found = tasks.find(task)
    assert found is not None
    return found[0].status


async def test_a_command_that_cannot_be_followed_has_failed_and_is_told(
    tasks: BackgroundTasks, caplog: pytest.LogCaptureFixture
) -> None:
    work = Work()
    task = begin(tasks, work)
    work.end.set_exception(RuntimeError("a surprise"))
    await until(lambda: status(tasks, task) == "failed")
    [note] = await tasks.collect()
    assert "a surprise" in note.text
    assert task in caplog.text


async def test_a_stop_while_outputs_are_read_takes_no_news_away(
    tasks: BackgroundTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "LOOK_EVERY_S", 0.01)
    stuck, ends = Work("Overwrite it?"), Work()
    begin(tasks, stuck)
    await until(lambda: tasks.has_news)
    task = begin(tasks, ends)
    ends.end.set_result(TaskEnd(status="completed", outcome="exit code 0"))
    await until(lambda: status(tasks, task) == "completed")
    ends.shown.clear()
    collecting = asyncio.create_task(tasks.collect())
    await until(ends.read.is_set)
    collecting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await collecting
    ends.shown.set()
    texts = [note.text for note in await tasks.collect()]
    assert ["Overwrite it?" in text for text in texts] == [True, False]
    assert f"<task-id>{task}</task-id>" in texts[1]


async def test_the_first_end_of_a_command_counts(made: MadeUp, tasks: BackgroundTasks) -> None:
    work = Work()
    task = begin(tasks, work)
    work.end.set_result(TaskEnd(status="completed", outcome="exit code 0"))
    await until(lambda: status(tasks, task) == "completed")
    late = BackgroundEnded(task_id=task, status="lost", outcome="it is late")
    made.session.log.emit(late)
    assert status(tasks, task) == "completed"
    assert not tasks.keep(task, kept=True)
