"""A session's agent definitions: when they are read again, and what the model hears of it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from pilotfish.config.watch import SettingsWatch
from pilotfish.definitions.loading import DefinitionSources
from pilotfish.session.agent_definitions import AgentDefinitions, AgentKinds

from tests.support.waiting import WAIT_S, until


class Place:
    """A project with definitions, and what a session makes of them."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "project" / ".pilotfish" / "agents"
        self.watch = SettingsWatch()
        sources = DefinitionSources(
            state_folder=tmp_path / "home" / ".pilotfish",
            user_home=tmp_path / "home",
            project_root=tmp_path / "project",
        )
        (tmp_path / "project").mkdir()
        (tmp_path / "home").mkdir()
        self.definitions = AgentDefinitions(sources, self.watch)

    def write(self, name: str, description: str = "d") -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / f"{name}.md"
        file.write_text(f"---\nname: {name}\ndescription: {description}\n---\nText", "utf-8")
        return file

    def description(self, name: str) -> str | None:
        found = self.definitions.catalog.active().get(name)
        return None if found is None else found.description


@pytest_asyncio.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    found = Place(tmp_path)
    yield found
    found.definitions.close()
    await found.watch.close()


async def test_definitions_are_those_of_the_moment_of_the_refresh(place: Place) -> None:
    file = place.write("helper", "one")
    await place.definitions.refresh(trusted=True)
    assert place.description("helper") == "one"
    place.write("helper", "another one")
    place.write("second")
    await place.definitions.refresh(trusted=True)
    assert place.description("helper") == "another one"
    assert place.description("second") == "d"
    file.unlink()
    await place.definitions.refresh(trusted=True)
    assert place.description("helper") is None


async def test_trust_that_comes_or_goes_counts_at_the_next_refresh(place: Place) -> None:
    place.write("helper")
    for trusted in (False, True, False):
        await place.definitions.refresh(trusted=trusted)
        assert (place.description("helper") is not None) == trusted


async def test_nothing_is_read_again_without_a_change(place: Place) -> None:
    place.write("helper")
    await place.definitions.refresh(trusted=True)
    first = place.definitions.catalog.known
    await place.definitions.refresh(trusted=True)
    assert place.definitions.catalog.known is first


async def test_a_change_counts_at_once_while_somebody_follows(place: Place) -> None:
    await place.definitions.refresh(trusted=True)
    place.definitions.follow()
    # The folder does not exist yet: it may come later with its first file.
    place.write("first", "a")
    await until(lambda: place.description("first") == "a")
    place.write("first", "changed")
    await until(lambda: place.description("first") == "changed")
    other = place.write("other")
    await until(lambda: place.description("other") == "d")
    other.unlink()
    await until(lambda: place.description("other") is None)


async def test_nobody_is_told_after_the_end(place: Place) -> None:
    await place.definitions.refresh(trusted=True)
    place.definitions.follow()
    place.definitions.close()
    place.write("late")
    # Another listener hears of it, so this one would have by now.
    heard = asyncio.Event()

    async def hear() -> None:
        heard.set()

    stop = place.watch.listen({place.folder / "late.md": None}, hear)
    async with asyncio.timeout(WAIT_S):
        await heard.wait()
    stop()
    assert place.description("late") is None


async def test_the_model_hears_of_changes_once_and_of_nothing_else(place: Place) -> None:
    place.write("a")
    place.write("b")
    place.write("c")
    await place.definitions.refresh(trusted=True)
    denied: set[str] = set()
    kinds = AgentKinds(place.definitions, lambda: frozenset(denied))
    assert {"a", "b", "c", "Explore"} < {each.name for each in kinds.startable()}
    assert await kinds.collect() == []
    place.write("b", "another")
    place.write("d")
    (place.folder / "c.md").unlink()
    await place.definitions.refresh(trusted=True)
    (note,) = await kinds.collect()
    assert note.origin == "agents"
    assert note.text.splitlines()[1:] == [
        "New or changed:",
        "- b: another (Tools: all tools)",
        "- d: d (Tools: all tools)",
        "No longer there: c.",
    ]
    assert await kinds.collect() == []
    denied.add("a")
    (note,) = await kinds.collect()
    assert note.text.splitlines()[1:] == ["No longer there: a."]
