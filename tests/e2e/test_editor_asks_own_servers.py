"""Hovers, definitions and uses for an editor: our language servers first, then the index."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.asking_editor import (
    DEFINITION,
    HOVER,
    LIMIT_S,
    REFERENCES,
    at,
    opened,
    places,
    servers,
    until_found,
    until_shown,
    uses_of,
)
from tests.support.servers import FakeScript
from tests.support.stage import Stage
from tests.support.waiting import until_answer

pytestmark = pytest.mark.asyncio(loop_scope="session")

CATS = "class Cat:\n    def speak(self) -> str:\n        return 'meow'\n"
DOGS = "class Dog:\n    def speak(self) -> int:\n        return 1\n"
MAIN = "from cats import Cat\nfrom dogs import Dog\n\nCat().speak()\nDog()\n"

LUA = "local function greet(name)\n  return name\nend\n\ngreet(1)\n"


@pytest_asyncio.fixture(loop_scope="session")
async def cats(tmp_path: Path) -> AsyncIterator[Stage]:
    """Two classes with a method of one name: types tell which one is meant."""
    async with opened(tmp_path) as stage:
        for name, text in (("cats.py", CATS), ("dogs.py", DOGS), ("main.py", MAIN)):
            stage.editor.open(stage.write(name, text))
        yield stage


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
