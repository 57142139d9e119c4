"""Changes of several files: all of them, or none."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.errors import EditClash, WorkspaceError
from pilotfish.workspace import disk
from pilotfish.workspace.edit_pipeline import AppliedEdit, PlannedEdit
from pilotfish.workspace.matching import Replacement
from pilotfish.workspace.proposal import Agreed, RangeEdits

from tests.support.tool_context import WRITE_ORIGIN as ORIGIN
from tests.support.tool_context import ToolBench, tool_bench
from tests.support.waiting import WAIT_S


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


async def planned(bench: ToolBench, path: Path) -> PlannedEdit:
    """Replace the first character by ``X``."""
    loaded = await bench.context.edits.load(path)
    assert loaded.text is not None
    change = RangeEdits(text=loaded.text, replacements=(Replacement(0, 1, "X"),))
    proposal = await bench.context.edits.preview(path, change, bench.context.files)
    places = (path, loaded.real_path)
    return PlannedEdit(
        path=path, change=change, agreed=Agreed(preview=proposal.preview, places=places)
    )


def files(bench: ToolBench, *names: str) -> list[Path]:
    found = [bench.root / name for name in names]
    for path in found:
        path.write_text(f"old {path.name}\r\n", newline="")
    return found


async def apply(bench: ToolBench, edits: list[PlannedEdit]) -> tuple[AppliedEdit, ...]:
    pipeline = bench.context.edits
    return await pipeline.apply_together(edits, files=bench.context.files, origin=ORIGIN)


def fail_at(monkeypatch: pytest.MonkeyPatch, number: int, error: Exception) -> None:
    """Let the n-th write to the disk fail, from 1."""
    write = disk.write_file
    count = 0

    def broken(*arguments: Any, **more: Any) -> Any:
        nonlocal count
        count += 1
        if count == number:
            raise error
        return write(*arguments, **more)

    monkeypatch.setattr("pilotfish.workspace.file_writer.write_file", broken)


async def test_all_are_written_and_told(bench: ToolBench) -> None:
    paths = files(bench, "b", "a", "c")
    applied = await apply(bench, [await planned(bench, path) for path in paths])
    assert [one.path for one in applied] == paths
    assert [path.read_bytes() for path in paths] == [b"Xld b\r\n", b"Xld a\r\n", b"Xld c\r\n"]
    assert [record.path for record in bench.edits.records] == paths
    assert len(await bench.history.checkpoints()) == 3


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), WorkspaceError("Full.")])
async def test_a_write_that_fails_takes_the_others_back(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch, number: int, error: Exception
) -> None:
    paths = files(bench, "a", "b", "c")
    edits = [await planned(bench, path) for path in paths]
    fail_at(monkeypatch, number, error)
    with pytest.raises(WorkspaceError, match="are as they were"):
        await apply(bench, edits)
    assert [path.read_text() for path in paths] == ["old a\n", "old b\n", "old c\n"]
    assert b"\r\n" in paths[0].read_bytes()
    assert bench.edits.records == []
    assert await bench.history.checkpoints() == ()
    assert len(bench.context.files) == 0


async def test_what_cannot_be_put_back_is_named_and_stays_undoable(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = files(bench, "a", "b")
    edits = [await planned(bench, path) for path in (first, second)]

    def overtake(*_: Any, **__: Any) -> Any:
        first.write_text("somebody else\n")
        raise WorkspaceError("Full.")

    calls = iter((disk.write_file, overtake))

    def write(*arguments: Any, **more: Any) -> Any:
        return next(calls)(*arguments, **more)

    monkeypatch.setattr("pilotfish.workspace.file_writer.write_file", write)
    with pytest.raises(WorkspaceError, match=f"could not be put back: {first}"):
        await apply(bench, edits)
    assert first.read_text() == "somebody else\n"
    assert [record.path for record in bench.edits.records] == [first]
    assert len(await bench.history.checkpoints()) == 1


async def test_one_that_changed_since_stops_all_before_anything_is_written(
    bench: ToolBench,
) -> None:
    first, second = files(bench, "a", "b")
    edits = [await planned(bench, path) for path in (first, second)]
    second.write_text("new\n")
    with pytest.raises(EditClash, match="changed since the edit was worked out"):
        await apply(bench, edits)
    assert first.read_text() == "old a\n"
    assert await bench.history.checkpoints() == ()


async def test_what_was_not_agreed_to_is_not_written(bench: ToolBench) -> None:
    (path,) = files(bench, "a")
    edit = await planned(bench, path)
    other = replace(
        edit, change=RangeEdits(text="old a\r\n", replacements=(Replacement(0, 1, "Y"),))
    )
    with pytest.raises(EditClash, match="after the edit was agreed to"):
        await apply(bench, [other])
    assert path.read_bytes() == b"old a\r\n"


async def test_two_names_of_one_file_are_refused(bench: ToolBench) -> None:
    (path,) = files(bench, "a")
    link = bench.root / "link"
    link.symlink_to(path)
    with pytest.raises(WorkspaceError, match="the same one"):
        await apply(bench, [await planned(bench, path), await planned(bench, link)])
    assert path.read_bytes() == b"old a\r\n"


async def test_two_at_once_do_not_wait_for_each_other_for_ever(bench: ToolBench) -> None:
    first, second = files(bench, "a", "b")
    one = [await planned(bench, path) for path in (first, second)]
    two = [await planned(bench, path) for path in (second, first)]
    async with asyncio.timeout(WAIT_S):
        results = await asyncio.gather(apply(bench, one), apply(bench, two), return_exceptions=True)
    assert sorted(isinstance(one, EditClash) for one in results) == [False, True]


async def test_only_what_was_read_counts_as_known_afterwards(bench: ToolBench) -> None:
    first, second = files(bench, "a", "b")
    loaded = await bench.context.edits.load(first)
    bench.context.files.record(loaded.real_path, loaded.state("read"))
    await apply(bench, [await planned(bench, path) for path in (first, second)])
    assert bench.context.files.get(first) is not None
    assert bench.context.files.get(second) is None
