"""The files that name to workers what they shall read: none stays, however the work ends."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast, overload

from pilotfish.codeintel.index import layout
from pilotfish.codeintel.index.build import Builder
from pilotfish.codeintel.index.rows import Depth
from pilotfish.ports.processes import ProcessPort, ProcessResult, ProcessSpec

from tests.support.full_disk import files_end_at
from tests.support.index_stage import IndexStage
from tests.support.stage import names_in
from tests.support.waiting import until


class Workers:
    """Takes jobs and never ends one."""

    def __init__(self) -> None:
        self.jobs: list[str] = []

    async def run(self, spec: ProcessSpec, **_: object) -> ProcessResult:
        """Read the job as the worker does."""
        self.jobs.append(await asyncio.to_thread(Path(spec.argv[-2]).read_text, "utf-8"))
        await asyncio.Event().wait()
        raise AssertionError("nobody sets that event")


class SlowNames(Sequence[str]):
    """Names that come when they may."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.may_come = threading.Event()
        self.came = threading.Event()

    def __len__(self) -> int:
        return 1

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> "SlowNames": ...
    def __getitem__(self, at: int | slice) -> "str | SlowNames":
        return "a.py" if isinstance(at, int) else self

    def __iter__(self) -> Iterator[str]:
        self.asked.set()
        self.may_come.wait()
        yield "a.py"
        self.came.set()


def builder(tmp_path: Path, workers: Workers) -> Builder:
    return Builder(cast("ProcessPort", workers), tmp_path / "state" / "x.sqlite", tmp_path)


async def read(one: Builder, names: Sequence[str]) -> str:
    return (await one.read(names, Depth.NAMES, lambda _: None)).problem


async def stopped(task: asyncio.Task[str]) -> None:
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


async def test_none_stays_when_the_work_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    workers = Workers()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(read(builder(tmp_path, workers), ["a.py", "é.py"]))
        await until(lambda: bool(workers.jobs))
        assert len(names_in(tmp_path / "state")) == 1
        await stopped(task)
    assert workers.jobs == ["a.py\0é.py"]
    assert names_in(tmp_path / "state") == []


async def test_none_stays_when_the_work_is_stopped_before_the_file_is_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "state").mkdir()
    names = SlowNames()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(read(builder(tmp_path, Workers()), names))
        await until(names.asked.is_set)
        await stopped(task)
    names.may_come.set()
    await until(names.came.is_set)
    assert names_in(tmp_path / "state") == []


async def test_none_stays_on_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    workers = Workers()
    with files_end_at(10):
        assert "too large" in await read(builder(tmp_path, workers), ["a" * 100])
    assert workers.jobs == []
    assert names_in(tmp_path / "state") == []


async def test_what_a_killed_server_left_goes_with_the_next_start(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    database = layout.index_file(tmp_path / "state", tmp_path / "project")
    database.parent.mkdir(parents=True)
    other = database.with_name("other.job-1")
    for left in (other, database.with_name(f"{database.stem}.job-1")):
        left.write_text("a.py", "utf-8")
    async with IndexStage.open(tmp_path) as stage:
        await stage.ready()
        assert [name for name in names_in(database.parent) if ".job-" in name] == [other.name]
