"""Reading and editing notebooks."""

import base64
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.core.messages import ImageBlock
from pilotfish.ports.editor import CellKind, OpenCell, OpenNotebook
from pilotfish.tools import read_kinds
from pilotfish.tools.edit import EditTool
from pilotfish.tools.notebook_edit import NotebookEditArgs, NotebookEditTool
from pilotfish.tools.notebook_read import NotebookReadArgs, NotebookReadTool
from pilotfish.tools.read import ReadTool
from pilotfish.tools.write import WriteTool
from pilotfish.workspace.notebook import parse_notebook

from tests.support.documents import code, markdown, notebook_text
from tests.support.tool_context import ToolBench, text_of, tool_bench

READ, EDIT = NotebookReadTool(), NotebookEditTool()
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


def made(bench: ToolBench, text: str = "") -> Path:
    path = bench.root / "n.ipynb"
    path.write_text(
        text or notebook_text(code("c1", ["a = 1\n", "b"]), markdown("c2", "# T")), encoding="utf-8"
    )
    return path


async def edited(bench: ToolBench, **arguments: object) -> str:
    return text_of(await bench.call(EDIT, notebook_path="n.ipynb", **arguments))


async def test_cells_are_shown_with_ids_types_and_outputs(bench: ToolBench) -> None:
    made(bench)
    shown = text_of(await bench.call(READ, notebook_path="n.ipynb"))
    assert shown == (
        '<cell id="c1" type="code" language="python" run="3">\na = 1\nb\n</cell>\n'
        '<outputs of="c1">\nhello\n</outputs>\n'
        '<cell id="c2" type="markdown">\n# T\n</cell>'
    )
    assert text_of(await bench.call(ReadTool(), file_path="n.ipynb")) == shown


async def test_one_cell_can_be_named(bench: ToolBench) -> None:
    made(bench)
    only = text_of(await bench.call(READ, notebook_path="n.ipynb", cell_id="c2"))
    assert only == '<cell id="c2" type="markdown">\n# T\n</cell>'
    wrong = await bench.call(READ, notebook_path="n.ipynb", cell_id="c9")
    assert wrong.is_error
    assert "Its cells are: c1, c2" in text_of(wrong)


async def test_outputs_are_cut_pictures_are_pictures_and_codes_of_terminals_go(
    bench: ToolBench,
) -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": "x" * 5000},
        {"output_type": "display_data", "metadata": {}, "data": {"image/png": PNG, "text/plain": "p"}},
        {"output_type": "display_data", "metadata": {}, "data": {"image/png": "!", "text/plain": ["q"]}},
        {"output_type": "display_data", "metadata": {}, "data": {"application/x": "z"}},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mred\x1b[0m"]},
    ]  # fmt: skip
    made(bench, notebook_text(code("c1", "1", outputs=outputs)))
    result = await bench.call(READ, notebook_path="n.ipynb")
    assert [block.type for block in result.content] == ["text", "image", "text"]
    picture = result.content[1]
    assert isinstance(picture, ImageBlock)
    assert base64.b64decode(picture.data) == base64.b64decode(PNG)
    shown = text_of(result)
    assert "output cut: 5,000 characters in all" in shown
    assert "\nq\n(output of type application/x, not shown)\nred\n</outputs>" in shown


