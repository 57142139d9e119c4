"""Order, early start and complete pairs of a reply's calls."""

import asyncio
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

from tests.support.waiting import until


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
        async with asyncio.timeout(5), self.started:
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
            self.batch.add(ToolCall(id=ToolUseId(name), name=name, input={}))

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
        async with asyncio.timeout(5):
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
    bench.batch.add(ToolCall(id=ToolUseId("w1"), name="asks", input={}))
    bench.batch.seal()
    await bench.runner.until_running("w1")
    await bench.batch.abort()
    assert "Nothing was run" in str(bench.finished["w1"].content[0])


def calls_an_edit(bench: Bench, name: str) -> None:
    bench.batch.add(ToolCall(id=ToolUseId(name), name="edit", input={}))


async def test_a_stop_lets_a_short_change_come_to_its_end_and_tells_the_truth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduler, "INTERRUPT_GRACE_S", 5.0)
    bench = Bench()
    calls_an_edit(bench, "w1")
    calls_an_edit(bench, "w2")
    bench.batch.seal()
    await bench.runner.until_running("w1")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(bench.batch.abort())
        await asyncio.sleep(0)
        bench.runner.open("w1", "w2")
    assert bench.finished["w1"].status == "completed"
    assert "Nothing was run" in str(bench.finished["w2"].content[0])
    assert bench.runner.began == ["w1"]


async def test_what_only_looks_ends_at_once_beside_a_change_that_comes_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduler, "INTERRUPT_GRACE_S", 5.0)
    bench = Bench()
    calls_an_edit(bench, "r1")
    bench.add("r2")
    bench.batch.add(ToolCall(id=ToolUseId("r3"), name="edit-asks", input={}))
    await bench.runner.until_running("r1", "r2", "r3")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(bench.batch.abort())
        await until(lambda: bench.runner.running == ["r1"])
        bench.runner.open("r1")
    assert bench.finished["r1"].status == "completed"
    assert "effects are unknown" in str(bench.finished["r2"].content[0])
    assert "Nothing was run" in str(bench.finished["r3"].content[0])


async def test_a_reply_that_is_void_waits_for_none_of_its_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduler, "INTERRUPT_GRACE_S", 30.0)
    bench = Bench()
    calls_an_edit(bench, "r1")
    await bench.runner.until_running("r1")
    async with asyncio.timeout(5):
        await bench.batch.abort("The reply broke off.")
    assert str(bench.finished["r1"].content[0]).count("broke off") == 1


async def test_a_change_that_does_not_end_is_broken_off_after_a_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduler, "INTERRUPT_GRACE_S", 0.01)
    bench = Bench()
    calls_an_edit(bench, "w1")
    bench.batch.seal()
    await bench.runner.until_running("w1")
    async with asyncio.timeout(5):
        await bench.batch.abort()
    assert bench.runner.running == []
    assert "effects are unknown" in str(bench.finished["w1"].content[0])


async def test_a_stop_that_is_itself_cut_short_leaves_nothing_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduler, "INTERRUPT_GRACE_S", 5.0)
    bench = Bench()
    calls_an_edit(bench, "w1")
    bench.batch.seal()
    await bench.runner.until_running("w1")
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
