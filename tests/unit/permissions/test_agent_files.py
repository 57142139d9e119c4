"""Files that define agents: writing one gives the model new powers, so each asks anew."""

from pathlib import Path

import pytest
from pilotfish.core.permission import PERMISSION_MODES, PermissionDecision, PermissionMode

from tests.support.permission_state import Judge

PLACES = (
    ".pilotfish/agents/x.md",
    ".claude/agents/x.md",
    ".CLAUDE/Agents/x.md",
    "sub/.claude/agents/x.md",
    ".pilotfish/worktrees/w/.claude/agents/x.md",
    "~/.pilotfish/agents/x.md",
    "~/.claude/agents/x.md",
)
COMMANDS = (
    "echo x > {}",
    "tee {} < a",
    "cp a {}",
    "mv a {}",
    "rm {}",
    "ln -sf a {}",
    "sed -i s/a/b/ {}",
    "bash -c 'echo x > {}'",
)


def everything_allowed(judge: Judge, mode: PermissionMode) -> None:
    judge.set(mode=mode, session_edit_grant=True)
    for source in ("userSettings", "projectSettings", "localSettings", "cliArg", "session"):
        judge.rules(source, allow=["*", "Edit", "Write", "Bash", "Edit(**)", "Edit(.claude/**)"])


def check(decision: PermissionDecision, mode: PermissionMode) -> None:
    """Fail unless the call asks without offering "always", or is refused."""
    assert decision.behavior != "allow"
    if mode not in ("plan", "dontAsk", "delegate"):
        assert decision.behavior == "ask"
    if decision.behavior == "ask":
        assert decision.phase == "protected"
        assert decision.hide_always
        assert not decision.suggestions


def real(judge: Judge, place: str) -> str:
    return str(judge.home / place[2:] if place.startswith("~/") else judge.root / place)


@pytest.mark.parametrize("mode", PERMISSION_MODES)
@pytest.mark.parametrize("place", PLACES)
def test_an_edit_of_an_agents_file_asks_each_time_in_every_mode(
    judge: Judge, mode: PermissionMode, place: str
) -> None:
    everything_allowed(judge, mode)
    path = real(judge, place)
    check(judge.decide("Write", file_path=path, content="x"), mode)
    check(judge.decide("Edit", file_path=path, old_string="a", new_string="b"), mode)
    edits = [{"old_string": "a", "new_string": "b"}]
    check(judge.decide("MultiEdit", file_path=path, edits=edits), mode)


@pytest.mark.parametrize("mode", PERMISSION_MODES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_writes_one_asks_each_time_in_every_mode(
    judge: Judge, mode: PermissionMode, command: str
) -> None:
    everything_allowed(judge, mode)
    for place in PLACES:
        check(judge.bash(command.format(place)), mode)


def test_a_link_to_the_folder_of_agents_does_not_hide_it(judge: Judge) -> None:
    everything_allowed(judge, "acceptEdits")
    folder = judge.root / ".claude" / "agents"
    folder.mkdir(parents=True)
    (judge.root / "notes").symlink_to(folder)
    check(
        judge.decide("Write", file_path=str(judge.root / "notes" / "x.md"), content="x"), "default"
    )
    check(judge.bash("echo x > notes/x.md"), "default")


def test_reading_one_is_like_reading_any_file(judge: Judge, tmp_path: Path) -> None:
    path = real(judge, ".claude/agents/x.md")
    assert judge.decide("Read", file_path=path).behavior == "allow"
