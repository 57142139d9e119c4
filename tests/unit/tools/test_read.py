"""The Read tool."""

import os
import unicodedata
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.tooling.spec import ToolInputError
from pilotfish.tools import read
from pilotfish.tools.read import ReadArgs, ReadTool

from tests.support.tool_context import ToolBench, text_of, tool_bench

TOOL = ReadTool()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


async def read_text(bench: ToolBench, path: str, **more: int) -> str:
    return text_of(await bench.call(TOOL, file_path=path, **more))


async def test_text_has_right_aligned_numbers_and_no_footer_when_whole(bench: ToolBench) -> None:
    (bench.root / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert await read_text(bench, "a.txt") == "     1\tone\n     2\ttwo"


async def test_range_says_what_was_shown_and_of_how_much(bench: ToolBench) -> None:
    (bench.root / "a.txt").write_text("".join(f"l{n}\n" for n in range(1, 11)), encoding="utf-8")
    text = await read_text(bench, "a.txt", offset=3, limit=2)
    assert text == "     3\tl3\n     4\tl4\n(Lines 3 to 4 shown, 10 in all.)"


async def test_default_stops_at_2000_lines_and_says_how_to_read_on(bench: ToolBench) -> None:
    (bench.root / "a.txt").write_text("x\n" * 2500, encoding="utf-8")
    text = await read_text(bench, "a.txt")
    assert text.endswith(
        "  2000\tx\n(Lines 1 to 2000 shown, 2500 in all. Read on with offset 2001.)"
    )


async def test_long_line_is_cut_with_a_note(bench: ToolBench) -> None:
    (bench.root / "a.txt").write_text("y" * 3000, encoding="utf-8")
    assert "y... [line cut: 3,000 characters in all]" in await read_text(bench, "a.txt")


@pytest.mark.parametrize(
    ("content", "arguments", "expected"),
    [("", {}, "exists and is empty"), ("a\nb\n", {"offset": 9}, "has 2 lines; line 9 is past its")],
)
async def test_nothing_to_show_is_said_plainly(
    bench: ToolBench, content: str, arguments: dict[str, int], expected: str
) -> None:
    (bench.root / "a.txt").write_text(content, encoding="utf-8")
    assert expected in await read_text(bench, "a.txt", **arguments)


async def test_large_file_needs_a_range_and_a_huge_one_is_streamed(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bench.root / "a.txt").write_text("".join(f"{n}\n" for n in range(60_000)), encoding="utf-8")
    result = await bench.call(TOOL, file_path="a.txt")
    assert result.is_error
    assert "Use offset and limit" in text_of(result)
    whole = await read_text(bench, "a.txt", offset=50_000, limit=2)
    assert whole.startswith(" 50000\t49999\n 50001\t50000\n(Lines 50000 to 50001 shown, 60000")
    monkeypatch.setattr(read, "MAX_LOADED_BYTES", 1000)
    streamed = await read_text(bench, "a.txt", offset=50_001, limit=2)
    assert streamed == " 50001\t50000\n 50002\t50001\n(Lines 50001 to 50002 shown, more follow.)"
    assert "has not changed" in await read_text(bench, "a.txt", offset=50_001, limit=2)
    end = await read_text(bench, "a.txt", offset=59_999, limit=9)
    assert end.endswith("(Lines 59999 to 60000 shown, 60000 in all.)")


async def test_range_with_too_many_characters_is_refused(bench: ToolBench) -> None:
    (bench.root / "a.txt").write_text(("z" * 1500 + "\n") * 100, encoding="utf-8")
    result = await bench.call(TOOL, file_path="a.txt")
    assert result.is_error
    assert "too large to show at once" in text_of(result)


async def test_same_part_again_is_a_stub_until_the_file_changes(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("one\ntwo\n", encoding="utf-8")
    told: list[Path] = []
    bench.context.files.on_read = told.append
    first = await read_text(bench, "a.txt")
    assert "has not changed since you read this part" in await read_text(bench, str(path))
    assert told == [path, path]  # whoever warms up for an edit hears of both
    assert await read_text(bench, "a.txt", limit=1) != first
    assert await read_text(bench, "a.txt") == first
    path.write_text("three\n", encoding="utf-8")
    assert await read_text(bench, "a.txt") == "     1\tthree"
    bench.context.files.forget_reads()
    assert await read_text(bench, "a.txt") == "     1\tthree"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/dev/zero", "device"),
        ("/dev/stdin", "device"),
        ("/proc/self/fd/0", "device"),
        ("/proc/kmsg", "device"),
        ("\\\\server\\share\\x", "network"),
        ("//server/share/x", "network"),
        ("", "empty"),
        ("a\0b", "NUL"),
        (".", "folder"),
        ("x.zip", "binary"),
        ("pipe", "pipe"),
    ],
)
async def test_what_cannot_be_read_is_refused_before_it_is_opened(
    bench: ToolBench, path: str, reason: str
) -> None:
    (bench.root / "x.zip").touch()
    os.mkfifo(bench.root / "pipe")
    with pytest.raises(ToolInputError, match=reason):
        await TOOL.effects(ReadArgs(file_path=path), bench.context)


