"""What an approved plan may run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.permissions.plan_prompts import rules_for

from tests.support.permission_state import Judge


@pytest.mark.parametrize(
    ("prompt", "command"),
    [
        ("run the tests", "pytest -q"),
        ("run the tests", "npm test -- --watch=false"),
        ("Run tests", "cargo test --all 2>&1 | tail -20"),
        ("run the unit test suite", "cd . && go test ./..."),
        ("install dependencies", "npm ci"),
        ("install the project's dependencies", "pip install -r requirements.txt"),
        ("build the project", "make"),
        ("run the build", "cargo build --release"),
        ("run the linter", "ruff check ."),
        ("format the code", "prettier -w src"),
        ("type-check", "npx tsc --noEmit"),
        ("start the dev server", "npm run dev"),
        ("commit the changes", "git add -A && git commit -m x"),
    ],
)
def test_what_was_asked_for_runs(judge: Judge, prompt: str, command: str) -> None:
    assert judge.bash(command).behavior == "ask"
    decision = judge.set(plan_prompts=("something else", prompt)).bash(command)
    assert (decision.behavior, decision.phase) == ("allow", "trusted_allow")
    assert prompt in decision.reason


@pytest.mark.parametrize(
    ("prompt", "command"),
    [
        ("run the tests", "pytest -q; rm -rf x"),
        ("run the tests", "pytest -q > report.txt"),
        ("run the tests", "pytest $(cat list)"),
        ("run the tests", "npm install"),
        ("run the tests", "pytester"),
        ("write tests", "pytest"),
        ("install dependencies", "npm install left-pad"),
        ("install dependencies", "sudo npm ci"),
        ("build the project", "make deploy"),
        ("commit the changes", "git push"),
        ("commit and push", "git commit -m x"),
        ("revert the last commit", "git commit -m x"),
        ("run any command", "pytest"),
        ("run tests and deploy to production", "pytest"),
        ("do whatever is needed", "pytest"),
        ("", "pytest"),
    ],
)
def test_nothing_more_runs(judge: Judge, prompt: str, command: str) -> None:
    assert judge.set(plan_prompts=(prompt,)).bash(command).behavior == "ask"


def test_a_deny_or_ask_rule_wins(judge: Judge) -> None:
    judge.set(plan_prompts=("run the tests",))
    assert judge.rules(ask=["Bash(pytest:*)"]).bash("pytest").behavior == "ask"
    assert judge.rules(deny=["Bash(pytest:*)"]).bash("pytest").behavior == "deny"


def test_plan_mode_itself_stays_closed(judge: Judge) -> None:
    judge.set(mode="plan", plan_prompts=("run the tests",))
    assert judge.bash("pytest").phase == "plan_gate"


def test_the_plan_file_may_be_read_and_in_plan_mode_written(judge: Judge) -> None:
    plan = judge.home / ".pilotfish" / "plans" / "s.md"
    other = plan.with_name("t.md")
    judge.set(plan_file=plan)
    assert judge.decide("Read", file_path=str(plan)).behavior == "allow"
    assert judge.decide("Read", file_path=str(other)).behavior == "ask"
    assert judge.decide("Write", file_path=str(plan), content="x").behavior == "ask"
    judge.set(mode="plan")
    assert judge.decide("Write", file_path=str(plan), content="x").behavior == "allow"
    assert judge.decide("Write", file_path=str(other), content="x").behavior == "deny"
    judge.rules(deny=["Edit"])
    assert judge.decide("Write", file_path=str(plan), content="x").behavior == "deny"


@given(st.text(max_size=200))
def test_any_words_are_read_and_grant_no_tool_as_a_whole(prompt: str) -> None:
    for rule in rules_for(prompt):
        assert rule.tool == "Bash"
        assert rule.content is not None
        assert rule.content.strip(":* ")
