"""The gate: one road for every call, with a real chain behind it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from pilotfish.core.calls import (
    CallScope,
    PreparedCall,
    RejectedCall,
    ToolCall,
    ToolOutcome,
    text_outcome,
)
from pilotfish.core.errors import SettingsError
from pilotfish.core.events import DecisionMade
from pilotfish.core.ids import MAIN_AGENT, SessionId, ToolUseId, TurnId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import TextBlock
from pilotfish.core.permission import (
    PERMISSION_MODES,
    PermissionAnswer,
    PermissionMode,
    PermissionQuestion,
    PermissionRule,
    Preflight,
    RuleDestination,
)
from pilotfish.permissions.assumed import assume_call
from pilotfish.permissions.denials import DenialTracker
from pilotfish.permissions.gate import GateServices, PermissionGate
from pilotfish.permissions.waiting import WaitingCalls

from tests.support.fake_clock import FakeClock
from tests.support.permission_state import Judge

WAIT_S = 5.0
"""Longest wait for something that must happen at once."""


class Tools:
    """A runner that remembers what ran."""

    def __init__(self, judge: Judge) -> None:
        self.ran: list[JsonObject] = []
        self._judge = judge

    def is_concurrency_safe(self, call: ToolCall) -> bool:
        return call.name == "Read"

    def starts_early(self, call: ToolCall) -> bool:
        return not call.name.startswith("Agent")

    async def prepare(
        self,
        call: ToolCall,
        scope: CallScope,
    ) -> PreparedCall | RejectedCall:
        if call.input.get("command") == "":
            return RejectedCall(call=call, message="command is empty")
        prepared = assume_call(call.name, call.input, self._judge.state.cwd)
        return replace(prepared, call=call)

    async def run(self, call: PreparedCall, scope: CallScope) -> ToolOutcome:
        self.ran.append(call.call.input)
        return text_outcome("done")


class User:
    """Somebody who answers questions by hand."""

    def __init__(self) -> None:
        self.open: dict[str, tuple[PermissionQuestion, asyncio.Future[PermissionAnswer]]] = {}
        self.asked: list[PermissionQuestion] = []
        self.withdrawn: list[str] = []
        self._changed = asyncio.Event()

    @property
    def can_ask(self) -> bool:
        return True

    async def ask(self, question: PermissionQuestion) -> PermissionAnswer:
        future: asyncio.Future[PermissionAnswer] = asyncio.get_running_loop().create_future()
        self.open[question.tool_use_id] = (question, future)
        self.asked.append(question)
        self._changed.set()
        try:
            return await future
        except asyncio.CancelledError:
            self.withdrawn.append(question.tool_use_id)
            raise
        finally:
            del self.open[question.tool_use_id]

    async def sees(self, count: int) -> None:
        async with asyncio.timeout(WAIT_S):
            while len(self.asked) < count:
                self._changed.clear()
                await self._changed.wait()

    def answer(self, tool_use_id: str, answer: PermissionAnswer) -> None:
        self.open[tool_use_id][1].set_result(answer)


@dataclass
class Bench:
    judge: Judge
    tools: Tools
    user: User
    clock: FakeClock
    denials: DenialTracker
    decisions: list[DecisionMade] = field(default_factory=list[DecisionMade])
    granted: list[tuple[object, RuleDestination]] = field(
        default_factory=list[tuple[object, RuleDestination]]
    )
    timeout_s: float = 0.0
    waiting: WaitingCalls = field(default_factory=WaitingCalls)
    broken: set[RuleDestination] = field(default_factory=set[RuleDestination])
    input_for_text: Callable[[PreparedCall, str], JsonObject | None] = lambda _, text: {
        "file_path": "a.py",
        "content": text,
    }

    def gate(self) -> PermissionGate:
        async def preflight(_: PreparedCall) -> Preflight:
            return Preflight(lines=("a.py:1: new error",), added=1, fixed=2)

        return PermissionGate(
            self.tools,
            GateServices(
                state=lambda _: self.judge.state,
                interaction=self.user,
                grant=self._grant,
                on_decision=lambda _, event: self.decisions.append(event),
                clock=self.clock,
                denials=self.denials,
                input_for_text=self.input_for_text,
                preflight=preflight,
                prompt_timeout_s=lambda: self.timeout_s,
                waiting=self.waiting,
            ),
        )

    async def _grant(
        self, granted: PermissionRule | PermissionMode, destination: RuleDestination
    ) -> None:
        if destination in self.broken:
            raise SettingsError("the file is broken")
        self.granted.append((granted, destination))
        if isinstance(granted, PermissionRule):
            self.judge.set(rules=(*self.judge.state.rules, replace(granted, source="session")))
        else:
            assert granted in PERMISSION_MODES
            self.judge.set(mode=granted)

    def call(self, name: str, given: JsonObject, call_id: str = "c1") -> PreparedCall:
        prepared = assume_call(name, given, self.judge.state.cwd)
        call = ToolCall(id=ToolUseId(call_id), name=name, input=given)
        return replace(prepared, call=call)

    def bash(self, command: str, call_id: str = "c1") -> PreparedCall:
        return self.call("Bash", {"command": command}, call_id)

    def scope(self) -> CallScope:
        return CallScope(
            session_id=SessionId("s"),
            turn_id=TurnId("t"),
            agent_id=MAIN_AGENT,
            cwd=self.judge.root,
            on_progress=lambda _: None,
        )

    async def answered(self, call: PreparedCall, answer: PermissionAnswer) -> ToolOutcome:
        """Run a call whose one question gets this answer."""
        async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
            task = group.create_task(self.gate().run(call, self.scope()))
            await self.user.sees(len(self.user.asked) + 1)
            self.user.answer(call.call.id, answer)
        return task.result()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    judge = Judge(tmp_path)
    return Bench(
        judge=judge,
        tools=Tools(judge),
        user=User(),
        clock=FakeClock(),
        denials=DenialTracker(),
    )


def text(outcome: ToolOutcome) -> str:
    return "".join(block.text for block in outcome.content if isinstance(block, TextBlock))


async def test_an_allowed_call_runs_without_a_question(bench: Bench) -> None:
    outcome = await bench.gate().run(bench.bash("ls"), bench.scope())

    assert (outcome.status, bench.user.asked) == ("completed", [])
    assert [(d.behavior, d.phase, d.waited_ms) for d in bench.decisions] == [("allow", "mode", 0)]


async def test_a_denied_call_does_not_run_and_says_which_rule(bench: Bench) -> None:
    bench.judge.rules(deny=["Bash(rm:*)"])
    outcome = await bench.gate().run(bench.bash("rm a"), bench.scope())

    assert (outcome.status, outcome.stops_turn) == ("denied", False)
    assert "`Bash(rm:*)`" in text(outcome)
    assert bench.tools.ran == []
    assert bench.decisions[0].rule == bench.judge.state.rules[0]


async def test_where_nobody_is_there_no_question_is_put(bench: Bench) -> None:
    bench.judge.set(can_ask=False)
    outcome = await bench.gate().run(bench.bash("make"), bench.scope())

    assert outcome.status == "denied"
    assert "Bash(make)" in text(outcome)
    assert bench.user.asked == []


async def test_the_question_shows_what_would_happen(bench: Bench) -> None:
    path = str(bench.judge.root / "a.py")
    call = bench.call("Edit", {"file_path": path, "old_string": "x"})
    await bench.answered(call, PermissionAnswer(kind="allow_once"))

    (question,) = bench.user.asked
    assert question.preview == call.preview
    assert question.preflight == ("a.py:1: new error",)
    assert (question.preflight_added, question.preflight_fixed) == (1, 2)
    assert question.suggestions[0].mode == "acceptEdits"
    assert bench.tools.ran == [call.call.input]


async def test_allowing_once_keeps_nothing(bench: Bench) -> None:
    outcome = await bench.answered(bench.bash("make"), PermissionAnswer(kind="allow_once"))

    assert outcome.status == "completed"
    assert bench.granted == []
    assert bench.judge.bash("make").behavior == "ask"


async def test_allowing_always_saves_the_chosen_rule_where_the_user_says(bench: Bench) -> None:
    answer = PermissionAnswer(kind="allow_always", suggestion_index=0, destination="local")
    await bench.answered(bench.bash("npm test"), answer)

    ((rule, destination),) = bench.granted
    assert isinstance(rule, PermissionRule)
    assert (rule.text(), destination) == ("Bash(npm test:*)", "local")
    assert bench.judge.bash("npm test -- x").behavior == "allow"
    assert bench.decisions[-1].rule == rule


async def test_a_broken_file_keeps_the_rule_in_the_session(bench: Bench) -> None:
    bench.broken = {"user"}
    answer = PermissionAnswer(kind="allow_always", destination="user")
    outcome = await bench.answered(bench.bash("npm test"), answer)

    assert outcome.status == "completed"
    assert [destination for _, destination in bench.granted] == ["session"]


async def test_an_edit_grant_switches_the_mode_for_the_session_only(bench: Bench) -> None:
    call = bench.call("Edit", {"file_path": str(bench.judge.root / "a.py"), "old_string": "x"})
    await bench.answered(call, PermissionAnswer(kind="allow_always", destination="user"))

    assert bench.granted == [("acceptEdits", "session")]


async def test_what_must_always_ask_cannot_be_allowed_for_good(bench: Bench) -> None:
    bench.judge.set(mode="bypassPermissions")
    outcome = await bench.answered(bench.bash("rm -rf ~"), PermissionAnswer(kind="allow_always"))

    assert outcome.status == "completed"
    assert bench.granted == []


@pytest.mark.parametrize("index", [-1, 7])
async def test_a_grant_that_was_not_offered_counts_as_once(bench: Bench, index: int) -> None:
    answer = PermissionAnswer(kind="allow_always", suggestion_index=index)
    outcome = await bench.answered(bench.bash("make"), answer)

    assert (outcome.status, bench.granted) == ("completed", [])


async def test_refusing_stops_the_turn(bench: Bench) -> None:
    answer = PermissionAnswer(kind="reject", feedback="not now")
    outcome = await bench.answered(bench.bash("make"), answer)

    assert (outcome.status, outcome.stops_turn) == ("denied", True)
    assert "not now" in text(outcome)
    assert bench.tools.ran == []


async def test_feedback_reaches_the_model_and_the_turn_goes_on(bench: Bench) -> None:
    answer = PermissionAnswer(kind="feedback", feedback="use ninja")
    outcome = await bench.answered(bench.bash("make"), answer)

    assert (outcome.status, outcome.stops_turn) == ("denied", False)
    assert "use ninja" in text(outcome)


async def test_a_withdrawn_question_refuses(bench: Bench) -> None:
    outcome = await bench.answered(bench.bash("make"), PermissionAnswer(kind="withdrawn"))

    assert (outcome.status, bench.tools.ran) == ("denied", [])


async def test_refusals_lead_to_a_reminder_but_feedback_does_not(bench: Bench) -> None:
    for _ in range(3):
        await bench.answered(bench.bash("make"), PermissionAnswer(kind="feedback", feedback="x"))
    assert bench.denials.take_notes(MAIN_AGENT) == []
    for _ in range(3):
        await bench.answered(bench.bash("make"), PermissionAnswer(kind="reject"))
    assert len(bench.denials.take_notes(MAIN_AGENT)) == 1


# --- changed calls ---


async def test_a_changed_input_runs_instead_without_a_second_question(bench: Bench) -> None:
    answer = PermissionAnswer(kind="allow_once", updated_input={"command": "make fast"})
    outcome = await bench.answered(bench.bash("make"), answer)

    assert outcome.status == "completed"
    assert bench.tools.ran == [{"command": "make fast"}]
    assert len(bench.user.asked) == 1


async def test_a_changed_input_that_a_rule_denies_does_not_run(bench: Bench) -> None:
    bench.judge.rules(deny=["Bash(rm:*)"])
    answer = PermissionAnswer(kind="allow_once", updated_input={"command": "make; rm a"})
    outcome = await bench.answered(bench.bash("make"), answer)

    assert (outcome.status, bench.tools.ran) == ("denied", [])


async def test_a_changed_input_that_became_catastrophic_asks_again(bench: Bench) -> None:
    answer = PermissionAnswer(kind="allow_once", updated_input={"command": "rm -rf ~"})
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        task = group.create_task(bench.gate().run(bench.bash("make"), bench.scope()))
        await bench.user.sees(1)
        bench.user.answer("c1", answer)
        await bench.user.sees(2)
        bench.user.answer("c1", PermissionAnswer(kind="reject"))

    assert (task.result().status, bench.tools.ran) == ("denied", [])
    assert bench.user.asked[1].risk == "catastrophic"


async def test_a_changed_input_that_is_no_longer_valid_does_not_run(bench: Bench) -> None:
    answer = PermissionAnswer(kind="allow_once", updated_input={"command": ""})
    outcome = await bench.answered(bench.bash("make"), answer)

    assert outcome.status == "denied"
    assert "command is empty" in text(outcome)
    assert bench.tools.ran == []


async def test_an_edited_text_becomes_the_input_that_writes_it(bench: Bench) -> None:
    call = bench.call("Write", {"file_path": str(bench.judge.root / "a.py"), "content": "x"})
    await bench.answered(call, PermissionAnswer(kind="allow_once", edited_text="mine"))

    assert bench.tools.ran == [{"file_path": "a.py", "content": "mine"}]


async def test_an_edited_text_that_no_tool_can_write_is_not_replaced_by_the_proposal(
    bench: Bench,
) -> None:
    bench.input_for_text = lambda _, __: None
    call = bench.call("Write", {"file_path": str(bench.judge.root / "a.py"), "content": "x"})
    outcome = await bench.answered(call, PermissionAnswer(kind="allow_once", edited_text="mine"))

    assert (outcome.status, bench.tools.ran) == ("denied", [])


async def test_an_unchanged_text_runs_the_call_as_it_was(bench: Bench) -> None:
    call = bench.call("Write", {"file_path": str(bench.judge.root / "a.py"), "content": "x"})
    assert call.preview is not None
    answer = PermissionAnswer(kind="allow_once", edited_text=call.preview.new_text)
    await bench.answered(call, answer)

    assert bench.tools.ran == [call.call.input]


# --- waiting ---


async def test_a_granted_rule_lets_others_go_on_who_wait_for_the_same(bench: Bench) -> None:
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


async def test_answers_reach_the_call_that_they_are_for(bench: Bench) -> None:
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


async def test_cancelling_ends_the_wait_and_withdraws_the_question(bench: Bench) -> None:
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        task = group.create_task(bench.gate().run(bench.bash("make"), bench.scope()))
        await bench.user.sees(1)
        task.cancel()

    assert task.cancelled()
    assert bench.user.withdrawn == ["c1"]
    assert bench.tools.ran == []


async def test_the_time_that_the_user_took_is_noted(bench: Bench) -> None:
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        group.create_task(bench.gate().run(bench.bash("make"), bench.scope()))
        await bench.user.sees(1)
        bench.clock.advance(2.5)
        bench.user.answer("c1", PermissionAnswer(kind="allow_once"))

    assert bench.decisions[0].waited_ms == 2500


async def test_a_question_that_cannot_be_stored_refuses(bench: Bench) -> None:
    class Broken(User):
        async def ask(self, question: PermissionQuestion) -> PermissionAnswer:
            raise SettingsError("the inbox is full")

    bench.user = Broken()
    outcome = await bench.gate().run(bench.bash("make"), bench.scope())

    assert (outcome.status, bench.tools.ran) == ("denied", [])


async def test_the_gate_passes_on_what_the_tools_say(bench: Bench) -> None:
    gate = bench.gate()
    call = ToolCall(id=ToolUseId("x"), name="Read", input={"file_path": "/a"})

    assert gate.is_concurrency_safe(call)
    prepared = await gate.prepare(call, bench.scope())
    assert isinstance(prepared, PreparedCall)


async def test_a_question_that_nobody_answers_in_time_is_refused(bench: Bench) -> None:
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


async def test_an_answer_in_time_counts_and_nothing_waits_on(bench: Bench) -> None:
    bench.timeout_s = 90.0
    outcome = await bench.answered(bench.bash("make"), PermissionAnswer(kind="allow_once"))

    assert (outcome.status, bench.clock.sleepers) == ("completed", 0)


async def test_changed_rules_settle_a_waiting_question_either_way(bench: Bench) -> None:
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