async def test_binary_content_is_refused_with_the_reason(bench: ToolBench) -> None:
    (bench.root / "data").write_bytes(b"ab\0cd")
    result = await bench.call(TOOL, file_path="data")
    assert result.is_error
    assert "NUL byte at offset 2" in text_of(result)


SUGGESTIONS = {
    "other extension": ("src/a.tsx", "src/a.ts", "src/a.tsx"),
    "other case": ("Readme.md", "README.md", "Readme.md"),
    "FE-37 decomposed accents": (
        unicodedata.normalize("NFD", "\u00e9.txt"),
        "\u00e9.txt",
        unicodedata.normalize("NFD", "\u00e9.txt"),
    ),
    "FE-38 narrow space": ("Shot 9.41\u202fAM.png", "Shot 9.41 AM.png", "Shot 9.41\u202fAM.png"),
    "FE-38 no-break space": ("Shot 9.41\u00a0AM.png", "Shot 9.41 AM.png", "Shot 9.41\u00a0AM.png"),
    "wrong root": ("src/b.py", "/home/somebody/work/src/b.py", "src/b.py"),
}


@pytest.mark.parametrize(
    ("there", "asked", "suggested"), SUGGESTIONS.values(), ids=SUGGESTIONS.keys()
)
async def test_missing_file_is_answered_with_what_was_meant(
    bench: ToolBench, there: str, asked: str, suggested: str
) -> None:
    (bench.root / there).parent.mkdir(exist_ok=True)
    (bench.root / there).touch()
    result = await bench.call(TOOL, file_path=asked)
    assert result.is_error
    assert f"Did you mean {bench.root / suggested}?" in text_of(result)


async def test_missing_file_without_a_likeness_names_the_current_folder(bench: ToolBench) -> None:
    assert f"Relative paths start at {bench.root}" in await read_text(bench, "nothing.txt")


async def test_fe25_open_document_is_shown_as_it_stands_with_a_note(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("one\n", encoding="utf-8")
    bench.editor.open(path)
    assert await read_text(bench, "a.txt") == "     1\tone"
    bench.editor.type(path, "one user\n")
    text = await read_text(bench, "a.txt")
    assert text.startswith("     1\tone user\n")
    assert "not saved to disk" in text


@pytest.mark.parametrize(
    ("text", "encoding", "note"),
    [
        ("plain\n", "utf-8", None),
        ("x\n", "utf-16", None),
        (
            "# Проверка значения перед записью в файл\n",
            "koi8_r",
            "legacy encoding koi8_r, and edits",
        ),
        ("# caf\u00e9\n", "cp1252", "taken for cp1252; it may as well be cp1250"),
    ],
)
async def test_legacy_encoding_is_named(
    bench: ToolBench, text: str, encoding: str, note: str | None
) -> None:
    (bench.root / "a.txt").write_bytes(text.encode(encoding))
    shown = await read_text(bench, "a.txt")
    assert shown.startswith(f"     1\t{text.strip()}")
    assert (note is None and "encoding" not in shown) or (note is not None and note in shown)


async def test_document_that_was_never_saved_can_be_read(bench: ToolBench) -> None:
    bench.editor.open(bench.root / "new.txt", "draft\n")
    assert (await read_text(bench, "new.txt")).startswith("     1\tdraft")


async def test_facts_and_title(bench: ToolBench) -> None:
    (bench.root / "src").mkdir()
    (bench.root / "src/a.py").touch()
    args = ReadArgs(file_path="src/../src/a.py", offset=4)
    effects = await TOOL.effects(args, bench.context)
    assert (effects.reads, effects.writes, effects.read_only) == (
        (bench.root / "src/a.py",),
        (),
        True,
    )
    assert TOOL.title(args, bench.context) == "src/a.py"
    (location,) = TOOL.locations(args, bench.context)
    assert (location.path, location.line) == (str(bench.root / "src/a.py"), 4)
    assert TOOL.is_concurrency_safe(args)
