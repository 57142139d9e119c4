"""Files that an editor opens just because it is asked about them, when an edit is about to be written."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.core.errors import EditClash
from pilotfish.workspace.edit_pipeline import AppliedEdit, EditPipeline, PlannedEdit
from pilotfish.workspace.matching import StringEdit
from pilotfish.workspace.proposal import Agreed

from tests.support.tool_context import WRITE_ORIGIN as ORIGIN
from tests.support.tool_context import ToolBench, tool_bench


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


def show(bench: ToolBench, path: Path) -> None:
    """Open a file as editors do, with line endings of one kind."""
    bench.editor.open(path, path.read_bytes().decode().replace("\r\n", "\n"))


def opening(bench: ToolBench) -> EditPipeline:
    """Return a pipeline whose editor opens each file that is about to be written, as editors show it."""

    async def look(path: Path, _: str | None) -> None:
        if bench.editor.document(path) is None:
            show(bench, path)

    return EditPipeline(editor=bench.editor, history=bench.history, before_write=look)


async def change(pipeline: EditPipeline, bench: ToolBench, path: Path, new: str) -> AppliedEdit:
    loaded = await pipeline.load(path)
    bench.context.files.record(loaded.real_path, loaded.state("read"))
    edit = StringEdit(old="two", new=new)
    return await pipeline.apply(path, edit, files=bench.context.files, origin=ORIGIN)


async def test_it_is_written_there_and_told_as_it_is(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("one\ntwo\n", encoding="utf-8")
    pipeline = opening(bench)
    applied = await change(pipeline, bench, path, "TWO")
    assert (applied.old_text, applied.new_text) == ("one\ntwo\n", "one\nTWO\n")
    assert applied.notes == ()
    assert bench.editor.text(path) == path.read_text(encoding="utf-8") == "one\nTWO\n"
    # The next edit goes on from there, without another look.
    again = await pipeline.apply(
        path,
        StringEdit(old="TWO", new="2"),
        files=bench.context.files,
        origin=ORIGIN,
    )
    assert again.new_text == bench.editor.text(path) == "one\n2\n"
    await pipeline.close()


async def test_bytes_that_the_editor_shows_otherwise_stay(bench: ToolBench) -> None:
    path = bench.root / "mixed.txt"
    path.write_bytes(b"one\r\ntwo\nthree\r\n")
    pipeline = opening(bench)
    applied = await change(pipeline, bench, path, "TWO")
    assert path.read_bytes() == b"one\r\nTWO\nthree\r\n"
    assert applied.new_text == "one\r\nTWO\nthree\r\n"
    assert applied.notes == ()
    await pipeline.close()


async def test_what_the_user_has_typed_there_meanwhile_is_left_alone(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("one\ntwo\n", encoding="utf-8")

    async def type_in(path: Path, _: str | None) -> None:
        bench.editor.open(path, "one\ntwo!\n")

    pipeline = EditPipeline(editor=bench.editor, history=bench.history, before_write=type_in)
    with pytest.raises(EditClash, match="changed in the meantime"):
        await change(pipeline, bench, path, "TWO")
    assert path.read_text(encoding="utf-8") == "one\ntwo\n"
    assert bench.editor.text(path) == "one\ntwo!\n"
    await pipeline.close()


async def test_so_are_several_files_that_belong_together(bench: ToolBench) -> None:
    paths = [bench.root / name for name in ("a.txt", "b.txt")]
    pipeline = opening(bench)
    planned: list[PlannedEdit] = []
    for path in paths:
        path.write_text("one\ntwo\n", encoding="utf-8")
        loaded = await pipeline.load(path)
        bench.context.files.record(path, loaded.state("read"))
        edit = StringEdit(old="two", new="TWO")
        proposal = await pipeline.preview(path, edit, bench.context.files)
        agreed = Agreed(preview=proposal.preview, places=(path,))
        planned.append(PlannedEdit(path=path, change=edit, agreed=agreed))
    applied = await pipeline.apply_together(planned, files=bench.context.files, origin=ORIGIN)
    assert [one.new_text for one in applied] == ["one\nTWO\n"] * 2
    assert [bench.editor.text(path) for path in paths] == ["one\nTWO\n"] * 2
    await pipeline.close()