async def test_notebook_that_is_too_long_names_the_way_to_a_part(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(bench)
    monkeypatch.setattr(read_kinds, "MAX_CHARS", 50)
    result = await bench.call(READ, notebook_path="n.ipynb")
    assert result.is_error
    assert "NotebookRead with a cell_id" in text_of(result)


async def test_replaced_code_loses_its_outputs_and_nothing_else_changes(bench: ToolBench) -> None:
    path = made(bench)
    await bench.call(READ, notebook_path="n.ipynb")
    assert await edited(bench, cell_id="c1", new_source="a = 2") == (
        "n.ipynb updated: cell c1 replaced."
    )
    assert path.read_text(encoding="utf-8") == notebook_text(
        code("c1", ["a = 2"], outputs=[], execution_count=None), markdown("c2", "# T")
    )


async def test_inserted_cell_is_named_and_edits_follow_one_another(bench: ToolBench) -> None:
    path = made(bench)
    await bench.call(ReadTool(), file_path="n.ipynb")
    told = await edited(
        bench, cell_id="c1", new_source="n", cell_type="markdown", edit_mode="insert"
    )
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert told == f"n.ipynb updated: cell {cells[1]['id']} inserted after cell c1."
    told = await edited(bench, new_source="n", cell_type="code", edit_mode="insert")
    assert told.endswith("inserted at the start.")
    assert (await edited(bench, cell_id="c2", edit_mode="delete")).endswith("cell c2 deleted.")
    assert len(await bench.history.checkpoints()) == 3


async def test_notebook_must_have_been_read_and_not_have_changed(bench: ToolBench) -> None:
    path = made(bench)
    assert "not read yet" in await edited(bench, cell_id="c1", new_source="x")
    await bench.call(READ, notebook_path="n.ipynb", cell_id="c1")
    path.write_text(notebook_text(code("c1", "theirs")), encoding="utf-8")
    assert "changed since you read it" in await edited(bench, cell_id="c1", new_source="x")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"edit_mode": "insert", "new_source": "x"}, "needs a cell_type"),
        ({"new_source": "x"}, "replace needs the cell_id"),
        ({"edit_mode": "delete"}, "delete needs the cell_id"),
        ({"cell_id": "c1", "new_source": "a = 1\nb", "cell_type": "heading"}, "cell_type"),
    ],
)
async def test_call_that_cannot_work_is_refused(
    bench: ToolBench, arguments: dict[str, str], reason: str
) -> None:
    made(bench)
    if arguments.get("cell_type") == "heading":
        with pytest.raises(ValueError, match=reason):
            NotebookEditArgs.model_validate({"notebook_path": "n.ipynb", **arguments})
        return
    assert reason in await edited(bench, **arguments)


async def test_broken_notebook_is_an_error_and_stays_as_it_is(bench: ToolBench) -> None:
    path = made(bench, "{broken")
    assert "not valid JSON" in text_of(await bench.call(READ, notebook_path="n.ipynb"))
    bench.context.files.record(path, (await bench.context.edits.load(path)).state("read"))
    assert "not valid JSON" in await edited(bench, cell_id="c1", new_source="x")
    assert path.read_text(encoding="utf-8") == "{broken"


def open_cells(bench: ToolBench, path: Path, *sources: str, editable: bool) -> None:
    kinds: tuple[CellKind, ...] = ("code", "markdown")
    cells = tuple(
        OpenCell(source=source, kind=kind, id=f"c{at}")
        for at, (source, kind) in enumerate(zip(sources, kinds, strict=True), start=1)
    )
    bench.editor.notebooks[path] = OpenNotebook(path=path, cells=cells, editable=editable)


async def test_unsaved_cells_of_an_editor_that_cannot_change_them_are_left_alone(
    bench: ToolBench,
) -> None:
    path = made(bench)
    open_cells(bench, path, "a = 1\r\nb", "# T", editable=False)
    assert "not saved" not in text_of(await bench.call(READ, notebook_path="n.ipynb"))
    open_cells(bench, path, "a = 1 # typed", "# T", editable=False)
    told = text_of(await bench.call(READ, notebook_path="n.ipynb"))
    assert "a = 1 # typed" in told
    assert "cannot be edited until the user saves it" in told
    before = path.read_bytes()
    assert "Ask the user to save it" in await edited(bench, cell_id="c1", new_source="x")
    assert path.read_bytes() == before
    open_cells(bench, path, "a = 1\nb", "# T", editable=False)
    assert "changed since you read it" in await edited(bench, cell_id="c1", new_source="x")
    await bench.call(READ, notebook_path="n.ipynb")
    assert "replaced" in await edited(bench, cell_id="c1", new_source="x")


