"""Hovers, definitions and uses for an editor: our language servers first, then the index."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.servers import FakeScript
from tests.support.stage import Stage, path_with_own_programs
from tests.support.waiting import until_answer

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEFINITION = "textDocument/definition"
HOVER = "textDocument/hover"
REFERENCES = "textDocument/references"

LIMIT_S = 60.0
"""A server that is slow to answer on a busy machine is left out for a while, then asked again."""

CATS = "class Cat:\n    def speak(self) -> str:\n        return 'meow'\n"
DOGS = "class Dog:\n    def speak(self) -> int:\n        return 1\n"
MAIN = "from cats import Cat\nfrom dogs import Dog\n\nCat().speak()\nDog()\n"

LUA = "local function greet(name)\n  return name\nend\n\ngreet(1)\n"


@asynccontextmanager
async def opened(tmp_path: Path, **servers: Any) -> AsyncGenerator[Stage]:
    settings = tmp_path / "home" / ".pilotfish" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"codeIntelligence": {"servers": servers}}))
    async with Stage.open(tmp_path, variables={"PATH": path_with_own_programs()}) as stage:
        yield stage


@pytest_asyncio.fixture(loop_scope="session")
async def cats(tmp_path: Path) -> AsyncIterator[Stage]:
    """Two classes with a method of one name: types tell which one is meant."""
    async with opened(tmp_path) as stage:
        for name, text in (("cats.py", CATS), ("dogs.py", DOGS), ("main.py", MAIN)):
            stage.editor.open(stage.write(name, text))
        yield stage


def at(path: Path, line: int, character: int) -> dict[str, Any]:
    place = {"line": line, "character": character}
    return {"textDocument": {"uri": path.as_uri()}, "position": place}


def uses_of(path: Path, line: int, character: int, *, declared: bool = True) -> dict[str, Any]:
    return at(path, line, character) | {"context": {"includeDeclaration": declared}}


async def places(stage: Stage, method: str, params: dict[str, Any]) -> set[tuple[str, int, int]]:
    found: list[dict[str, Any]] = await stage.client.request(method, params) or []
    starts = [(str(one["uri"]), one["range"]["start"]) for one in found]
    return {(uri.rsplit("/", 1)[-1], start["line"], start["character"]) for uri, start in starts}


async def until_found(
    stage: Stage, method: str, params: dict[str, Any], expected: set[tuple[str, int, int]]
) -> None:
    async def is_so() -> bool:
        return await places(stage, method, params) == expected

    await until_answer(is_so, limit_s=LIMIT_S)


async def hover(stage: Stage, path: Path, line: int, character: int) -> str:
    told = await stage.client.request(HOVER, at(path, line, character))
    return "" if told is None else told["contents"]["value"]


async def until_shown(stage: Stage, place: tuple[Path, int, int], text: str) -> None:
    async def is_so() -> bool:
        return text in await hover(stage, *place)

    await until_answer(is_so, limit_s=LIMIT_S)


async def servers(stage: Stage) -> list[str]:
    found = [one for one in await stage.children() if one["purpose"] == "language_server"]
    return sorted(one["label"] for one in found)


async def test_types_tell_which_of_two_of_one_name_is_meant(cats: Stage) -> None:
    main, dogs = cats.project / "main.py", cats.project / "dogs.py"
    await until_found(cats, DEFINITION, at(main, 3, 8), {("cats.py", 1, 8)})
    await until_found(cats, REFERENCES, uses_of(dogs, 1, 10), {("dogs.py", 1, 8)})
    await until_found(
        cats,
        REFERENCES,
        uses_of(cats.project / "cats.py", 1, 10, declared=False),
        {("main.py", 3, 6)},
    )
    await until_shown(cats, (main, 3, 8), "bound method Cat.speak() -> str")


async def test_what_is_not_saved_counts_in_utf16_units(cats: Stage) -> None:
    main, lib = cats.project / "main.py", cats.project / "cats.py"
    cats.editor.type_over(lib, "class Cat", "\n\nclass Cat")
    cats.editor.type_over(main, "Cat().speak()", 'print("😀", Cat().speak())')
    await until_found(cats, DEFINITION, at(main, 3, 20), {("cats.py", 3, 8)})
    uses = {("cats.py", 3, 8), ("main.py", 3, 18)}
    await until_found(cats, REFERENCES, uses_of(lib, 3, 10), uses)
    await until_shown(cats, (main, 3, 20), "bound method Cat.speak() -> str")


async def test_a_hover_starts_no_server(cats: Stage) -> None:
    # The index answers, which says where it has it from.
    await until_shown(cats, (cats.project / "main.py", 3, 1), "`cats.py:1`")
    assert await servers(cats) == []


async def test_no_server_is_asked_where_the_user_wants_none(cats: Stage) -> None:
    cats.write(".pilotfish/settings.json", '{"codeIntelligence": {"useServers": false}}')
    main = cats.project / "main.py"
    await until_found(cats, DEFINITION, at(main, 3, 8), {("cats.py", 1, 8)})
    await until_shown(cats, (main, 3, 8), "`cats.py:2`")
    assert await servers(cats) == []


def fake_for_lua(tmp_path: Path, **script: Any) -> tuple[FakeScript, dict[str, Any]]:
    fake = FakeScript(tmp_path / "fake")
    can = {"hoverProvider": True, "definitionProvider": True, "referencesProvider": True}
    fake.set(can=can, **script)
    return fake, {"command": list(fake.definition.argv), "languages": {".lua": "lua"}}


async def test_the_index_follows_a_server_that_does_not_answer(tmp_path: Path) -> None:
    fake, entry = fake_for_lua(tmp_path, mute=[DEFINITION, REFERENCES, HOVER])
    async with opened(tmp_path, fake=entry) as stage:
        path = stage.write("a.lua", LUA)
        stage.editor.open(path, "lua")
        await until_found(stage, DEFINITION, at(path, 4, 2), {("a.lua", 0, 15)})
        await until_found(
            stage, REFERENCES, uses_of(path, 0, 16), {("a.lua", 0, 15), ("a.lua", 4, 0)}
        )
        await until_shown(stage, (path, 4, 2), "function greet(name)")

        # It was given its chance, as soon as it ran.
        async def was_asked() -> bool:
            await places(stage, DEFINITION, at(path, 4, 2))
            return bool(fake.heard(DEFINITION))

        await until_answer(was_asked, limit_s=LIMIT_S)


@pytest.mark.parametrize(
    "script",
    [{"crash_on": "initialize"}, {"crash_on": DEFINITION}, {"hang_on": "initialize"}, {}],
    ids=["dies at once", "dies when asked", "never ready", "refuses"],
)
async def test_the_index_follows_a_server_that_fails(
    tmp_path: Path, script: dict[str, Any]
) -> None:
    _, entry = fake_for_lua(tmp_path, **script)
    async with opened(tmp_path, fake=entry) as stage:
        path = stage.write("a.lua", LUA)
        stage.editor.open(path, "lua")
        await until_found(stage, DEFINITION, at(path, 4, 2), {("a.lua", 0, 15)})
        await until_shown(stage, (path, 4, 2), "function greet(name)")


async def test_a_server_that_the_settings_describe_is_asked_first(tmp_path: Path) -> None:
    nowhere = {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 8}}
    uri = (tmp_path / "workspace" / "a.lua").as_uri()
    answers = {DEFINITION: {"uri": uri, "range": nowhere}, HOVER: {"contents": "from the fake"}}
    fake, entry = fake_for_lua(tmp_path, answers=answers)
    async with opened(tmp_path, fake=entry) as stage:
        path = stage.write("a.lua", LUA)
        stage.editor.open(path, "lua")
        stage.editor.type_over(path, "greet(1)", "greet(2)")
        await until_found(stage, DEFINITION, at(path, 4, 2), {("a.lua", 1, 2)})
        await until_shown(stage, (path, 4, 2), "from the fake")
        assert any("greet(2)" in json.dumps(one) for one in fake.heard("textDocument/didOpen"))
