"""Documents that an editor saves, or closes, by itself just as it is asked to save them."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest
from pilotfish.core.errors import EditClash, WorkspaceError
from pilotfish.ports.editor import OpenCell, OpenNotebook
from pilotfish.workspace.edit_pipeline import AppliedEdit
from pilotfish.workspace.matching import StringEdit

from tests.support.documents import code, notebook_text
from tests.support.tool_context import WRITE_ORIGIN as ORIGIN
from tests.support.tool_context import ToolBench, tool_bench

TEXT = "one\ntwo\n"


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


@pytest.fixture
def path(bench: ToolBench) -> Path:
    path = bench.root / "a.txt"
    _write(path, TEXT)
    bench.editor.open(path)
    return path


async def change(bench: ToolBench, path: Path) -> AppliedEdit:
    pipeline = bench.context.edits
    loaded = await pipeline.load(path)
    bench.context.files.record(loaded.real_path, loaded.state("read"))
    edit = StringEdit(old="two", new="TWO")
    return await pipeline.apply(path, edit, files=bench.context.files, origin=ORIGIN)


def on_save(bench: ToolBench, monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]) -> None:
    """Let something else happen instead of the save that is asked for."""

    async def save(path: Path) -> None:
        happens()
        raise WorkspaceError(f"{path} is being saved already.")

    monkeypatch.setattr(bench.editor, "save", save)


async def test_what_the_editor_saved_by_itself_is_saved(
    bench: ToolBench, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_save(bench, monkeypatch, lambda: _store(bench, path))
    assert (await change(bench, path)).notes == ()


async def test_so_it_is_when_that_closed_it(
    bench: ToolBench, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save_and_close() -> None:
        _store(bench, path)
        bench.editor.close(path)

    on_save(bench, monkeypatch, save_and_close)
    assert (await change(bench, path)).notes == ()


async def test_so_it_is_when_the_user_typed_on_meanwhile(
    bench: ToolBench, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save_and_type() -> None:
        _store(bench, path)
        bench.editor.type(path, bench.editor.text(path) + "typed")

    on_save(bench, monkeypatch, save_and_type)
    (note,) = (await change(bench, path)).notes
    assert "changed further" in note
    assert _read(path) == "one\nTWO\n"


async def test_an_edit_that_was_thrown_away_with_its_document_was_not_made(
    bench: ToolBench, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_save(bench, monkeypatch, lambda: bench.editor.close(path))
    with pytest.raises(EditClash, match="the edit is lost"):
        await change(bench, path)
    assert _read(path) == TEXT
    assert await bench.history.checkpoints() == ()


async def test_cells_that_the_editor_saved_by_itself_are_saved(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.root / "a.ipynb"
    text = notebook_text(code("c0", ["two"]))
    _write(path, text)
    cell = OpenCell(source="two", kind="code", id="c0")
    bench.editor.notebooks[path] = OpenNotebook(path=path, cells=(cell,), editable=True)
    changed = text.replace("two", "TWO")
    on_save(bench, monkeypatch, lambda: _write(path, changed))
    assert (await change(bench, path)).notes == ()


def _store(bench: ToolBench, path: Path) -> None:
    _write(path, bench.editor.text(path))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
