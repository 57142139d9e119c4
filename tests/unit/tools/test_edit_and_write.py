"""The Edit and Write tools, as the executor calls them."""

import unicodedata
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.calls import DiffDisplay
from pilotfish.core.permission import FilePreview
from pilotfish.tooling.spec import Tool, ToolInputError
from pilotfish.tools.edit import EditArgs, EditTool
from pilotfish.tools.read import ReadTool
from pilotfish.tools.write import WriteArgs, WriteTool

from tests.support.tool_context import ToolBench, text_of, tool_bench

READ, EDIT, WRITE = ReadTool(), EditTool(), WriteTool()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


async def test_edit_after_read_shows_the_change_with_numbers(bench: ToolBench) -> None:
    path = bench.root / "a.py"
    path.write_text("".join(f"l{n}\n" for n in range(1, 21)), encoding="utf-8")
    await bench.call(READ, file_path="a.py")
    result = await bench.call(EDIT, file_path="a.py", old_string="l10", new_string="L10")
    assert not result.is_error
    text = text_of(result)
    assert text.startswith("a.py updated.")
    assert "    10\tL10" in text
    assert "     6\tl6" in text
    assert "     5\tl5" not in text
    (display,) = result.display
    assert isinstance(display, DiffDisplay)
    assert display.new_text == path.read_text(encoding="utf-8")


async def test_edit_then_read_shows_the_whole_text_again(bench: ToolBench) -> None:
    (bench.root / "a.py").write_text("one\n", encoding="utf-8")
    await bench.call(READ, file_path="a.py")
    await bench.call(EDIT, file_path="a.py", old_string="one", new_string="two")
    assert text_of(await bench.call(READ, file_path="a.py")) == "     1\ttwo"


async def test_read_of_a_part_is_enough_to_edit(bench: ToolBench) -> None:
    (bench.root / "a.py").write_text("one\ntwo\nthree\n", encoding="utf-8")
    await bench.call(READ, file_path="a.py", offset=2, limit=1)
    result = await bench.call(EDIT, file_path="a.py", old_string="three", new_string="3")
    assert not result.is_error


REFUSED: dict[str, tuple[Tool[Any], dict[str, Any], str]] = {
    "same strings": (EDIT, {"file_path": "a.py", "old_string": "x", "new_string": "x"}, "the same"),
    "missing file": (EDIT, {"file_path": "b.py", "old_string": "x", "new_string": "y"}, "not exist"),
    "folder": (EDIT, {"file_path": ".", "old_string": "x", "new_string": "y"}, "is a folder"),
    "notebook": (EDIT, {"file_path": "n.ipynb", "old_string": "x", "new_string": "y"}, "notebook"),
    "not read": (EDIT, {"file_path": "a.py", "old_string": "one", "new_string": "y"}, "Read it first"),
    "write not read": (WRITE, {"file_path": "a.py", "content": "y"}, "Read it first"),
    "write notebook": (WRITE, {"file_path": "n.ipynb", "content": "y"}, "notebook"),
    "write folder": (WRITE, {"file_path": "/", "content": "y"}, "is a folder"),
    "write network": (WRITE, {"file_path": "//h/x", "content": "y"}, "network"),
}  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments", "message"), REFUSED.values(), ids=REFUSED.keys())
async def test_call_that_cannot_work_fails_before_anybody_is_asked(
    bench: ToolBench, tool: Tool[Any], arguments: dict[str, Any], message: str
) -> None:
    (bench.root / "a.py").write_text("one\n", encoding="utf-8")
    args = tool.args_type.model_validate(arguments)

    async def prepare() -> None:
        await tool.effects(args, bench.context)
        await tool.preview(args, bench.context)

    with pytest.raises(ToolInputError, match=message):
        await prepare()
    assert (bench.root / "a.py").read_text(encoding="utf-8") == "one\n"


async def test_change_between_approval_and_run_is_refused(bench: ToolBench) -> None:
    path = bench.root / "a.py"
    path.write_text("one\n", encoding="utf-8")
    await bench.call(READ, file_path="a.py")
    args = EditArgs(file_path="a.py", old_string="one", new_string="two")
    await EDIT.preview(args, bench.context)
    path.write_text("one more\n", encoding="utf-8")
    result = await EDIT.run(args, bench.call_context())
    assert result.is_error
    assert "Read it again" in text_of(result)
    assert path.read_text(encoding="utf-8") == "one more\n"


async def test_preview_is_exact(bench: ToolBench) -> None:
    (bench.root / "a.py").write_bytes(b"one\r\n")
    await bench.call(READ, file_path="a.py")
    args = EditArgs(file_path="a.py", old_string="one", new_string="two\nthree")
    assert await EDIT.preview(args, bench.context) == FilePreview(
        path=str(bench.root / "a.py"), old_text="one\r\n", new_text="two\r\nthree\r\n"
    )


@pytest.mark.parametrize("text", ["user\n", "", "one\r\nuser\r\n"])
async def test_text_that_the_user_changed_in_the_diff_is_what_gets_written(
    bench: ToolBench, text: str
) -> None:
    path = bench.root / "a.py"
    path.write_bytes(b"one\r\n")
    await bench.call(READ, file_path="a.py")
    args = EditArgs(file_path="a.py", old_string="one", new_string="two")
    changed = EDIT.input_for_text(args, await EDIT.preview(args, bench.context), text)
    result = await bench.call(EDIT, **changed)
    assert not result.is_error
    assert path.read_bytes() == text.replace("\r\n", "\n").replace("\n", "\r\n").encode()


