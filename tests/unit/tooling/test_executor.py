"""One call through the executor: every failure is an outcome the model can act on."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.calls import (
    CallScope,
    PreparedCall,
    RejectedCall,
    ToolCall,
    ToolOutcome,
)
from pilotfish.core.effects import Effects
from pilotfish.core.ids import MAIN_AGENT, SessionId, ToolUseId, TurnId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import TextBlock
from pilotfish.tooling.budget import ResultBudget
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.executor import ToolExecutor
from pilotfish.tooling.registry import ToolRegistry
from pilotfish.tooling.spec import (
    Tool,
    ToolArgs,
    ToolInputError,
    ToolResult,
    ToolSpec,
    text_result,
)

from tests.support.tool_context import tool_bench


class EchoArgs(ToolArgs):
    """Arguments of the test's tool."""

    text: str
    times: int = 1


class EchoTool(Tool[EchoArgs]):
    spec = ToolSpec(name="Echo", description="d", kind="other", max_result_chars=50)
    args_type = EchoArgs

    def title(self, args: EchoArgs, ctx: ToolContext) -> str:
        return args.text

    async def effects(self, args: EchoArgs, ctx: ToolContext) -> Effects:
        if args.text == "impossible":
            raise ToolInputError("This cannot work. Use another text.")
        return Effects(read_only=True)

    async def run(self, args: EchoArgs, ctx: CallContext) -> ToolResult:
        if args.text == "bug":
            raise KeyError("inside")
        if args.text == "disk":
            raise FileNotFoundError(2, "No such file or directory", "/x/y")
        return text_result(args.text * args.times)


class Bench:
    """An executor with the test's tool."""

    def __init__(self, context: ToolContext, tmp_path: Path) -> None:
        budget = ResultBudget(tmp_path / "results")
        self.executor = ToolExecutor(ToolRegistry([EchoTool()]), context, budget)
        self.scope = CallScope(
            session_id=SessionId("s"),
            turn_id=TurnId("t"),
            agent_id=MAIN_AGENT,
            cwd=tmp_path,
            on_progress=lambda _: None,
        )

    async def rejected(self, tool_input: JsonObject, **call: Any) -> str:
        answer = await self.prepare(tool_input, **call)
        assert isinstance(answer, RejectedCall)
        return answer.message

    async def outcome(self, tool_input: JsonObject) -> ToolOutcome:
        prepared = await self.prepare(tool_input)
        assert isinstance(prepared, PreparedCall)
        return await self.executor.run(prepared, self.scope)

    async def prepare(self, tool_input: JsonObject, **call: Any) -> PreparedCall | RejectedCall:
        name = call.pop("name", "Echo")
        made = ToolCall(id=ToolUseId("t1"), name=name, input=tool_input, **call)
        return await self.executor.prepare(made, self.scope)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[Bench]:
    async with tool_bench(tmp_path) as tools:
        yield Bench(tools.context, tmp_path)


async def test_wrong_arguments_are_named_with_what_is_expected(bench: Bench) -> None:
    message = await bench.rejected({"times": "many", "color": "red"})
    assert "`text` is required" in message
    assert "`times`" in message
    assert "`color` is not an argument of Echo" in message
    assert "Arguments: text, times." in message


async def test_input_that_was_no_json_is_rejected_with_the_parser_message(bench: Bench) -> None:
    message = await bench.rejected({}, input_error="Expecting ',' delimiter")
    assert "Expecting ',' delimiter" in message
    assert "Nothing was run" in message


async def test_an_unknown_tool_is_rejected(bench: Bench) -> None:
    assert "There is no tool called 'Ecko'" in await bench.rejected({}, name="Ecko")


async def test_a_call_that_cannot_work_is_rejected_before_anybody_is_asked(bench: Bench) -> None:
    assert "Use another text" in await bench.rejected({"text": "impossible"})


async def test_a_bug_in_a_tool_is_an_outcome(bench: Bench) -> None:
    result = await bench.outcome({"text": "bug"})
    assert result.status == "failed"
    assert "fault of the tool" in str(result.content)


async def test_an_error_of_the_system_is_told_in_its_words(bench: Bench) -> None:
    result = await bench.outcome({"text": "disk"})
    assert "No such file or directory (/x/y)" in str(result.content)


async def test_an_over_long_result_is_kept_in_a_file_and_previewed(
    bench: Bench, tmp_path: Path
) -> None:
    result = await bench.outcome({"text": "0123456789", "times": 20})
    assert result.status == "completed"
    block = result.content[0]
    assert isinstance(block, TextBlock)
    assert "200 characters" in block.text
    assert (tmp_path / "results" / "t1.txt").read_text(encoding="utf-8") == "0123456789" * 20
