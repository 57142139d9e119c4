"""What an agent with a memory may write, and where."""

from pathlib import Path

import pytest
from pilotfish.core.agents import AgentMemory

from tests.support.permission_state import Judge


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    made = Judge(tmp_path)
    folder = made.home / ".pilotfish" / "agent-memory" / "reviewer"
    folder.mkdir(parents=True)
    memory = AgentMemory(folder=str(folder), scope="user", limited_tools=("Write", "Edit"))
    return made.set(memory=memory)


def in_memory(judge: Judge, name: str = "MEMORY.md") -> str:
    assert judge.state.memory is not None
    return str(Path(judge.state.memory.folder) / name)


@pytest.mark.parametrize(
    ("mode", "behavior"),
    [("default", "ask"), ("acceptEdits", "allow"), ("plan", "deny"), ("dontAsk", "deny")],
)
def test_a_note_is_an_edit_like_any_other(judge: Judge, mode: str, behavior: str) -> None:
    judge.set(mode=mode)
    assert judge.decide("Write", file_path=in_memory(judge)).behavior == behavior
    assert judge.decide("Read", file_path=in_memory(judge)).behavior == "allow"


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypassPermissions"])
def test_what_it_has_for_its_memory_writes_nowhere_else(judge: Judge, mode: str) -> None:
    judge.set(mode=mode).rules(allow=["Write", "Edit"])
    beside = [
        str(judge.root / "a.txt"),
        str(judge.home / ".pilotfish" / "agent-memory" / "other" / "MEMORY.md"),
        str(judge.home / ".pilotfish" / "settings.json"),
        f"{in_memory(judge)}/../../../settings.json",
    ]
    for path in beside:
        decision = judge.decide("Write", file_path=path)
        assert (decision.behavior, decision.phase) == ("deny", "deny_rules"), path
        assert "only to write to its memory" in decision.reason


def test_a_link_out_of_the_memory_is_not_the_memory(judge: Judge) -> None:
    Path(in_memory(judge)).symlink_to(judge.root / "a.txt")
    judge.set(mode="bypassPermissions")
    assert judge.decide("Edit", file_path=in_memory(judge)).behavior == "deny"


def test_an_agent_that_writes_anyway_is_only_freed_of_the_protection(judge: Judge) -> None:
    assert judge.state.memory is not None
    folder = judge.state.memory.folder
    judge.set(memory=AgentMemory(folder=folder, scope="user"), mode="acceptEdits")
    assert judge.decide("Write", file_path=in_memory(judge)).behavior == "allow"
    assert judge.decide("Write", file_path=str(judge.root / "a.txt")).behavior == "allow"
    settings = judge.decide("Write", file_path=str(judge.home / ".pilotfish" / "settings.json"))
    assert (settings.behavior, settings.phase) == ("ask", "protected")


def test_without_a_folder_nothing_is_written(judge: Judge) -> None:
    gone = AgentMemory(folder="", scope="local", limited_tools=("Write",))
    judge.set(memory=gone, mode="bypassPermissions")
    decision = judge.decide("Write", file_path=in_memory_of_nobody(judge))
    assert decision.behavior == "deny"
    assert "there is none here" in decision.reason


def in_memory_of_nobody(judge: Judge) -> str:
    return str(judge.home / ".pilotfish" / "agent-memory" / "reviewer" / "MEMORY.md")


def test_others_ask_before_they_write_into_a_memory(judge: Judge) -> None:
    path = in_memory(judge)
    judge.set(memory=None, mode="acceptEdits")
    decision = judge.decide("Write", file_path=path)
    assert (decision.behavior, decision.phase) == ("ask", "protected")


def test_a_rule_that_denies_wins(judge: Judge) -> None:
    judge.set(mode="acceptEdits").rules(deny=["Write"])
    assert judge.decide("Write", file_path=in_memory(judge)).behavior == "deny"
