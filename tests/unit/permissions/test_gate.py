"""The gate: one road for every call, with a real chain behind it."""

import pytest
from pilotfish.core.ids import MAIN_AGENT
from pilotfish.core.permission import (
    PermissionAnswer,
    PermissionRule,
)

from tests.support.gate_bench import GateBench, text


async def test_an_allowed_call_runs_without_a_question(bench: GateBench) -> None:
    outcome = await bench.gate().run(bench.bash("ls"), bench.scope())

    assert (outcome.status, bench.user.asked) == ("completed", [])
    assert [(d.behavior, d.phase, d.waited_ms) for d in bench.decisions] == [("allow", "mode", 0)]


async def test_a_denied_call_does_not_run_and_says_which_rule(bench: GateBench) -> None:
    bench.judge.rules(deny=["Bash(rm:*)"])
    outcome = await bench.gate().run(bench.bash("rm a"), bench.scope())

    assert (outcome.status, outcome.stops_turn) == ("denied", False)
    assert "`Bash(rm:*)`" in text(outcome)
    assert bench.tools.ran == []
    assert bench.decisions[0].rule == bench.judge.state.rules[0]


async def test_where_nobody_is_there_no_question_is_put(bench: GateBench) -> None:
    bench.judge.set(can_ask=False)
    outcome = await bench.gate().run(bench.bash("make"), bench.scope())

    assert outcome.status == "denied"
    assert "Bash(make)" in text(outcome)
    assert bench.user.asked == []


async def test_the_question_shows_what_would_happen(bench: GateBench) -> None:
    path = str(bench.judge.root / "a.py")
    call = bench.call("Edit", {"file_path": path, "old_string": "x"})
    await bench.answered(call, PermissionAnswer(kind="allow_once"))

    (question,) = bench.user.asked
    assert question.preview == call.preview
    assert question.preflight == ("a.py:1: new error",)
    assert (question.preflight_added, question.preflight_fixed) == (1, 2)
    assert question.suggestions[0].mode == "acceptEdits"
    assert bench.tools.ran == [call.call.input]


async def test_allowing_once_keeps_nothing(bench: GateBench) -> None:
    outcome = await bench.answered(bench.bash("make"), PermissionAnswer(kind="allow_once"))

    assert outcome.status == "completed"
    assert bench.granted == []
    assert bench.judge.bash("make").behavior == "ask"


async def test_allowing_always_saves_the_chosen_rule_where_the_user_says(bench: GateBench) -> None:
    answer = PermissionAnswer(kind="allow_always", suggestion_index=0, destination="local")
    await bench.answered(bench.bash("npm test"), answer)

    ((rule, destination),) = bench.granted
    assert isinstance(rule, PermissionRule)
    assert (rule.text(), destination) == ("Bash(npm test:*)", "local")
    assert bench.judge.bash("npm test -- x").behavior == "allow"
    assert bench.decisions[-1].rule == rule


async def test_a_broken_file_keeps_the_rule_in_the_session(bench: GateBench) -> None:
    bench.broken = {"user"}
    answer = PermissionAnswer(kind="allow_always", destination="user")
    outcome = await bench.answered(bench.bash("npm test"), answer)

    assert outcome.status == "completed"
    assert [destination for _, destination in bench.granted] == ["session"]


async def test_an_edit_grant_switches_the_mode_for_the_session_only(bench: GateBench) -> None:
    call = bench.call("Edit", {"file_path": str(bench.judge.root / "a.py"), "old_string": "x"})
    await bench.answered(call, PermissionAnswer(kind="allow_always", destination="user"))

    assert bench.granted == [("acceptEdits", "session")]


async def test_what_must_always_ask_cannot_be_allowed_for_good(bench: GateBench) -> None:
    bench.judge.set(mode="bypassPermissions")
    outcome = await bench.answered(bench.bash("rm -rf ~"), PermissionAnswer(kind="allow_always"))

    assert outcome.status == "completed"
    assert bench.granted == []


@pytest.mark.parametrize("index", [-1, 7])
async def test_a_grant_that_was_not_offered_counts_as_once(bench: GateBench, index: int) -> None:
    answer = PermissionAnswer(kind="allow_always", suggestion_index=index)
    outcome = await bench.answered(bench.bash("make"), answer)

    assert (outcome.status, bench.granted) == ("completed", [])


async def test_refusing_stops_the_turn(bench: GateBench) -> None:
    answer = PermissionAnswer(kind="reject", feedback="not now")
    outcome = await bench.answered(bench.bash("make"), answer)

    assert (outcome.status, outcome.stops_turn) == ("denied", True)
    assert "not now" in text(outcome)
    assert bench.tools.ran == []


async def test_feedback_reaches_the_model_and_the_turn_goes_on(bench: GateBench) -> None:
    answer = PermissionAnswer(kind="feedback", feedback="use ninja")
    outcome = await bench.answered(bench.bash("make"), answer)

    assert (outcome.status, outcome.stops_turn) == ("denied", False)
    assert "use ninja" in text(outcome)


async def test_a_withdrawn_question_refuses(bench: GateBench) -> None:
    outcome = await bench.answered(bench.bash("make"), PermissionAnswer(kind="withdrawn"))

    assert (outcome.status, bench.tools.ran) == ("denied", [])


async def test_refusals_lead_to_a_reminder_but_feedback_does_not(bench: GateBench) -> None:
    for _ in range(3):
        await bench.answered(bench.bash("make"), PermissionAnswer(kind="feedback", feedback="x"))
    assert bench.denials.take_notes(MAIN_AGENT) == []
    for _ in range(3):
        await bench.answered(bench.bash("make"), PermissionAnswer(kind="reject"))
    assert len(bench.denials.take_notes(MAIN_AGENT)) == 1