async def test_unsaved_cells_are_read_and_edited_in_the_editor(bench: ToolBench) -> None:
    path = made(bench)
    before = path.read_bytes()
    open_cells(bench, path, "a = 1 # typed", "# T", editable=True)
    assert "a = 1 # typed" in text_of(await bench.call(READ, notebook_path="n.ipynb"))
    told = await edited(bench, cell_id="c2", new_source="# New")
    assert "not saved to disk" in told
    now = bench.editor.notebooks[path].cells
    assert [cell.source for cell in now] == ["a = 1 # typed", "# New"]
    assert path.read_bytes() == before
    told = await edited(
        bench, cell_id="c1", edit_mode="insert", cell_type="markdown", new_source="between"
    )
    assert "inserted after cell c1" in told
    now = bench.editor.notebooks[path].cells
    assert [cell.source for cell in now] == ["a = 1 # typed", "between", "# New"]
    assert now[1].id is not None
    assert "deleted" in await edited(bench, cell_id="c1", edit_mode="delete")
    assert [cell.source for cell in bench.editor.notebooks[path].cells] == ["between", "# New"]
    assert path.read_bytes() == before


async def test_cells_count_even_where_the_text_is_open_too(bench: ToolBench) -> None:
    path = made(bench)
    bench.editor.open(path)
    open_cells(bench, path, "a = 1 # typed", "# T", editable=True)
    assert "a = 1 # typed" in text_of(await bench.call(READ, notebook_path="n.ipynb"))
    await edited(bench, cell_id="c2", new_source="# New")
    assert [cell.source for cell in bench.editor.notebooks[path].cells] == [
        "a = 1 # typed",
        "# New",
    ]
    assert bench.editor.undo_steps[path] == []


async def test_what_the_user_types_during_the_edit_wins(bench: ToolBench) -> None:
    path = made(bench)
    open_cells(bench, path, "a = 1\nb", "# T", editable=True)
    await bench.call(READ, notebook_path="n.ipynb")
    bench.editor.before_apply = lambda: open_cells(bench, path, "mine", "# T", editable=True)
    assert "changed since you read it" in await edited(bench, cell_id="c1", new_source="x")
    assert [cell.source for cell in bench.editor.notebooks[path].cells] == ["mine", "# T"]


async def test_a_clean_open_notebook_is_edited_in_the_editor_and_saved(bench: ToolBench) -> None:
    path = made(bench)
    open_cells(bench, path, "a = 1\nb", "# T", editable=True)
    await bench.call(READ, notebook_path="n.ipynb")
    assert "not saved" not in await edited(bench, cell_id="c1", new_source="x")
    assert bench.editor.labels == ["Edit n.ipynb"]
    assert bench.editor.saved == [path]
    assert parse_notebook(path.read_text(encoding="utf-8"), "n").cells[0].source == "x"
    assert "replaced" in await edited(bench, cell_id="c1", new_source="y")


async def test_other_tools_point_to_the_ones_for_notebooks(bench: ToolBench) -> None:
    made(bench)
    (bench.root / "a.txt").touch()
    write = await bench.call(WriteTool(), file_path="n.ipynb", content="{}")
    edit = await bench.call(EditTool(), file_path="n.ipynb", old_string="a", new_string="b")
    assert "NotebookEdit" in text_of(write)
    assert "NotebookEdit" in text_of(edit)
    assert "Use Read" in text_of(await bench.call(READ, notebook_path="a.txt"))
    lines = await bench.call(ReadTool(), file_path="n.ipynb", offset=3)
    assert "NotebookRead with a cell_id" in text_of(lines)


async def test_facts(bench: ToolBench) -> None:
    path = made(bench)
    read = NotebookReadArgs(notebook_path="n.ipynb", cell_id="c1")
    effects = await READ.effects(read, bench.context)
    assert (effects.reads, effects.writes, effects.read_only) == ((path,), (), True)
    assert READ.title(read, bench.context) == "n.ipynb cell c1"
    assert READ.is_concurrency_safe(read)
    edit = NotebookEditArgs(notebook_path="n.ipynb", cell_id="c1", edit_mode="delete")
    effects = await EDIT.effects(edit, bench.context)
    assert (effects.writes, effects.read_only) == ((path,), False)
    assert EDIT.title(edit, bench.context) == "n.ipynb cell c1"
    assert not EDIT.is_concurrency_safe(edit)
