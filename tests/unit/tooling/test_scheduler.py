"""Order, early start and complete pairs of a reply's calls."""

import asyncio
from collections.abc import Awaitable, Callable
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
from pilotfish.core.effects import Effects
from pilotfish.core.ids import MAIN_AGENT, SessionId, ToolUseId, TurnId
from pilotfish.tooling import scheduler
from pilotfish.tooling.scheduler import MAX_PARALLEL, ToolBatch

from tests.support.waiting import WAIT_S, until


class GatedRunner:
    """Runs a call when the test opens its gate; calls whose name begins with "w" are unsafe."""

    def __init__(self) -> None:
        self.running: list[str] = []
        self.began: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.outcomes: dict[str, ToolOutcome | Exception] = {}
        self.started = asyncio.Condition()

    def is_concurrency_safe(self, call: ToolCall) -> bool:
        return not call.id.startswith("w")

    def starts_early(self, call: ToolCall) -> bool:
        return not call.name.startswith("Agent")

    async def prepare(self, call: ToolCall, scope: CallScope) -> PreparedCall | RejectedCall:
        if call.name == "unknown":
            return RejectedCall(call=call, message="no such tool")
        return PreparedCall(
            call=call,
            tool=call.name,
            title=call.id,
            kind="execute" if "shell" in call.name else "other",
            args=None,
            effects=Effects(),
            interrupt_behavior="block" if call.name.startswith("edit") else "cancel",
        )

    async def run(self, call: PreparedCall, scope: CallScope) -> ToolOutcome:
        name = call.call.id
        if "asks" not in call.tool:
            scope.on_running()
        self.running.append(name)
        self.began.append(name)
        async with self.started:
            self.started.notify_all()
        try:
            await self.gates.setdefault(name, asyncio.Event()).wait()
        finally:
            self.running.remove(name)
        result = self.outcomes.get(name, text_outcome(f"{name} done"))
        if isinstance(result, Exception):
            raise result
        return result

    def open(self, *names: str) -> None:
        for name in names:
            self.gates.setdefault(name, asyncio.Event()).set()

    async def until_running(self, *names: str) -> None:
        async with asyncio.timeout(WAIT_S), self.started:
            await self.started.wait_for(lambda: set(names) <= set(self.running))


class Bench:
    def __init__(self) -> None:
        self.runner = GatedRunner()
        self.finished: dict[str, ToolOutcome] = {}
        self.ended = asyncio.Event()
        self.batch = ToolBatch(
            self.runner, self._scope, on_started=lambda _: None, on_finished=self._finish
        )

    def add(self, *names: str) -> None:
        for name in names:
            self.call(name, name)

    def call(self, call_id: str, tool: str) -> None:
        self.batch.add(ToolCall(id=ToolUseId(call_id), name=tool, input={}))

    def told(self, call_id: str) -> str:
        return str(self.finished[call_id].content[0])

    def _scope(self, call: ToolCall) -> CallScope:
        return CallScope(
            session_id=SessionId("s"),
            turn_id=TurnId("t"),
            agent_id=MAIN_AGENT,
            cwd=Path("/"),
            on_progress=lambda _: None,
        )

    def _finish(self, call: ToolCall, outcome: ToolOutcome) -> None:
        assert call.id not in self.finished, "a call ended twice"
        self.finished[call.id] = outcome
        self.ended.set()

    async def until_finished(self, name: str) -> None:
        async with asyncio.timeout(WAIT_S):
            while name not in self.finished:
                self.ended.clear()
                await self.ended.wait()


async def test_safe_calls_start_while_the_reply_still_streams() -> None:
    bench = Bench()
    bench.add("r1", "r2")
    await bench.runner.until_running("r1", "r2")
    bench.runner.open("r1", "r2")
    bench.batch.seal()
    assert await bench.batch.drain() is None


async def test_a_call_with_effects_waits_for_the_end_of_the_reply() -> None:
    bench = Bench()
    bench.add("r1", "w1")
    await bench.runner.until_running("r1")
    bench.runner.open("r1", "w1")
    await bench.until_finished("r1")
    assert bench.runner.began == ["r1"]
    bench.batch.seal()
    await bench.batch.drain()
    assert bench.runner.began == ["r1", "w1"]


async def test_an_exclusive_call_runs_alone_and_nothing_overtakes_it() -> None:
    bench = Bench()
    bench.add("r1", "w1", "r2", "w2")
    bench.batch.seal()
    await bench.runner.until_running("r1")
    assert bench.runner.running == ["r1"]
    bench.runner.open("r1")
    await bench.runner.until_running("w1")
    assert bench.runner.running == ["w1"]
    bench.runner.open("w1")
    await bench.runner.until_running("r2")
    bench.runner.open("r2", "w2")
    await bench.batch.drain()
    assert bench.runner.began == ["r1", "w1", "r2", "w2"]


async def test_no_more_than_the_limit_run_together() -> None:
    bench = Bench()
    names = [f"r{index}" for index in range(MAX_PARALLEL + 3)]
    bench.add(*names)
    bench.batch.seal()
    await bench.runner.until_running(*names[:MAX_PARALLEL])
    assert len(bench.runner.running) == MAX_PARALLEL
    bench.runner.open(*names)
    await bench.batch.drain()
    assert sorted(bench.finished) == sorted(names)


