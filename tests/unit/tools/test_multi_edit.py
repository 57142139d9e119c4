"""The MultiEdit tool: several edits, one diff, all or nothing."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.tooling.spec import ToolInputError
from pilotfish.tools.edit import EditTool
from pilotfish.tools.multi_edit import MultiEditArgs, MultiEditTool
from pilotfish.tools.read import ReadTool

from tests.support.tool_context import ToolBench, text_of, tool_bench

TOOL = MultiEditTool()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


async def known(bench: ToolBench, name: str, data: bytes) -> Path:
    path = bench.root / name
    path.write_bytes(data)
    await bench.call(ReadTool(), file_path=name)
    return path


def edits(*pairs: tuple[str, str]) -> list[dict[str, object]]:
    return [{"old_string": old, "new_string": new} for old, new in pairs]


async def test_all_edits_are_one_diff_and_one_checkpoint(bench: ToolBench) -> None:
    path = await known(bench, "a.txt", b"one\r\ntwo\r\nthree\n")
    args = MultiEditArgs.model_validate(
        {"file_path": "a.txt", "edits": edits(("one", "1"), ("three", "3"), ("two\n3", "2\n3!"))}
    )
    preview = await TOOL.preview(args, bench.context)
    assert (preview.old_text, preview.new_text) == ("one\r\ntwo\r\nthree\n", "1\r\n2\r\n3!\n")
    result = await TOOL.run(args, bench.call_context())
    assert not result.is_error
    assert path.read_bytes() == b"1\r\n2\r\n3!\n"
    assert "a.txt updated" in text_of(result)
    assert len(await bench.history.checkpoints()) == len(bench.edits.records) == 1


async def test_one_edit_that_does_not_fit_leaves_the_file_untouched(bench: ToolBench) -> None:
    path = await known(bench, "a.txt", b"one\ntwo\n")
    result = await bench.call(
        TOOL, file_path="a.txt", edits=edits(("one", "1"), ("tow", "2"), ("x", "y"))
    )
    assert result.is_error
    assert "Edit 2 of 3: old_string was not found" in text_of(result)
    assert "2\ttwo" in text_of(result)
    assert path.read_bytes() == b"one\ntwo\n"
    assert await bench.history.checkpoints() == ()


async def test_bytes_outside_the_edits_stay_in_any_encoding(bench: ToolBench) -> None:
    path = await known(bench, "a.txt", b"\xff\xfe" + "a\r\né\nb".encode("utf-16-le"))
    await bench.call(TOOL, file_path="a.txt", edits=edits(("a", "A"), ("b", "B")))
    assert path.read_bytes() == b"\xff\xfe" + "A\r\né\nB".encode("utf-16-le")


async def test_a_file_is_created_by_the_first_edit_alone(bench: ToolBench) -> None:
    result = await bench.call(TOOL, file_path="new.txt", edits=edits(("", "x\n"), ("x", "y")))
    assert "would change what it writes" in text_of(result)
    assert not (bench.root / "new.txt").exists()
    await bench.call(TOOL, file_path="new.txt", edits=edits(("", "x\n")))
    assert (bench.root / "new.txt").read_text(encoding="utf-8") == "x\n"
    empty = await known(bench, "empty.txt", b"")
    await bench.call(TOOL, file_path="empty.txt", edits=edits(("", "x\n")))
    assert empty.read_text(encoding="utf-8") == "x\n"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (edits(("a", "a")), "Edit 1: old_string and new_string are the same"),
        (edits(("a", "b"), ("", "c")), "Edit 2 has an empty old_string"),
    ],
)
async def test_call_that_cannot_work_fails_before_anybody_is_asked(
    bench: ToolBench, given: list[dict[str, object]], reason: str
) -> None:
    (bench.root / "a.txt").write_text("a", encoding="utf-8")
    args = MultiEditArgs.model_validate({"file_path": "a.txt", "edits": given})
    with pytest.raises(ToolInputError, match=reason):
        await TOOL.effects(args, bench.context)


async def test_file_that_was_not_read_is_refused(bench: ToolBench) -> None:
    (bench.root / "a.txt").write_text("a", encoding="utf-8")
    result = await bench.call(TOOL, file_path="a.txt", edits=edits(("a", "b")))
    assert "not read yet" in text_of(result)


async def test_text_that_the_user_changed_in_the_diff_is_what_gets_written(
    bench: ToolBench,
) -> None:
    path = await known(bench, "a.txt", b"one\ntwo\n")
    args = MultiEditArgs.model_validate({"file_path": "a.txt", "edits": edits(("one", "1"))})
    preview = await TOOL.preview(args, bench.context)
    given = TOOL.input_for_text(args, preview, "1\ntwo!\n")
    await bench.call(TOOL, **given)
    assert path.read_text(encoding="utf-8") == "1\ntwo!\n"


async def test_facts_of_the_call(bench: ToolBench) -> None:
    (bench.root / "a.txt").write_text("a", encoding="utf-8")
    args = MultiEditArgs.model_validate({"file_path": "a.txt", "edits": edits(("a", "b"))})
    effects = await TOOL.effects(args, bench.context)
    assert (effects.writes, effects.read_only) == ((bench.root / "a.txt",), False)
    assert TOOL.title(args, bench.context) == "a.txt"
    assert TOOL.locations(args, bench.context)[0].path == str(bench.root / "a.txt")
    assert not TOOL.is_concurrency_safe(args)
    assert EditTool.spec.kind == TOOL.spec.kind
