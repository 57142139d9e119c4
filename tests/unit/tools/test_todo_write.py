"""The TodoWrite tool, and the set of built-in tools."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.core.ids import AgentId
from pilotfish.core.todos import TodoItem
from pilotfish.tools import builtin_tools
from pilotfish.tools.todo_write import TodoWriteArgs, TodoWriteTool

from tests.support.tool_context import ToolBench, text_of, tool_bench

TOOL = TodoWriteTool()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


def todos(*statuses: str, name: str = "Do") -> list[dict[str, str]]:
    return [
        {"content": f"{name} {at}", "status": status, "activeForm": f"Doing {at}"}
        for at, status in enumerate(statuses)
    ]


async def test_list_is_replaced_and_announced(bench: ToolBench) -> None:
    await bench.call(TOOL, todos=todos("in_progress", "pending"))
    text = text_of(await bench.call(TOOL, todos=todos("pending")))
    item = TodoItem(content="Do 0", status="pending", active_form="Doing 0")
    assert bench.context.todos == (item,)
    assert [len(each) for each in bench.todo_lists] == [2, 1]
    assert "1 items (before: 2)" in text


@pytest.mark.parametrize(
    ("items", "agent", "nudged"),
    [
        (todos("completed", "completed", "completed"), "main", True),
        (todos("completed", "completed", "completed", name="Verify"), "main", False),
        (todos("completed", "completed"), "main", False),
        (todos("completed", "completed", "completed"), "helper", False),
    ],
)
async def test_finished_list_is_cleared_and_unverified_work_is_questioned(
    bench: ToolBench, items: list[dict[str, str]], agent: str, *, nudged: bool
) -> None:
    bench.context.agent_id = AgentId(agent)
    text = text_of(await bench.call(TOOL, todos=items))
    assert bench.context.todos == ()
    assert ("check it" in text) == nudged


async def test_facts(bench: ToolBench) -> None:
    args = TodoWriteArgs.model_validate({"todos": todos("completed", "pending")})
    effects = await TOOL.effects(args, bench.context)
    assert (effects.internal, effects.reads, effects.writes) == (True, (), ())
    assert TOOL.title(args, bench.context) == "Todo list: 1 of 2 done"


def test_builtin_tools_have_distinct_names_and_descriptions_with_a_schema() -> None:
    tools = builtin_tools()
    names = [tool.spec.name for tool in tools]
    expected = {"AskUserQuestion", "Bash", "Edit", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep"}
    assert names == sorted(
        expected
        | {"MultiEdit", "NotebookEdit", "NotebookRead", "Read", "TodoWrite", "Write"}
        | {
            "EnterWorktree",
            "ExitWorktree",
            "ExecuteTool",
            "LSP",
            "TaskOutput",
            "TaskStop",
            "ToolSearch",
        }
    )
    for tool in tools:
        assert len(tool.spec.description) > 100
        schema = tool.args_type.model_json_schema()
        assert schema["additionalProperties"] is False