async def test_a_refusal_ends_the_batch_and_the_rest_is_not_run() -> None:
    bench = Bench()
    bench.runner.outcomes["w1"] = text_outcome("refused", status="denied", stops_turn=True)
    bench.add("w1", "w2", "r1")
    bench.batch.seal()
    await bench.runner.until_running("w1")
    bench.runner.open("w1")
    assert await bench.batch.drain() == "refused"
    assert bench.runner.began == ["w1"]
    assert {name: one.status for name, one in bench.finished.items()} == {
        "w1": "denied",
        "w2": "denied",
        "r1": "denied",
    }


async def test_abort_gives_every_call_one_outcome_that_says_whether_it_ran() -> None:
    bench = Bench()
    bench.add("w1", "w2")
    bench.batch.seal()
    await bench.runner.until_running("w1")
    await bench.batch.abort()
    assert bench.runner.running == []
    assert [one.status for one in bench.finished.values()] == ["interrupted", "interrupted"]
    texts = [str(one.content[0]) for one in bench.finished.values()]
    assert "effects are unknown" in texts[0]
    assert "Nothing was run" in texts[1]


async def test_a_call_that_still_waited_for_consent_is_known_to_have_done_nothing() -> None:
    bench = Bench()
    bench.call("w1", "asks")
    bench.batch.seal()
    await bench.runner.until_running("w1")
    await bench.batch.abort()
    assert "Nothing was run" in bench.told("w1")


Editing = Callable[..., Awaitable[Bench]]


@pytest.fixture
def editing(monkeypatch: pytest.MonkeyPatch) -> Editing:
    """Give benches in which changes run; a stop waits so long for them."""

    async def begin(*names: str, grace_s: float = 5.0) -> Bench:
        monkeypatch.setattr(scheduler, "INTERRUPT_GRACE_S", grace_s)
        bench = Bench()
        for name in names:
            bench.call(name, "edit")
        if any(name.startswith("w") for name in names):
            bench.batch.seal()
        await bench.runner.until_running(names[0])
        return bench

    return begin


async def test_a_stop_lets_a_short_change_come_to_its_end_and_tells_the_truth(
    editing: Editing,
) -> None:
    bench = await editing("w1", "w2")
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        group.create_task(bench.batch.abort())
        await asyncio.sleep(0)
        bench.runner.open("w1", "w2")
    assert bench.finished["w1"].status == "completed"
    assert "Nothing was run" in bench.told("w2")
    assert bench.runner.began == ["w1"]


async def test_what_only_looks_ends_at_once_beside_a_change_that_comes_to_its_end(
    editing: Editing,
) -> None:
    bench = await editing("r1")
    bench.add("r2")
    bench.call("r3", "edit-asks")
    await bench.runner.until_running("r2", "r3")
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        group.create_task(bench.batch.abort())
        await until(lambda: bench.runner.running == ["r1"])
        bench.runner.open("r1")
    assert bench.finished["r1"].status == "completed"
    assert "effects are unknown" in bench.told("r2")
    assert "Nothing was run" in bench.told("r3")


async def test_a_reply_that_is_void_waits_for_none_of_its_calls(
    editing: Editing,
) -> None:
    bench = await editing("r1", grace_s=10 * WAIT_S)
    async with asyncio.timeout(WAIT_S):
        await bench.batch.abort("The reply broke off.")
    assert "broke off" in bench.told("r1")


async def test_a_change_that_does_not_end_is_broken_off_after_a_moment(
    editing: Editing,
) -> None:
    bench = await editing("w1", grace_s=0.01)
    async with asyncio.timeout(WAIT_S):
        await bench.batch.abort()
    assert bench.runner.running == []
    assert "effects are unknown" in bench.told("w1")


async def test_a_stop_that_is_itself_cut_short_leaves_nothing_running(
    editing: Editing,
) -> None:
    bench = await editing("w1")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await bench.batch.abort()
    assert bench.runner.running == []


async def test_a_fault_of_the_chain_is_an_outcome_and_the_rest_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = Bench()
    bench.runner.outcomes["w1"] = RuntimeError("boom")
    bench.add("w1", "w2", "unknown")
    bench.runner.open("w1", "w2")
    bench.batch.seal()
    await bench.batch.drain()
    assert bench.finished["w1"].status == "failed"
    assert "boom" in str(bench.finished["w1"].content)
    assert bench.finished["w2"].status == "completed"
    assert "no such tool" in str(bench.finished["unknown"].content)


async def test_a_command_that_fails_ends_the_commands_beside_it_and_nothing_else() -> None:
    bench = Bench()
    bench.add("shell1", "shell2", "r1", "shell3")
    await bench.runner.until_running("shell1", "shell2", "r1", "shell3")
    bench.runner.outcomes["shell2"] = text_outcome("exit 1", status="failed")
    bench.runner.open("shell2", "r1")
    bench.batch.seal()
    await bench.batch.drain()
    assert {name: one.status for name, one in bench.finished.items()} == {
        "shell1": "interrupted",
        "shell2": "failed",
        "r1": "completed",
        "shell3": "interrupted",
    }
    assert bench.runner.running == []
    bench.add("shell4")
    await bench.runner.until_running("shell4")
    bench.runner.open("shell4")
    await bench.batch.drain()
    assert bench.finished["shell4"].status == "completed"
