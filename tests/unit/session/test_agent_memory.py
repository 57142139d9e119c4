"""Where an agent's memory is, and what stands of it in its system prompt."""

from pathlib import Path

import pytest
from pilotfish.agents.model import AgentDefinition, DefinitionSource
from pilotfish.core.agents import AgentMemory, MemoryScope
from pilotfish.session.agent_memory import (
    INDEX,
    MAX_INDEX_BYTES,
    MAX_INDEX_LINES,
    memory_of,
    recall,
)


class Place:
    """A user's folder, and a project."""

    def __init__(self, tmp_path: Path) -> None:
        self.home = tmp_path / "home" / ".pilotfish"
        self.project = tmp_path / "project"
        for folder in (self.home, self.project):
            folder.mkdir(parents=True)

    def memory(
        self,
        scope: MemoryScope | None,
        kind: str = "reviewer",
        *,
        source: DefinitionSource = "userSettings",
        trusted: bool = True,
        tools: tuple[str, ...] | None = None,
    ) -> tuple[AgentMemory | None, str]:
        definition = AgentDefinition(
            agent_type=kind,
            description="d",
            system_prompt="p",
            source=source,
            memory=scope,
            tools=tools,
        )
        return memory_of(definition, self.home, self.project, trusted=trusted)

    def folder(self, scope: MemoryScope, kind: str = "reviewer") -> Path:
        memory, problem = self.memory(scope, kind)
        assert memory is not None
        assert problem == ""
        return Path(memory.folder)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_each_scope_has_its_folder(place: Place) -> None:
    assert place.folder("user") == place.home / "agent-memory" / "reviewer"
    own = place.project / ".pilotfish"
    assert place.folder("project") == own / "agent-memory" / "reviewer"
    assert place.folder("local") == own / "agent-memory-local" / "reviewer"
    assert (own / "agent-memory-local" / ".gitignore").read_text("utf-8") == "*\n"
    assert not (own / "agent-memory").exists(), "nothing is made before something is kept"
    assert place.memory(None) == (None, "")


def test_no_two_kinds_of_agents_share_a_folder_and_none_leaves_it(place: Place) -> None:
    kinds = ["a-b", "a:b", "a.b", "a..b", "é", "ê"]
    folders = [place.folder("user", kind) for kind in kinds]
    assert len(set(folders)) == len(kinds)
    assert {folder.parent for folder in folders} == {place.home / "agent-memory"}


def test_in_a_folder_that_nobody_vouches_for_only_the_users_own_is_there(place: Place) -> None:
    assert place.memory("user", trusted=False)[1] == ""
    for scope in ("project", "local"):
        memory, problem = place.memory(scope, trusted=False)
        assert problem == "its memory is in a folder that is not trusted"
        assert memory is not None
        assert memory.folder == ""
        assert recall(memory) == ""
    assert not (place.project / ".pilotfish").exists()


def test_a_projects_agent_keeps_nothing_for_other_projects(place: Place) -> None:
    memory, _ = place.memory("user", source="projectSettings")
    assert memory is not None
    assert memory.scope == "local"
    assert Path(memory.folder).is_relative_to(place.project)


def test_a_folder_behind_a_link_is_no_memory(place: Place, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "reviewer").mkdir(parents=True)
    (place.project / ".pilotfish").mkdir()
    (place.project / ".pilotfish" / "agent-memory").symlink_to(elsewhere)
    memory, problem = place.memory("project")
    assert memory is not None
    assert memory.folder == ""
    assert problem.endswith("is reached over a link")


def test_tools_that_come_with_the_memory_are_for_it_alone(place: Place) -> None:
    def limited(*tools: str) -> tuple[str, ...]:
        memory, _ = place.memory("user", tools=tools or None)
        assert memory is not None
        return memory.limited_tools

    assert limited() == ()
    assert limited("Read", "Grep") == ("Write", "Edit")
    assert limited("Read", "Edit") == ("Write",)


def test_the_index_is_shown_up_to_its_limits(place: Place, tmp_path: Path) -> None:
    memory, _ = place.memory("user")
    assert memory is not None
    assert "is not there yet" in recall(memory)
    index = Path(memory.folder) / INDEX
    index.parent.mkdir(parents=True)
    index.write_text("- [Style](style.md): {folder} {index} tabs\n", "utf-8")
    assert recall(memory).endswith("says:\n\n- [Style](style.md): {folder} {index} tabs")
    assert memory.folder in recall(memory)
    index.write_text("\n".join(f"line {n}" for n in range(MAX_INDEX_LINES + 1)), "utf-8")
    told = recall(memory)
    assert f"line {MAX_INDEX_LINES - 1}\n(Only the beginning" in told
    assert f"line {MAX_INDEX_LINES}" not in told
    index.write_text("é" * MAX_INDEX_BYTES, "utf-8")
    assert 0 < recall(memory).count("é") <= MAX_INDEX_BYTES // 2
    index.unlink()
    secret = tmp_path / "secret"
    secret.write_text("s3cret", "utf-8")
    index.symlink_to(secret)
    told = recall(memory)
    assert "s3cret" not in told
    assert "cannot be read" in told
