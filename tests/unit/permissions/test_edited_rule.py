"""Rules that the user edits before they are saved (design 05 §8.4)."""

from pathlib import Path

import pytest
from pilotfish.permissions.assumed import assume_call
from pilotfish.permissions.edited_rule import edited_rule, written_rule

from tests.support.permission_state import Judge


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge(tmp_path)


def saved(judge: Judge, command: str, rule: str) -> str:
    """Return why the rule is not saved for the command; empty when it is."""
    call = assume_call("Bash", {"command": command}, judge.root)
    return edited_rule(rule, call, judge.state).problem


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("npm run build:prod -- x", "Bash(npm run:*)"),
        ("npm run build", "Bash(npm run build)"),
        ("npm run build", "Bash(npm run b*)"),
        ("git push origin x", "Bash(git push:*)"),
        ("python a.py", "Bash(python a.py)"),
        ("touch a && ls", "Bash(touch:*)"),
    ],
)
def test_a_wider_or_narrower_rule_for_the_call_is_saved(
    judge: Judge, command: str, rule: str
) -> None:
    assert saved(judge, command, rule) == ""


@pytest.mark.parametrize(
    ("command", "rule", "why"),
    [
        ("npm test", "Bash", "all of Bash"),
        ("npm test", "Bash(*)", "all of Bash"),
        ("npm test", "*", "all tools"),
        ("npm test", "Bash(n*)", "whole program"),
        ("npm test", "Bash(*test)", "whole program"),
        ("python a.py", "Bash(python:*)", "can do anything"),
        ("python3.12 a.py", "Bash(python3.12:*)", "can do anything"),
        ("/usr/bin/python a.py", "Bash(/usr/bin/python:*)", "can do anything"),
        ("'python' a.py", "Bash('python':*)", "can do anything"),
        ("sudo ls", "Bash(sudo ls *)", "can do anything"),
        ("rm a", "Bash(rm *)", "can do anything"),
        ("timeout 5 rm a", "Bash(timeout 5 rm:*)", "can do anything"),
        ("timeout 5 make", "Bash(timeout:*)", "can do anything"),
        ("ionice make", "Bash(ionice:*)", "can do anything"),
        ("bash -c ls", "Bash(bash -c:*)", "can do anything"),
        ("make", "Bash($X:*)", "cannot be read"),
        ("make && touch a", "Bash(make && touch:*)", "cannot be read"),
        ("npm test", "Bash(npm run:*)", "does not cover"),
        ("npm test", "Read(//etc/**)", "does not cover"),
        ("make && touch a", "Bash(make:*)", "does not cover"),
        ("npm test", "Bash(npm test", "closing parenthesis"),
        ("npm test", "Bahs(npm test)", "no tool named Bahs"),
    ],
)
def test_what_grants_too_much_or_another_call_is_not_saved(
    judge: Judge, command: str, rule: str, why: str
) -> None:
    assert why in saved(judge, command, rule)


def test_an_address_is_covered_by_a_rule_for_its_host(judge: Judge) -> None:
    call = assume_call("WebFetch", {"url": "https://docs.example.com/x"}, judge.root)

    assert edited_rule("WebFetch(domain:example.com)", call, judge.state).rule is not None
    assert edited_rule("WebFetch(domain:example.org)", call, judge.state).rule is None


def test_by_hand_a_rule_for_the_whole_tool_may_be_written() -> None:
    assert written_rule("Bash(*)", "allow").rule is not None
    assert written_rule("Bash(rm:*)", "deny").rule is not None
    assert "parenthesis" in written_rule("Bash(rm", "deny").problem
