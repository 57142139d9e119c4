"""Files that an editor shows in another encoding than their own."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.core.errors import WorkspaceError
from pilotfish.workspace.matching import StringEdit

from tests.support.tool_context import WRITE_ORIGIN as ORIGIN
from tests.support.tool_context import ToolBench, tool_bench

FRENCH = "café naïve à la carte, où déjà été\ntwo\n"
NOISE = "\xe9\xfe\x9d\xf0\xa4\x8f\ntwo\n"


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


async def change(bench: ToolBench, path: Path) -> tuple[str, ...]:
    pipeline = bench.context.edits
    loaded = await pipeline.load(path)
    bench.context.files.record(loaded.real_path, loaded.state("read"))
    edit = StringEdit(old="two", new="TWO")
    applied = await pipeline.apply(path, edit, files=bench.context.files, origin=ORIGIN)
    return applied.notes


@pytest.mark.parametrize("text", [FRENCH, NOISE], ids=["known", "unknown encoding"])
async def test_what_the_editor_could_not_read_is_not_saved_over(
    bench: ToolBench, text: str
) -> None:
    path = bench.root / "a.txt"
    data = text.encode("latin-1")
    path.write_bytes(data)
    shown = data.decode("utf-8", "replace")
    bench.editor.open(path, shown)
    with pytest.raises(WorkspaceError, match="in another encoding than its own"):
        await change(bench, path)
    assert bench.editor.text(path) == shown
    assert path.read_bytes() == data


@pytest.mark.parametrize("text", ["中文\ntwo\n", "你好世界中国\ntwo\n"])
async def test_what_the_editor_reads_better_than_we_is_saved_as_before(
    bench: ToolBench, text: str
) -> None:
    """The editor knows the encoding from its user."""
    path = bench.root / "a.txt"
    path.write_bytes(text.encode("gbk"))
    bench.editor.open(path, text)
    notes = await change(bench, path)
    assert bench.editor.saved == [path]
    assert notes == ()


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("gbk", "中文\ntwo\n"),
        ("latin-1", FRENCH),
        ("cp1251", "Привет, как дела сегодня\ntwo\n"),
    ],
)
async def test_what_the_editor_opens_with_unsaved_changes_is_not_saved(
    bench: ToolBench, encoding: str, text: str
) -> None:
    """VS Code brings back what was not saved when its window was closed."""
    path = bench.root / "a.txt"
    path.write_bytes(text.encode(encoding))
    bench.editor.open(path, "typed yesterday\n" + text)
    (note,) = await change(bench, path)
    assert "unsaved changes" in note
    assert bench.editor.saved == []
    assert path.read_bytes() == text.encode(encoding)


@pytest.mark.parametrize("is_typed", [False, True])
async def test_the_sign_itself_may_stand_in_a_file(bench: ToolBench, is_typed: bool) -> None:
    path = bench.root / "a.txt"
    text = "\N{REPLACEMENT CHARACTER}\ntwo\n"
    path.write_text("two\n" if is_typed else text, encoding="utf-8")
    bench.editor.open(path)
    if is_typed:
        bench.editor.type(path, text)
    await change(bench, path)
    assert bench.editor.text(path) == text.replace("two", "TWO")
