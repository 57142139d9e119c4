"""The language servers that the clone installs: real programs on real code."""

import random
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.codeintel.servers.disk_watch import Bundle
from pilotfish.codeintel.servers.registry import BUILT_IN, ServerDefinition

from tests.support.servers import Workshop, workshop
from tests.support.stage import CLONE
from tests.support.waiting import until


def named(*names: str) -> list[ServerDefinition]:
    return [one for one in BUILT_IN if one.name in names]


@pytest.fixture
async def python(tmp_path: Path) -> AsyncGenerator[Workshop]:
    async with workshop(tmp_path / "project", named("ty", "ruff")) as shop:
        yield shop


@pytest.fixture
async def typescript(tmp_path: Path) -> AsyncGenerator[Workshop]:
    async with workshop(tmp_path / "project", named("typescript-language-server")) as shop:
        (shop.root / "node_modules").symlink_to(CLONE / "node_modules")
        shop.write("package.json", "{}")
        shop.write(
            "tsconfig.json", '{"compilerOptions": {"strict": true, "types": [], "lib": ["es5"]}}'
        )
        yield shop


GREET = 'def greet(name: str) -> str:\n    return "hello " + name\n'


async def test_ty_tells_what_an_edit_breaks_and_repairs(python: Workshop) -> None:
    python.write("a.py", GREET)
    text = await python.edited("a.py", GREET + "\n\ngreet(1)\n")
    assert "a.py:5:7: error: Argument to function `greet` is incorrect" in text
    assert "(fresh, from ty)" in text
    assert "[ty invalid-argument-type]" in text
    text = await python.edited("a.py", GREET)
    assert "(1 earlier diagnostics are gone.)" in text


async def test_ty_says_nothing_new_of_moved_errors(python: Workshop) -> None:
    broken = GREET + "\n\ngreet(1)\ngreet(2)\n"
    python.write("a.py", broken)
    moved = "".join(f"x{number} = {number}\n" for number in range(30)) + broken
    assert await python.edited("a.py", moved) == ""


async def test_ty_finds_the_caller_that_an_edit_breaks(python: Workshop) -> None:
    python.write("lib.py", GREET)
    python.write("app/__init__.py", "")
    python.write("app/main.py", 'from lib import greet\n\ngreet("x")\n')
    text = await python.edited("lib.py", GREET.replace("name: str", "name: str, loud: bool"))
    assert "app/main.py:3:1: error: No argument provided for required parameter `loud`" in text


async def test_two_edits_of_one_message_that_belong_together_break_nothing(
    python: Workshop,
) -> None:
    python.write("lib.py", GREET)
    python.write("main.py", 'from lib import greet\n\ngreet("x")\n')
    await python.edit("lib.py", GREET.replace("name: str", "name: str, loud: bool"))
    await python.edit("main.py", 'from lib import greet\n\ngreet("x", True)\n')
    assert await python.note() == ""


async def test_what_was_wrong_with_a_file_that_a_command_has_just_moved_is_no_news(
    python: Workshop,
) -> None:
    python.write("a.py", "x: int = ''\n")
    python.write("b.py", "y = 1\n")
    assert await python.edited("b.py", "y = 2\n") == ""
    (python.root / "a.py").rename(python.root / "c.py")
    await python.edit("b.py", "y = 3\n")
    await until(lambda: all(one._before.taken_ns for one in python.source._rounds.values()))
    await python.edit("c.py", "x: int = ''\n\n")
    assert "c.py" not in await python.note()


