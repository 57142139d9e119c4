"""Files that an editor closes when an edit is about to be written there."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.core.errors import EditClash, WorkspaceError
from pilotfish.ports.editor import OpenCell, OpenNotebook
from pilotfish.workspace.edit_pipeline import AppliedEdit
from pilotfish.workspace.matching import StringEdit

from tests.support.documents import code, notebook_text
from tests.support.tool_context import WRITE_ORIGIN as ORIGIN
from tests.support.tool_context import ToolBench, tool_bench


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


async def change(bench: ToolBench, path: Path, new: str = "TWO") -> AppliedEdit:
    pipeline = bench.context.edits
    loaded = await pipeline.load(path)
    bench.context.files.record(loaded.real_path, loaded.state("read"))
    edit = StringEdit(old="two", new=new)
    return await pipeline.apply(path, edit, files=bench.context.files, origin=ORIGIN)


async def test_it_is_written_to_the_disk_and_the_next_edit_goes_on_there(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_bytes(b"one\r\ntwo\r\n")
    bench.editor.open(path)
    bench.editor.before_apply = lambda: bench.editor.close(path)
    applied = await change(bench, path)
    assert (applied.old_text, applied.new_text) == ("one\r\ntwo\r\n", "one\r\nTWO\r\n")
    assert applied.notes == ()
    assert path.read_bytes() == b"one\r\nTWO\r\n"
    edit = StringEdit(old="TWO", new="2")
    await bench.context.edits.apply(path, edit, files=bench.context.files, origin=ORIGIN)
    assert path.read_bytes() == b"one\r\n2\r\n"


async def test_so_are_the_cells_of_a_notebook(bench: ToolBench) -> None:
    path = bench.root / "a.ipynb"
    text = notebook_text(code("c0", ["two"]))
    path.write_text(text, encoding="utf-8")
    cell = OpenCell(source="two", kind="code", id="c0")
    bench.editor.notebooks[path] = OpenNotebook(path=path, cells=(cell,), editable=True)
    bench.editor.before_apply = bench.editor.notebooks.clear
    applied = await change(bench, path)
    assert applied.notes == ()
    assert path.read_text(encoding="utf-8") == text.replace("two", "TWO")


async def test_another_text_on_the_disk_is_left_alone(bench: ToolBench) -> None:
    """Be it other line ends only: no byte changes that the edit has nothing to do with."""
    path = bench.root / "a.txt"
    path.write_bytes(b"one\r\ntwo\nthree\r\n")
    bench.editor.open(path, "one\ntwo\nthree\n")
    bench.editor.before_apply = lambda: bench.editor.close(path)
    with pytest.raises(EditClash, match="changed in the meantime"):
        await change(bench, path)
    assert path.read_bytes() == b"one\r\ntwo\nthree\r\n"


async def test_a_file_keeps_its_encoding_which_an_editor_may_have_changed(bench: ToolBench) -> None:
    """What the encoding cannot hold is counted as UTF-8 in an editor; on the disk nothing is."""
    path = bench.root / "a.txt"
    data = "café naïve à la carte, où déjà été\ntwo\n".encode("cp1252")
    path.write_bytes(data)
    text = (await bench.context.edits.load(path)).text
    assert text is not None
    bench.editor.open(path, text)
    bench.editor.before_apply = lambda: bench.editor.close(path)
    with pytest.raises(WorkspaceError, match="cannot hold"):
        await change(bench, path, "two \N{HIRAGANA LETTER A}")
    assert path.read_bytes() == data
