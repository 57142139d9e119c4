"""Hovers, definitions, uses and renames for an editor from a real typescript-language-server."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.asking_editor import (
    DEFINITION,
    LIMIT_S,
    REFERENCES,
    at,
    opened,
    servers,
    until_found,
    until_shown,
    uses_of,
)
from tests.support.stage import CLONE, Stage
from tests.support.waiting import until_answer

pytestmark = pytest.mark.asyncio(loop_scope="session")

RENAME = "textDocument/rename"

CATS = "export class Cat {\n  speak(): string {\n    return 'meow';\n  }\n}\n"
DOGS = "export class Dog {\n  speak(): number {\n    return 1;\n  }\n}\n"
MAIN = (
    "import { Cat } from './cats';\nimport { Dog } from './dogs';\n\n"
    "new Cat().speak();\nnew Dog();\n"
)
BIRDS = "export class Bird {\n  speak(): string {\n    return 'tweet';\n  }\n}\n"
NEST = "import { Bird } from './birds';\n\nnew Bird().speak();\n"
VIEW = "import { Cat } from './cats';\n\nexport const View = () => <p>{new Cat().speak()}</p>;\n"


@asynccontextmanager
async def project(folder: Path) -> AsyncGenerator[Stage]:
    """Two classes with a method of one name: types tell which one is meant."""
    async with opened(folder) as stage:
        (stage.project / "node_modules").symlink_to(CLONE / "node_modules")
        stage.write("package.json", "{}")
        options = '{"strict": true, "types": [], "lib": ["es5"], "jsx": "preserve"}'
        stage.write("tsconfig.json", f'{{"compilerOptions": {options}}}')
        for name, text in (("cats.ts", CATS), ("dogs.ts", DOGS), ("main.ts", MAIN)):
            stage.editor.open(stage.write(name, text), "typescript")
        stage.editor.open(stage.write("view.tsx", VIEW), "typescriptreact")
        yield stage


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def cats(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """One for all: the server takes many seconds to start on a busy machine."""
    async with project(tmp_path_factory.mktemp("cats")) as stage:
        yield stage


async def renamed(
    stage: Stage, path: Path, line: int, character: int
) -> dict[str, set[tuple[int, int]]]:
    """Ask for a rename; returns the places that change by file."""
    params = at(path, line, character) | {"newName": "talk"}
    answer: dict[str, Any] = await stage.client.request(RENAME, params) or {}
    edits = dict(answer.get("changes") or {})
    for one in answer.get("documentChanges") or ():
        edits[one["textDocument"]["uri"]] = one["edits"]
    return {
        uri.rsplit("/", 1)[-1]: {
            (edit["range"]["start"]["line"], edit["range"]["start"]["character"]) for edit in each
        }
        for uri, each in edits.items()
    }


async def test_types_tell_which_of_two_of_one_name_is_meant(cats: Stage) -> None:
    main, lib = cats.project / "main.ts", cats.project / "cats.ts"
    await until_found(cats, DEFINITION, at(main, 3, 11), {("cats.ts", 1, 2)})
    await until_found(
        cats, REFERENCES, uses_of(cats.project / "dogs.ts", 1, 4), {("dogs.ts", 1, 2)}
    )
    uses = {("main.ts", 3, 10), ("view.tsx", 2, 40)}
    await until_found(cats, REFERENCES, uses_of(lib, 1, 4, declared=False), uses)
    await until_shown(cats, (main, 3, 11), "Cat.speak(): string")


async def test_what_is_not_saved_counts_in_utf16_units(cats: Stage) -> None:
    lib, main = cats.write("birds.ts", BIRDS), cats.write("nest.ts", NEST)
    for path in (lib, main):
        cats.editor.open(path, "typescript")
    cats.editor.type_over(lib, "export class Bird", "\n\nexport class Bird")
    cats.editor.type_over(main, "new Bird().speak()", "String('😀'); new Bird().speak()")
    await until_found(cats, DEFINITION, at(main, 2, 26), {("birds.ts", 3, 2)})
    uses = {("birds.ts", 3, 2), ("nest.ts", 2, 25)}
    await until_found(cats, REFERENCES, uses_of(lib, 3, 4), uses)
    await until_shown(cats, (main, 2, 26), "Bird.speak(): string")

    async def is_renamed() -> bool:
        return await renamed(cats, lib, 3, 4) == {"birds.ts": {(3, 2)}, "nest.ts": {(2, 25)}}

    await until_answer(is_renamed, limit_s=LIMIT_S)


async def test_a_rename_leaves_what_has_the_same_name_alone(cats: Stage) -> None:
    async def is_so() -> bool:
        found = await renamed(cats, cats.project / "cats.ts", 1, 4)
        return found == {"cats.ts": {(1, 2)}, "main.ts": {(3, 10)}, "view.tsx": {(2, 40)}}

    await until_answer(is_so, limit_s=LIMIT_S)


async def test_a_hover_starts_no_server(tmp_path: Path) -> None:
    async with project(tmp_path) as stage:
        # The index answers, which says where it has it from.
        await until_shown(stage, (stage.project / "main.ts", 3, 5), "`cats.ts:1`")
        assert await servers(stage) == []