async def test_a_file_made_by_a_command_is_known_when_it_is_imported(
    python: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: set[Path] = set()
    real = python.pool.files_changed

    def listen(bundle: Bundle) -> None:
        told.update(bundle.changes)
        real(bundle)

    monkeypatch.setattr(python.pool, "files_changed", listen)
    python.write("main.py", "x = 1\n")
    assert await python.edited("main.py", "x = 2\n") == ""
    made = python.write("made.py", "y = 1\n")
    await until(lambda: made in told)
    assert await python.edited("main.py", "from made import y\n\nx = y\n") == ""


async def test_ruff_joins_where_the_project_has_chosen_it(python: Workshop) -> None:
    python.write("a.py", "x = 1\n")
    assert await python.edited("a.py", "import os\n\nx = 1\n") == ""
    python.write("pyproject.toml", '[tool.ruff.lint]\nselect = ["F"]\n')
    text = await python.edited("b.py", "import os\n\nx: int = ''\n")
    assert "`os` imported but unused" in text
    assert "invalid-assignment" in text
    assert "(fresh, from ruff, ty)" in text


async def edit_at_random(
    shop: Workshop, names: list[str], first: str, end: str, count: int
) -> None:
    """Make edits that hold a known number of errors, named after the edit: nothing else may be told.

    Args:
        shop: Where.
        names: Of the files.
        first: A line without fault, in each version of each file.
        end: What ends a line, beside the line end.
        count: How many edits.
    """
    chance = random.Random(5)
    held: dict[str, list[str]] = {name: [] for name in names}
    for name in names:
        shop.write(name, first)
    stale: list[str] = []
    for number in range(count):
        name = chance.choice(names)
        kept = [one for one in held[name] if chance.random() < 0.7]
        fresh = [f"missing_{number}_{at}" for at in range(chance.randrange(3))]
        lines = [*kept, *fresh]
        chance.shuffle(lines)
        pad = "\n" * chance.randrange(40)
        text = await shop.edited(name, pad + first + "".join(f"{one}{end}\n" for one in lines))
        words = (word.strip("`'.") for word in text.split())
        told = {word for word in words if word.startswith("missing_")}
        if told != set(fresh) or "timed out" in text:
            stale.append(f"edit {number}: wanted {fresh}, told {text}")
        held[name] = lines
    assert stale == []


async def test_two_hundred_random_edits_give_no_stale_report(python: Workshop) -> None:
    await edit_at_random(python, ["a.py", "b.py", "c.py"], "x: int = 0\n", "", 200)


EXPORT = "export function greet(name: string): string {\n  return `hello ${name}`;\n}\n"


async def test_typescript_tells_what_an_edit_breaks_moves_and_repairs(
    typescript: Workshop,
) -> None:
    typescript.write("a.ts", EXPORT)
    broken = EXPORT + "greet(1);\n"
    text = await typescript.edited("a.ts", broken)
    assert "a.ts:4:7: error: Argument of type 'number' is not assignable" in text
    assert "(fresh, from typescript-language-server)" in text
    moved = "".join(f"export const x{number} = {number};\n" for number in range(30)) + broken
    assert await typescript.edited("a.ts", moved) == ""
    assert "(1 earlier diagnostics are gone.)" in await typescript.edited("a.ts", EXPORT)


async def test_typescript_finds_the_caller_that_the_session_knows(typescript: Workshop) -> None:
    typescript.write("lib.ts", EXPORT)
    main = 'import { greet } from "./lib";\n\ngreet("x");\n'
    typescript.related.append(typescript.write("main.ts", main))
    text = await typescript.edited(
        "lib.ts", EXPORT.replace("name: string", "name: string, n: number")
    )
    assert "main.ts:3:1: error: Expected 2 arguments, but got 1." in text


async def test_typescript_gives_no_stale_report_and_is_not_waited_for_in_vain(
    typescript: Workshop,
) -> None:
    """By itself it says nothing of a clean file that stays clean."""
    names = ["a.ts", "b.ts", "c.ts"]
    typescript.related += [typescript.root / name for name in names]
    await typescript.edited("a.ts", EXPORT)  # it starts, and reads the library
    typescript.wait_s = 45.0
    await edit_at_random(typescript, names, "export const x: number = 0;\n", ";", 60)
