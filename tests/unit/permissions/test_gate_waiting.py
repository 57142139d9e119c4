"""Calls that wait for the user: what ends the wait, and whose answer it is."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from pilotfish.core.calls import (
    PreparedCall,
    ToolCall,
)
from pilotfish.core.errors import SettingsError
from pilotfish.core.ids import ToolUseId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import (
    PermissionAnswer,
    PermissionDecision,
    PermissionQuestion,
)
from pilotfish.permissions.decide import decide
from pilotfish.permissions.state import PermissionState
from pilotfish.permissions.witness import Witness

from tests.support.gate_bench import GateBench, User
from tests.support.waiting import WAIT_S, until


async def test_a_granted_rule_lets_others_go_on_who_wait_for_the_same(bench: GateBench) -> None:
    gate = bench.gate()
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        first = group.create_task(gate.run(bench.bash("npm test", "c1"), bench.scope()))
        second = group.create_task(gate.run(bench.bash("npm test", "c2"), bench.scope()))
        other = group.create_task(gate.run(bench.bash("make", "c3"), bench.scope()))
        await bench.user.sees(3)
        bench.user.answer("c1", PermissionAnswer(kind="allow_always"))
        assert (await second).status == "completed"
        assert not other.done()
        bench.user.answer("c3", PermissionAnswer(kind="reject"))

    assert first.result().status == "completed"
    assert bench.user.withdrawn == ["c2"]
    assert {d.tool_use_id: d.phase for d in bench.decisions} == {
        "c1": "user",
        "c2": "trusted_allow",
        "c3": "user",
    }


async def test_answers_reach_the_call_that_they_are_for(bench: GateBench) -> None:
    gate = bench.gate()
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        first = group.create_task(gate.run(bench.bash("make a", "c1"), bench.scope()))
        second = group.create_task(gate.run(bench.bash("make b", "c2"), bench.scope()))
        await bench.user.sees(2)
        bench.user.answer("c2", PermissionAnswer(kind="allow_once"))
        assert (await second).status == "completed"
        bench.user.answer("c1", PermissionAnswer(kind="reject"))

    assert first.result().status == "denied"
    assert bench.tools.ran == [{"command": "make b"}]


async def test_cancelling_ends_the_wait_and_withdraws_the_question(bench: GateBench) -> None:
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        task = group.create_task(bench.gate().run(bench.bash("make"), bench.scope()))
        await bench.user.sees(1)
        task.cancel()

    assert task.cancelled()
    assert bench.user.withdrawn == ["c1"]
    assert bench.tools.ran == []


async def test_the_time_that_the_user_took_is_noted(bench: GateBench) -> None:
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        group.create_task(bench.gate().run(bench.bash("make"), bench.scope()))
        await bench.user.sees(1)
        bench.clock.advance(2.5)
        bench.user.answer("c1", PermissionAnswer(kind="allow_once"))

    assert bench.decisions[0].waited_ms == 2500


async def test_a_question_that_cannot_be_stored_refuses(bench: GateBench) -> None:
    class Broken(User):
        async def ask(self, question: PermissionQuestion) -> PermissionAnswer:
            raise SettingsError("the inbox is full")

    bench.user = Broken()
    outcome = await bench.gate().run(bench.bash("make"), bench.scope())

    assert (outcome.status, bench.tools.ran) == ("denied", [])


async def test_the_gate_passes_on_what_the_tools_say(bench: GateBench) -> None:
    gate = bench.gate()
    call = ToolCall(id=ToolUseId("x"), name="Read", input={"file_path": "/a"})

    assert gate.is_concurrency_safe(call)
    prepared = await gate.prepare(call, bench.scope())
    assert isinstance(prepared, PreparedCall)


async def test_a_question_that_nobody_answers_in_time_is_refused(bench: GateBench) -> None:
    bench.timeout_s = 90.0
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        task = group.create_task(bench.gate().run(bench.bash("make"), bench.scope()))
        await bench.user.sees(1)
        await bench.clock.wait_for_sleeper()
        bench.clock.advance(89)
        assert not task.done()
        bench.clock.advance(1)

    outcome = task.result()
    assert (outcome.status, outcome.stops_turn, bench.tools.ran) == ("denied", True, [])
    assert bench.user.withdrawn == ["c1"]
    assert bench.decisions[-1].waited_ms == 90_000


async def test_an_answer_in_time_counts_and_nothing_waits_on(bench: GateBench) -> None:
    bench.timeout_s = 90.0
    outcome = await bench.answered(bench.bash("make"), PermissionAnswer(kind="allow_once"))

    assert (outcome.status, bench.clock.sleepers) == ("completed", 0)


async def test_changed_rules_settle_a_waiting_question_either_way(bench: GateBench) -> None:
    gate = bench.gate()
    bench.timeout_s = 90.0
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        first = group.create_task(gate.run(bench.bash("make", "c1"), bench.scope()))
        second = group.create_task(gate.run(bench.bash("npm test", "c2"), bench.scope()))
        await bench.user.sees(2)
        bench.judge.rules(allow=["Bash(make:*)"], deny=["Bash(npm:*)"])
        await bench.waiting.judge_again()

    assert (first.result().status, second.result().status) == ("completed", "denied")
    assert sorted(bench.user.withdrawn) == ["c1", "c2"]


class SlowToJudge(Witness):
    """Decides by the rules of when it was asked, and says so only when it is let."""

    def __init__(self, slow: str) -> None:
        self._slow = slow
        self.decided = asyncio.Event()
        self.go = asyncio.Event()

    async def judge(self, call: PreparedCall, state: PermissionState) -> PermissionDecision:
        decision = await super().judge(call, state)
        if call.call.id == self._slow:
            self.decided.set()
            await self.go.wait()
        return decision


async def test_a_rule_granted_while_a_call_is_being_judged_holds_for_it(bench: GateBench) -> None:
    bench.witness = slow = SlowToJudge("c2")
    gate = bench.gate()
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        first = group.create_task(gate.run(bench.bash("npm test", "c1"), bench.scope()))
        second = group.create_task(gate.run(bench.bash("npm test", "c2"), bench.scope()))
        await bench.user.sees(1)
        await slow.decided.wait()
        bench.user.answer("c1", PermissionAnswer(kind="allow_always"))
        assert (await first).status == "completed"
        slow.go.set()

    assert second.result().status == "completed"
    assert [question.tool_use_id for question in bench.user.asked] == ["c1"]


@pytest.mark.parametrize("allowed", [(), ("Bash(make:*)",)])
async def test_a_call_forbidden_while_it_is_being_judged_does_not_run(
    bench: GateBench, allowed: tuple[str, ...]
) -> None:
    bench.judge.rules(allow=list(allowed))
    bench.witness = slow = SlowToJudge("c1")
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        call = group.create_task(bench.gate().run(bench.bash("make", "c1"), bench.scope()))
        await slow.decided.wait()
        bench.judge.rules(deny=["Bash(make:*)"])
        await bench.waiting.judge_again()
        slow.go.set()

    assert (call.result().status, bench.user.asked, bench.tools.ran) == ("denied", [], [])


class RefusedMeanwhile(Witness):
    """Judges; the user refuses the call just before a second judgement is known."""

    def __init__(self, user: User) -> None:
        self._user = user

    async def judge(self, call: PreparedCall, state: PermissionState) -> PermissionDecision:
        decision = await super().judge(call, state)
        if self._user.open:
            self._user.answer(call.call.id, PermissionAnswer(kind="reject"))
        return decision


async def test_an_answer_that_came_first_counts_whatever_a_rule_says_now(bench: GateBench) -> None:
    bench.witness = RefusedMeanwhile(bench.user)
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        task = group.create_task(bench.gate().run(bench.bash("make"), bench.scope()))
        await bench.user.sees(1)
        bench.judge.rules(allow=["Bash(make:*)"])
        await bench.waiting.judge_again()

    assert (task.result().status, bench.tools.ran) == ("denied", [])
    assert bench.user.withdrawn == []


@pytest.mark.parametrize(("rule", "status"), [("allow", "completed"), ("deny", "denied")])
async def test_a_rule_that_came_while_a_question_was_prepared_makes_it_needless(
    bench: GateBench, rule: str, status: str
) -> None:
    async def granted() -> None:
        if rule == "allow":
            bench.judge.rules(allow=["Edit"])
        else:
            bench.judge.rules(deny=["Edit"])
        await bench.waiting.judge_again()

    bench.during_preflight = granted
    given: JsonObject = {"file_path": str(bench.judge.root / "a.py"), "content": "x"}
    outcome = await bench.gate().run(bench.call("Write", given), bench.scope())
    assert (outcome.status, bench.user.asked) == (status, [])


class ChangesBehind(Witness):
    """Judges without a pause; a change stands ready right behind a call's first judgement."""

    def __init__(self, change: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._change = change
        self.changing: asyncio.Task[None] | None = None

    async def judge(self, call: PreparedCall, state: PermissionState) -> PermissionDecision:
        decision = decide(call, state)
        if self.changing is None:
            self.changing = asyncio.create_task(self._change())
        return decision


@pytest.mark.parametrize("timeout_s", [0.0, 90.0])
@pytest.mark.parametrize(("rule", "status"), [("allow", "completed"), ("deny", "denied")])
async def test_a_rule_that_comes_just_as_the_question_is_put_makes_it_needless(
    bench: GateBench, rule: str, status: str, timeout_s: float
) -> None:
    async def change() -> None:
        if rule == "allow":
            bench.judge.rules(allow=["Bash(make:*)"])
        else:
            bench.judge.rules(deny=["Bash(make:*)"])
        await bench.waiting.judge_again()

    bench.timeout_s = timeout_s
    bench.witness = ChangesBehind(change)
    async with asyncio.timeout(WAIT_S):
        outcome = await bench.gate().run(bench.bash("make"), bench.scope())

    assert outcome.status == status
    assert bench.user.open == {}
    assert bench.user.withdrawn == ["c1"]


class Held(Witness):
    """Decides by the rules of when it was asked; each judgement but the first waits to be let go."""

    def __init__(self) -> None:
        self.held: list[asyncio.Event] = []
        self._is_first = True

    async def judge(self, call: PreparedCall, state: PermissionState) -> PermissionDecision:
        decision = await super().judge(call, state)
        if self._is_first:
            self._is_first = False
            return decision
        go = asyncio.Event()
        self.held.append(go)
        await go.wait()
        return decision


async def test_a_judgement_by_rules_that_have_changed_again_counts_for_nothing(
    bench: GateBench,
) -> None:
    bench.witness = witness = Held()
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        call = group.create_task(bench.gate().run(bench.bash("make"), bench.scope()))
        await bench.user.sees(1)
        bench.judge.rules(allow=["Bash(make:*)"])
        early = group.create_task(bench.waiting.judge_again())
        await until(lambda: len(witness.held) == 1)
        bench.judge.rules(deny=["Bash(make:*)"])
        late = group.create_task(bench.waiting.judge_again())
        await until(lambda: len(witness.held) == 2)
        witness.held[0].set()
        await early
        assert not call.done()
        assert bench.user.withdrawn == []
        witness.held[1].set()
        await late

    assert (call.result().status, bench.tools.ran) == ("denied", [])


async def test_a_change_counts_before_anything_is_judged_by_it(bench: GateBench) -> None:
    judging = bench.waiting.judge_again()
    assert bench.waiting.changes == 1
    await judging
    assert bench.waiting.changes == 1
