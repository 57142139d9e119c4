"""The smallest rules that cover what was approved, and none that lets a refused call through."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pilotfish.core.ids import SessionId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import PermissionRule
from pilotfish.permissions.decide import decide
from pilotfish.permissions.past import PastCall, PastOutcome
from pilotfish.permissions.propose import propose
from pilotfish.permissions.recorded import rules_from
from pilotfish.permissions.replay import Replay

from tests.support.permission_state import Judge


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("past"))


def past(
    judge: Judge, outcome: PastOutcome, tool: str, given_input: JsonObject, title: str = ""
) -> PastCall:
    return PastCall(
        session_id=SessionId("s"),
        tool=tool,
        title=title or str(next(iter(given_input.values()))),
        input=given_input,
        cwd=judge.root,
        mode="default",
        pre_plan_mode="default",
        granted=(),
        outcome=outcome,
    )


def ran(judge: Judge, *commands: str, outcome: PastOutcome = "approved") -> list[PastCall]:
    return [past(judge, outcome, "Bash", {"command": command}) for command in commands]


def proposed(judge: Judge, calls: list[PastCall]) -> dict[str, int]:
    return {one.rule.text(): one.approvals for one in propose(calls, lambda _: judge.state)}


def test_twenty_similar_commands_leave_one_rule(judge: Judge) -> None:
    calls = ran(judge, *(f"npm test -- suite{number}" for number in range(20)))

    assert proposed(judge, calls) == {"Bash(npm test:*)": 20}


def test_one_command_however_often_is_allowed_as_it_is(judge: Judge) -> None:
    calls = ran(judge, *["npm test -- a"] * 5)

    assert proposed(judge, calls) == {"Bash(npm test -- a)": 5}


def test_what_was_refused_keeps_its_prefix_from_being_proposed(judge: Judge) -> None:
    calls = ran(judge, "npm test -- a", "npm test -- b")
    calls += ran(judge, "npm test -- --update", outcome="rejected")

    assert set(proposed(judge, calls)) == {"Bash(npm test -- a)", "Bash(npm test -- b)"}


def test_what_was_both_approved_and_refused_is_not_proposed(judge: Judge) -> None:
    calls = ran(judge, "make") + ran(judge, "make", outcome="rejected")

    assert proposed(judge, calls) == {}


def test_rules_do_not_together_allow_a_refused_line(judge: Judge) -> None:
    calls = ran(judge, "make", "touch a") + ran(judge, "make && touch a", outcome="rejected")

    assert len(proposed(judge, calls)) == 1


@pytest.mark.parametrize("program", ["rm", "python3.12", "sudo make", "git push"])
def test_dangerous_commands_and_interpreters_are_proposed_exactly_or_not_at_all(
    judge: Judge, program: str
) -> None:
    rules = proposed(judge, ran(judge, f"{program} a", f"{program} b", f"{program} c"))

    assert all(":*" not in rule for rule in rules), rules


def test_what_always_asks_is_not_proposed(judge: Judge) -> None:
    assert proposed(judge, ran(judge, "rm -rf ~", "rm -rf ~/")) == {}


def test_a_host_needs_two_approved_addresses(judge: Judge) -> None:
    one = past(judge, "approved", "WebFetch", {"url": "https://example.com/a"})
    two = past(judge, "approved", "WebFetch", {"url": "https://example.com/b"})

    assert proposed(judge, [one]) == {}
    assert proposed(judge, [one, two]) == {"WebFetch(domain:example.com)": 2}


def test_a_line_of_which_each_part_is_covered_needs_no_rule_of_its_own(judge: Judge) -> None:
    calls = ran(judge, "npm test a", "npm test b", "touch a", "touch b", "npm test c && touch d")

    assert proposed(judge, calls) == {"Bash(npm test:*)": 2, "Bash(touch:*)": 2}


def test_nothing_is_proposed_that_the_rules_allow_already(judge: Judge) -> None:
    rule = PermissionRule(source="userSettings", behavior="allow", tool="Bash", content="make:*")
    state = replace(judge.state, rules=(rule,))

    assert propose(ran(judge, "make a", "make b"), lambda _: state) == []


words = st.sampled_from(["npm test", "npm run x", "make", "touch", "git push", "rm", "node"])
lines = st.lists(
    st.tuples(words, st.sampled_from(["a", "b", "-x", "../c"])).map(" ".join),
    min_size=1,
    max_size=2,
).map(" && ".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(lines, max_size=8), st.lists(lines, max_size=4))
def test_no_proposal_allows_what_was_refused(
    judge: Judge, approved: list[str], refused: list[str]
) -> None:
    no = ran(judge, *refused, outcome="rejected")
    rules = tuple(one.rule for one in propose(ran(judge, *approved) + no, lambda _: judge.state))
    state = replace(judge.state, rules=rules)

    for call in no:
        assert decide(call.prepared(), state).behavior != "allow", (call.title, rules)
    for line in approved:
        alone = [rule for rule in rules if rule.content and rule.content.endswith(":*")]
        for rule in alone:
            prefix = str(rule.content).removesuffix(":*")
            assert len({one for one in approved if prefix in one}) > 1, (line, rule)


# --- replay ---


def replayed(judge: Judge, calls: list[PastCall], **rules: list[str]) -> dict[str, list[str]]:
    """Return the examples of each kind of difference."""
    state = replace(judge.state, rules=rules_from(rules, "userSettings"))
    replay = Replay(
        lambda call: replace(state, mode=call.mode, rules=(*state.rules, *call.granted))
    )
    for call in calls:
        replay.judge(call)
    found: dict[str, list[str]] = {}
    for group in replay.finish().groups:
        found.setdefault(group.difference, []).extend(group.examples)
    return found


def test_a_replay_names_the_questions_that_vanish_and_what_would_be_refused(judge: Judge) -> None:
    calls = ran(judge, "npm test -- a", "npm test -- b", "make")
    calls += ran(judge, "ls", outcome="allowed") + ran(judge, "curl x", outcome="refused")

    assert replayed(judge, calls, allow=["Bash(npm test:*)"], deny=["Bash(ls)"], ask=["Read"]) == {
        "no_prompt": ["npm test -- a", "npm test -- b"],
        "now_refused": ["ls"],
        "now_asked": ["curl x"],
    }


def test_a_replay_judges_in_the_mode_and_with_the_grants_of_the_time(judge: Judge) -> None:
    (call,) = ran(judge, "make", outcome="allowed")
    grant = PermissionRule(source="session", behavior="allow", tool="Bash", content="make:*")

    assert replayed(judge, [call]) == {"now_asked": ["make"]}
    assert replayed(judge, [replace(call, granted=(grant,))]) == {}
    assert replayed(judge, [replace(call, mode="bypassPermissions")]) == {}


def test_like_calls_are_counted_together(judge: Judge) -> None:
    replay = Replay(lambda _: judge.state)
    for call in ran(judge, *(f"npm test -- {number}" for number in range(9)), outcome="allowed"):
        replay.judge(call)
    (group,) = replay.finish().groups

    assert (group.difference, group.kind, group.count) == ("now_asked", "npm test", 9)
    assert group.examples == ["npm test -- 0", "npm test -- 1", "npm test -- 2"]
