"""The Glob and Grep tools."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.tooling.spec import ToolInputError
from pilotfish.tools.glob import GlobArgs, GlobTool
from pilotfish.tools.grep import GrepArgs, GrepTool

from tests.support.tool_context import ToolBench, text_of, tool_bench

GLOB, GREP = GlobTool(), GrepTool()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        for age, (name, text) in enumerate(
            {"new.py": "needle\n", "src/mid.py": "x\nneedle\ny\n", "old.py": "a needle\n"}.items()
        ):
            path = made.root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            os.utime(path, (1_000_000 - age, 1_000_000 - age))
        yield made


async def glob(bench: ToolBench, **arguments: object) -> str:
    return text_of(await bench.call(GLOB, **arguments))


async def grep(bench: ToolBench, **arguments: object) -> str:
    return text_of(await bench.call(GREP, **arguments))


async def test_glob_lists_newest_first_relative_to_the_current_folder(bench: ToolBench) -> None:
    assert await glob(bench, pattern="**/*.py") == "new.py\nsrc/mid.py\nold.py"
    bench.context.cwd = bench.root / "src"
    assert await glob(bench, pattern="*.py") == "mid.py"


async def test_glob_takes_a_folder_and_an_absolute_pattern(bench: ToolBench) -> None:
    assert await glob(bench, pattern="*.py", path="src") == "src/mid.py"
    assert await glob(bench, pattern=f"{bench.root}/src/*.py") == "src/mid.py"
    assert await glob(bench, pattern=f"{bench.root}/*.py") == "new.py\nsrc/mid.py\nold.py"


async def test_glob_says_when_the_list_is_cut_or_empty(bench: ToolBench) -> None:
    for number in range(101):
        (bench.root / f"{number}.txt").touch()
    text = await glob(bench, pattern="*.txt")
    assert len(text.splitlines()) == 101
    assert text.endswith("(The 100 files changed last of 101. Be more specific to see others.)")
    assert "No files match *.nothing" in await glob(bench, pattern="*.nothing")


@pytest.mark.parametrize(
    ("path", "pattern", "message"),
    [("nothere", "*", "does not exist"), ("new.py", "*", "is a file"), (None, "../*", "must not")],
)
async def test_glob_refuses_what_cannot_be_searched(
    bench: ToolBench, path: str | None, pattern: str, message: str
) -> None:
    with pytest.raises(ToolInputError, match=message):
        await GLOB.effects(GlobArgs(pattern=pattern, path=path), bench.context)


async def test_grep_lists_files_newest_first_by_default(bench: ToolBench) -> None:
    assert await grep(bench, pattern="needle") == "3 files\nnew.py\nsrc/mid.py\nold.py"


async def test_grep_content_has_path_number_and_context(bench: ToolBench) -> None:
    text = await grep(bench, pattern="needle", path="src", output_mode="content", **{"-C": 1})
    assert text == "src/mid.py-1-x\nsrc/mid.py:2:needle\nsrc/mid.py-3-y"
    bare = await grep(bench, pattern="needle", path="src", output_mode="content", **{"-n": False})
    assert bare == "src/mid.py:needle"


async def test_grep_counts(bench: ToolBench) -> None:
    text = await grep(bench, pattern="needle", output_mode="count", glob="*.py")
    assert text == "3 matching lines in 3 files\nnew.py:1\nold.py:1\nsrc/mid.py:1"


async def test_grep_pages_and_says_so(bench: ToolBench) -> None:
    (bench.root / "many.txt").write_text("needle\n" * 300, encoding="utf-8")
    arguments = {"pattern": "needle", "path": "many.txt", "output_mode": "content"}
    first = (await grep(bench, **arguments)).splitlines()
    assert len(first) == 251
    assert first[-1] == "(Results 1 to 250 of 300. Continue with offset 250.)"
    second = (await grep(bench, **arguments, offset=250)).splitlines()
    assert second[0] == "many.txt:251:needle"
    assert second[-1] == "(Results 251 to 300 of 300.)"
    assert len((await grep(bench, **arguments, head_limit=0)).splitlines()) == 300
    assert "past the end: there are 300" in await grep(bench, **arguments, offset=900)


async def test_grep_says_when_nothing_matches_or_the_pattern_is_wrong(bench: ToolBench) -> None:
    assert await grep(bench, pattern="absent") == "No matches for absent."
    result = await bench.call(GREP, pattern="(")
    assert result.is_error
    assert "The search failed" in text_of(result)
    unknown = await bench.call(GREP, pattern="x", type="klingon")
    assert unknown.is_error


async def test_what_a_rule_hides_is_neither_listed_nor_searched(bench: ToolBench) -> None:
    bench.context.hidden_files = lambda paths: frozenset(p for p in paths if p.name == "mid.py")
    note = "(1 file is left out: a deny rule for Read hides it.)"
    assert await glob(bench, pattern="**/*.py") == f"new.py\nold.py\n{note}"
    assert await grep(bench, pattern="needle") == f"2 files\nnew.py\nold.py\n{note}"
    counted = await grep(bench, pattern="needle", output_mode="count")
    assert counted == f"2 matching lines in 2 files\nnew.py:1\nold.py:1\n{note}"
    shown = await grep(bench, pattern="needle", output_mode="content", **{"-C": 1})
    assert "mid.py" not in shown
    assert "y" not in shown.splitlines()
    assert shown.endswith(note)
    alone = await grep(bench, pattern="needle", path="src")
    assert alone == f"No matches for needle.\n{note}"


async def test_facts_and_titles(bench: ToolBench) -> None:
    grep_args = GrepArgs.model_validate({"pattern": "x", "path": "src", "-i": True})
    effects = await GREP.effects(grep_args, bench.context)
    assert (effects.reads, effects.read_only) == ((bench.root / "src",), True)
    assert GREP.title(grep_args, bench.context) == "x in src"
    glob_args = GlobArgs(pattern=f"{bench.root}/src/*.py")
    assert (await GLOB.effects(glob_args, bench.context)).reads == (bench.root / "src",)
    assert GLOB.title(glob_args, bench.context) == "*.py in src"
    with pytest.raises(ToolInputError, match="does not exist"):
        await GREP.effects(GrepArgs(pattern="x", path="gone"), bench.context)


def test_schema_names_the_switches_as_the_shell_does() -> None:
    properties = GrepArgs.model_json_schema()["properties"]
    assert {"-A", "-B", "-C", "-n", "-i"} <= set(properties)


@pytest.mark.parametrize("mode", ["files_with_matches", "content", "count"])
async def test_numbers_that_are_too_large_for_any_list_are_taken(
    bench: ToolBench, mode: str
) -> None:
    beyond = 10**30
    past = await grep(bench, pattern="needle", output_mode=mode, offset=beyond)
    assert f"(offset {beyond} is past the end: there are 3.)" in past
    every = await grep(bench, pattern="needle", output_mode=mode, head_limit=beyond)
    assert every == await grep(bench, pattern="needle", output_mode=mode)
