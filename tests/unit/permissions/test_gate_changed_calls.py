"""A call that the user changes before it runs."""

import asyncio

from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import (
    PermissionAnswer,
)

from tests.support.gate_bench import GateBench, text
from tests.support.waiting import WAIT_S


async def test_a_changed_input_runs_instead_without_a_second_question(bench: GateBench) -> None:
    answer = PermissionAnswer(kind="allow_once", updated_input={"command": "make fast"})
    outcome = await bench.answered(bench.bash("make"), answer)

    assert outcome.status == "completed"
    assert bench.tools.ran == [{"command": "make fast"}]
    assert len(bench.user.asked) == 1


async def test_a_changed_input_that_a_rule_denies_does_not_run(bench: GateBench) -> None:
    bench.judge.rules(deny=["Bash(rm:*)"])
    answer = PermissionAnswer(kind="allow_once", updated_input={"command": "make; rm a"})
    outcome = await bench.answered(bench.bash("make"), answer)

    assert (outcome.status, bench.tools.ran) == ("denied", [])


async def test_a_changed_input_that_became_catastrophic_asks_again(bench: GateBench) -> None:
    answer = PermissionAnswer(kind="allow_once", updated_input={"command": "rm -rf ~"})
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        task = group.create_task(bench.gate().run(bench.bash("make"), bench.scope()))
        await bench.user.sees(1)
        bench.user.answer("c1", answer)
        await bench.user.sees(2)
        bench.user.answer("c1", PermissionAnswer(kind="reject"))

    assert (task.result().status, bench.tools.ran) == ("denied", [])
    assert bench.user.asked[1].risk == "catastrophic"


async def test_a_changed_input_that_is_forbidden_while_it_is_asked_about_does_not_run(
    bench: GateBench,
) -> None:
    def write(name: str) -> JsonObject:
        return {"file_path": str(bench.judge.root / name), "content": "{}"}

    async def forbidden() -> None:
        bench.judge.rules(deny=["Edit"])
        await bench.waiting.judge_again()

    answer = PermissionAnswer(kind="allow_once", updated_input=write(".pilotfish/settings.json"))
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        call = bench.call("Write", write("a.json"))
        task = group.create_task(bench.gate().run(call, bench.scope()))
        await bench.user.sees(1)
        bench.during_preflight = forbidden
        bench.user.answer("c1", answer)

    assert (task.result().status, bench.tools.ran) == ("denied", [])
    assert len(bench.user.asked) == 1


async def test_a_changed_input_that_is_no_longer_valid_does_not_run(bench: GateBench) -> None:
    answer = PermissionAnswer(kind="allow_once", updated_input={"command": ""})
    outcome = await bench.answered(bench.bash("make"), answer)

    assert outcome.status == "denied"
    assert "command is empty" in text(outcome)
    assert bench.tools.ran == []


async def test_an_edited_text_becomes_the_input_that_writes_it(bench: GateBench) -> None:
    call = bench.call("Write", {"file_path": str(bench.judge.root / "a.py"), "content": "x"})
    await bench.answered(call, PermissionAnswer(kind="allow_once", edited_text="mine"))

    assert bench.tools.ran == [{"file_path": "a.py", "content": "mine"}]


async def test_an_edited_text_that_no_tool_can_write_is_not_replaced_by_the_proposal(
    bench: GateBench,
) -> None:
    bench.input_for_text = lambda _, __: None
    call = bench.call("Write", {"file_path": str(bench.judge.root / "a.py"), "content": "x"})
    outcome = await bench.answered(call, PermissionAnswer(kind="allow_once", edited_text="mine"))

    assert (outcome.status, bench.tools.ran) == ("denied", [])


async def test_an_unchanged_text_runs_the_call_as_it_was(bench: GateBench) -> None:
    call = bench.call("Write", {"file_path": str(bench.judge.root / "a.py"), "content": "x"})
    assert call.preview is not None
    answer = PermissionAnswer(kind="allow_once", edited_text=call.preview.new_text)
    await bench.answered(call, answer)

    assert bench.tools.ran == [call.call.input]
