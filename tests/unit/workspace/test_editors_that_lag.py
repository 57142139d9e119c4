"""Files that another program writes while they are open: editors hear of that some time after."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.core.errors import EditClash
from pilotfish.workspace.edit_pipeline import NewContent
from pilotfish.workspace.matching import StringEdit

from tests.support.tool_context import WRITE_ORIGIN as ORIGIN
from tests.support.tool_context import ToolBench, tool_bench


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        made.editor.catches_up = True
        yield made


def opened(bench: ToolBench) -> Path:
    path = bench.root / "a.txt"
    path.write_text("one\ntwo\n")
    bench.editor.open(path)
    return path


async def test_an_edit_is_made_in_what_the_editor_will_show(bench: ToolBench) -> None:
    """What it shows before is stale: an edit of that would stand against what the other wrote."""
    path = opened(bench)
    pipeline = bench.context.edits
    for number in range(2):
        path.write_text(f"one\ntwo\nthree {number}\n")
        loaded = await pipeline.load(path)
        assert loaded.text == f"one\ntwo\nthree {number}\n"
        bench.context.files.record(loaded.real_path, loaded.state("read"))
        edit = StringEdit(old=f"three {number}", new=f"THREE {number}")
        await pipeline.apply(path, edit, files=bench.context.files, origin=ORIGIN)
        assert bench.editor.text(path) == path.read_text() == f"one\ntwo\nTHREE {number}\n"


async def test_what_is_put_back_does_not_overwrite_what_another_program_wrote(
    bench: ToolBench,
) -> None:
    path = opened(bench)
    path.write_text("one\ntwo\nthree\n")
    new = NewContent(content="one\n", origin=ORIGIN)
    with pytest.raises(EditClash, match="changed in the meantime"):
        await bench.context.edits.overwrite(
            path, new, expected="one\ntwo\n", files=bench.context.files
        )
    assert bench.editor.text(path) == path.read_text() == "one\ntwo\nthree\n"


async def test_what_the_user_typed_is_the_truth_and_not_waited_for(bench: ToolBench) -> None:
    path = opened(bench)
    bench.editor.type(path, "one\ntwo\ntyped\n")
    path.write_text("one\ntwo\nthree\n")
    assert (await bench.context.edits.load(path)).text == "one\ntwo\ntyped\n"
