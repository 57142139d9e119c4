"""The judge where the shell grammar cannot be loaded."""

from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from pilotfish.codeintel import shell_ast, shell_facts
from pilotfish.permissions.recorded import judge_case

from tests.support.permission_cases import Line, load_cases
from tests.support.permission_state import Judge

SHELL_CASES = [line for line in load_cases() if line.case.tool == "Bash"]


@pytest.fixture
def no_grammar() -> Iterator[None]:
    _forget()
    with mock.patch.object(shell_ast, "walk", side_effect=LookupError("no bash")):
        yield
    _forget()


def _forget() -> None:
    shell_ast.forget_parsed()
    shell_facts.forget_analysed()


@pytest.mark.parametrize("line", SHELL_CASES, ids=lambda line: line.case.id)
def test_no_recorded_command_is_allowed_that_the_grammar_would_stop(
    line: Line, tmp_path: Path, no_grammar: None
) -> None:
    decision = judge_case(line.text, tmp_path)

    if decision.behavior == "allow":
        assert "allow" in line.case.accepted, decision.trace


def test_plain_everyday_commands_still_pass(judge: Judge, no_grammar: None) -> None:
    judge.rules(allow=["Bash(npm test:*)"])

    assert judge.bash("git status && ls -l | head -3").behavior == "allow"
    assert judge.bash("npm test -- -q").behavior == "allow"


@pytest.mark.parametrize("command", ["(rm -rf /)", "echo $(rm -rf ~)", "if a; then rm -rf /; fi"])
def test_catastrophes_are_found_in_what_is_not_understood(
    judge: Judge, command: str, no_grammar: None
) -> None:
    decision = judge.set(mode="bypassPermissions").rules(allow=["Bash"]).bash(command)

    assert (decision.phase, decision.risk) == ("protected", "catastrophic")


@pytest.mark.parametrize("command", ["(cat .env)", "echo `cat .env`", "cat <<E\n$(cat .env)\nE"])
def test_denied_files_are_found_in_what_is_not_understood(
    judge: Judge, command: str, no_grammar: None
) -> None:
    assert judge.rules(deny=["Read(.env)"]).bash(command).behavior == "deny"


def test_what_is_not_understood_asks_even_in_bypass(judge: Judge, no_grammar: None) -> None:
    judge.set(mode="bypassPermissions").rules(allow=["Bash"])

    assert judge.bash("npm publish").behavior == "allow"
    assert judge.bash("(npm publish)").behavior == "ask"
    assert judge.rules(allow=["Bash((npm publish))"]).bash("(npm publish)").behavior == "allow"