async def test_write_creates_and_then_updates(bench: ToolBench) -> None:
    created = await bench.call(WRITE, file_path="d/a.txt", content="one\n")
    assert text_of(created) == "d/a.txt created."
    updated = await bench.call(WRITE, file_path="d/a.txt", content="two\n")
    assert text_of(updated).startswith("d/a.txt updated.")
    assert "     1\ttwo" in text_of(updated)
    (display,) = updated.display
    assert isinstance(display, DiffDisplay)
    assert (display.old_text, display.new_text) == ("one\n", "two\n")


VERBATIM = {
    "FE-05 no carriage return is added": "#!/bin/sh\necho hi\n",
    "FE-17 backslashes stay text": "re = '[\\s\\x00-\\x1f]'\n",
    "FE-18 entities stay text": "a &amp; b &lt; c &#39;\n",
    "no final newline": "x",
    "carriage returns stay": "a\r\nb\n",
}


@pytest.mark.parametrize("content", VERBATIM.values(), ids=VERBATIM.keys())
async def test_write_stores_exactly_what_was_sent(bench: ToolBench, content: str) -> None:
    path = bench.root / "a"
    path.write_bytes(b"old\r\n")
    await bench.call(READ, file_path="a")
    await bench.call(WRITE, file_path="a", content=content)
    assert path.read_bytes() == content.encode()


async def test_write_takes_an_object_for_a_json_file(bench: ToolBench) -> None:
    await bench.call(WRITE, file_path="a.json", content={"a": ["é"]})
    assert (bench.root / "a.json").read_text(encoding="utf-8") == '{\n  "a": [\n    "é"\n  ]\n}\n'


async def test_fe37_twin_of_a_look_alike_name_is_mentioned(bench: ToolBench) -> None:
    there = bench.root / unicodedata.normalize("NFD", "\u00e9.txt")
    there.touch()
    result = await bench.call(WRITE, file_path="\u00e9.txt", content="x")
    assert f"Beside it there is {there}" in text_of(result)


async def test_fe39_sibling_folder_with_a_common_prefix_is_not_rewritten(bench: ToolBench) -> None:
    outside = bench.root.with_name("project-x") / "a.md"
    args = WriteArgs(file_path=str(outside), content="x")
    effects = await WRITE.effects(args, bench.context)
    assert effects.writes == (outside,)
    assert WRITE.title(args, bench.context) == str(outside)
    inside = WriteArgs(file_path="a.md", content="x")
    assert (await WRITE.effects(inside, bench.context)).writes == (bench.root / "a.md",)


async def test_facts_of_an_edit(bench: ToolBench) -> None:
    (bench.root / "a.py").write_text("one\n", encoding="utf-8")
    args = EditArgs(file_path="a.py", old_string="one", new_string="two")
    effects = await EDIT.effects(args, bench.context)
    assert (effects.writes, effects.read_only) == ((bench.root / "a.py",), False)
    assert not EDIT.is_concurrency_safe(args)


async def test_edit_in_an_open_document_notes_that_it_is_unsaved(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("one\n", encoding="utf-8")
    bench.editor.open(path)
    bench.editor.type(path, "one user\n")
    await bench.call(READ, file_path="a.txt")
    result = await bench.call(EDIT, file_path="a.txt", old_string="one", new_string="two")
    assert "not saved to disk" in text_of(result)
    assert bench.editor.text(path) == "two user\n"


async def test_a_name_that_is_too_long_is_an_error_before_anybody_is_asked(
    bench: ToolBench,
) -> None:
    result = await bench.call(WriteTool(), file_path="x" * 300, content="x")
    assert result.is_error
    assert "File name too long" in text_of(result)


async def test_fe40_another_case_is_another_file_here_and_the_look_alike_is_named(
    bench: ToolBench,
) -> None:
    (bench.root / "Readme.md").write_text("a\n", encoding="utf-8")
    await bench.call(ReadTool(), file_path="Readme.md")
    result = await bench.call(EditTool(), file_path="README.md", old_string="a", new_string="b")
    assert f"Did you mean {bench.root / 'Readme.md'}?" in text_of(result)
    created = await bench.call(WriteTool(), file_path="readme.md", content="x")
    assert "whose name looks the same" in text_of(created)
    assert (bench.root / "Readme.md").read_text(encoding="utf-8") == "a\n"


async def test_a_doubtful_encoding_takes_what_all_share_and_refuses_the_rest(
    bench: ToolBench,
) -> None:
    path = bench.root / "old.txt"
    path.write_bytes(b"caf\xe9 = 1\n")
    await bench.call(ReadTool(), file_path="old.txt")
    ok = await bench.call(EditTool(), file_path="old.txt", old_string="1", new_string="\u00e9 2")
    assert not ok.is_error
    assert path.read_bytes() == b"caf\xe9 = \xe9 2\n"
    refused = await bench.call(EditTool(), file_path="old.txt", old_string="2", new_string="\u00f1")
    assert refused.is_error
    assert "not the same in all of them" in text_of(refused)
    assert path.read_bytes() == b"caf\xe9 = \xe9 2\n"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"a": "é"}, '{\n  "a": "é"\n}\n'),
        ([1], "[\n  1\n]\n"),
        (5, "5"),
        (1.5, "1.5"),
        (True, "true"),
    ],
)
def test_content_that_is_no_text_is_written_as_json(content: object, text: str) -> None:
    assert WriteArgs.model_validate({"file_path": "a", "content": content}).content == text
