"""What is wrong with a set of rules."""

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from pilotfish.config.rule_syntax import parse_rule
from pilotfish.core.permission import Behavior, PermissionRule, RuleSource
from pilotfish.permissions.lint import PlacedRule, covers, lint_rules

from tests.support.permission_state import Judge


def placed(text: str, source: RuleSource = "userSettings") -> PlacedRule:
    """Read ``allow Bash(x)``."""
    behavior, _, rule_text = text.partition(" ")
    behaviors: dict[str, Behavior] = {"allow": "allow", "ask": "ask", "deny": "deny"}
    rule = parse_rule(rule_text, behaviors[behavior], source).rule
    assert rule is not None
    return PlacedRule(rule=rule)


def kinds(*texts: str) -> list[str]:
    return [
        f"{one.kind} {one.text.split('`')[1]}" for one in lint_rules([placed(t) for t in texts])
    ]


@pytest.mark.parametrize(
    "rule",
    ["allow Bash(git status && npm test:*)", "allow Bash(FOO=1 make:*)", "allow Bash(a > b:*)",
     "allow Grep(src/**)", "deny NotebookEdit(x)", f"allow Edit({'a/' * 600}*)"],
)  # fmt: skip
def test_a_rule_that_can_never_act_is_inert(rule: str) -> None:
    assert [one.kind for one in lint_rules([placed(rule)])] == ["inert"]


@pytest.mark.parametrize(
    "rule",
    ["allow Bash(git status && npm test)", "allow Bash(FOO=1 make)", "allow Bash(echo hi > a)",
     "deny Bash(a | b)", "allow Bash(npm run build:*)", "allow Bash(ls *)", "allow Read(~/x/**)",
     "allow Bash", "allow *", "allow mcp__a__b", "ask Agent(x)", "allow Bash(* --version)"],
)  # fmt: skip
def test_a_rule_that_may_act_is_not(rule: str) -> None:
    assert lint_rules([placed(rule)]) == []


@pytest.mark.parametrize(
    ("rules", "expected"),
    [(["allow Bash(git:*)", "allow Bash(git log:*)"], ["shadowed Bash(git log:*)"]),
     (["allow Bash(rm x)", "deny Bash(rm:*)"], ["shadowed Bash(rm x)"]),
     (["allow Edit(/src/a.py)", "deny Edit(/src/**)"], ["shadowed Edit(/src/a.py)"]),
     (["ask Bash(rm:*)", "deny Bash"], ["shadowed Bash(rm:*)"]),
     (["deny Bash(rm:*)", "deny Bash"], ["shadowed Bash(rm:*)"]),
     (["allow mcp__db", "allow mcp__db__get"], ["shadowed mcp__db__get"]),
     (["allow WebFetch(domain:a.b)", "allow WebFetch(domain:x.a.b)"],
      ["shadowed WebFetch(domain:x.a.b)"]),
     (["allow Bash(x)", "deny Bash(x)"], ["contradictory Bash(x)"]),
     (["ask Bash(x)", "allow Bash(x)"], ["contradictory Bash(x)"]),
     (["ask Bash(git:*)", "allow Bash(git push:*)"], []),
     (["ask Bash(git push:*)", "allow Bash(git:*)", "allow Bash(git push x)"], []),
     (["allow Edit", "allow Edit(/.npmrc)"], []),
     (["allow Bash", "allow Bash(echo a > b)"], []),
     (["allow Bash(git:*)", "allow Bash(gitk:*)"], []),
     (["deny Bash(git push:*)", "allow Bash(git:*)"], [])],
)  # fmt: skip
def test_rules_against_each_other(rules: list[str], expected: list[str]) -> None:
    assert kinds(*rules) == expected


def test_of_two_equal_rules_the_second_is_needless() -> None:
    rules = [placed("allow Bash(x)"), placed("allow Bash(x)", "session")]

    assert [one.text.split("`")[1] for one in lint_rules(rules)] == ["Bash(x)"]


def test_a_projects_rule_does_not_make_the_users_needless() -> None:
    rules = [placed("allow Bash(git:*)", "projectSettings"), placed("allow Bash(git log:*)")]

    assert lint_rules(rules) == []


_WORDS = st.lists(st.sampled_from(["git", "log", "push", "-x", "a b", "*"]), max_size=3)
_ENDS = st.sampled_from(["", ":*", " *"])


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("lint"))


@given(start=_WORDS, more=_WORDS, rest=_WORDS, wide_end=_ENDS, slim_end=_ENDS)
def test_a_rule_that_is_said_to_cover_another_covers_it(
    shared: Judge, start: list[str], more: list[str], rest: list[str], wide_end: str, slim_end: str
) -> None:
    start = ["git", *start]
    wide = placed(f"allow Bash({' '.join(start)}{wide_end})").rule
    slim = placed(f"allow Bash({' '.join(start + more)}{slim_end})").rule
    event(f"covers: {covers(wide, slim)}")
    if not covers(wide, slim):
        return
    state = shared.state

    def is_allowed(rule: PermissionRule) -> bool:
        command = " ".join(start + more + rest)
        return shared.set(rules=(rule,)).bash(command).behavior == "allow"

    hit, also = is_allowed(slim), is_allowed(wide)
    shared.state = state

    assert also or not hit
