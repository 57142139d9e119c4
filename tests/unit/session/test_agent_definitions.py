"""A session's agent definitions: when they are read again, and what the model hears of it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from pilotfish.agents.loader import AgentSources
from pilotfish.config.watch import SettingsWatch
from pilotfish.ports.agents import AgentType
from pilotfish.session.agent_definitions import AgentDefinitions, AgentTypeNews

from tests.support.waiting import until


class Place:
    """A project with definitions, and what a session makes of them."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "project" / ".pilotfish" / "agents"
        self.watch = SettingsWatch()
        sources = AgentSources(
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
    async with asyncio.timeout(10):
        await heard.wait()
    stop()
    assert place.description("late") is None


def kind(name: str, description: str = "d", tools: str = "all tools") -> AgentType:
    return AgentType(name=name, description=description, tools=tools, is_read_only=False)


async def test_the_model_hears_of_changes_once_and_of_nothing_else() -> None:
    types = [kind("a"), kind("b"), kind("c")]
    news = AgentTypeNews(lambda: types)
    assert await news.collect() == []
    types[:] = [kind("a"), kind("b", "other"), kind("d", tools="Read")]
    (note,) = await news.collect()
    assert note.origin == "agents"
    assert note.text.splitlines()[1:] == [
        "New or changed:",
        "- b: other (Tools: all tools)",
        "- d: d (Tools: Read)",
        "No longer there: c.",
    ]
    assert await news.collect() == []
    types[:] = [kind("a")]
    (note,) = await news.collect()
    assert "New or changed" not in note.text
    assert "No longer there: b, d." in note.text
