"""What was agreed to is written, where it was shown, or nothing is."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from pilotfish.core.calls import CallScope, PreparedCall, ToolCall, ToolOutcome
from pilotfish.core.ids import MAIN_AGENT, SessionId, ToolUseId, TurnId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import text_of
from pilotfish.tooling.budget import ResultBudget
from pilotfish.tooling.executor import ToolExecutor
from pilotfish.tooling.registry import ToolRegistry
from pilotfish.tools.edit import EditTool
from pilotfish.tools.read import ReadTool
from pilotfish.tools.write import WriteTool

from tests.support.tool_context import ToolBench, tool_bench


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


class Calls:
    """Calls through the executor, with time between the question and the write."""

    def __init__(self, bench: ToolBench) -> None:
        registry = ToolRegistry([ReadTool(), WriteTool(), EditTool()])
        self._executor = ToolExecutor(
            registry, bench.context, ResultBudget(bench.context.results_dir)
        )
        self._scope = CallScope(
            session_id=SessionId("s"),
            turn_id=TurnId("t"),
            agent_id=MAIN_AGENT,
            cwd=bench.root,
            on_progress=bench.progress.append,
        )

    async def prepare(self, name: str, **arguments: str) -> PreparedCall:
        given: JsonObject = dict(arguments)
        call = ToolCall(id=ToolUseId("toolu_1"), name=name, input=given)
        prepared = await self._executor.prepare(call, self._scope)
        assert isinstance(prepared, PreparedCall)
        return prepared

    async def run(self, call: PreparedCall) -> ToolOutcome:
        return await self._executor.run(call, self._scope)


def folders(bench: ToolBench) -> tuple[Path, Path, Path]:
    """Return two folders, and a link that leads to the first."""
    inside, outside = bench.root / "inside", bench.root.parent / "outside"
    inside.mkdir()
    outside.mkdir()
    link = bench.root / "link"
    link.symlink_to(inside)
    return inside, outside, link


async def test_a_link_turned_after_the_question_takes_no_new_file_with_it(bench: ToolBench) -> None:
    inside, outside, link = folders(bench)
    calls = Calls(bench)
    call = await calls.prepare("Write", file_path="link/new.sh", content="echo hi\n")
    assert call.effects.writes == (link / "new.sh", inside / "new.sh")
    link.unlink()
    link.symlink_to(outside)
    outcome = await calls.run(call)
    assert outcome.status == "failed"
    assert "leads to another file" in text_of(outcome.content)
    assert list(outside.iterdir()) == list(inside.iterdir()) == []


async def test_a_link_turned_to_another_known_file_takes_no_edit_with_it(bench: ToolBench) -> None:
    inside, outside, link = folders(bench)
    for folder in (inside, outside):
        (folder / "a.txt").write_text("one\n", encoding="utf-8")
    calls = Calls(bench)
    for name in ("link/a.txt", str(outside / "a.txt")):
        await calls.run(await calls.prepare("Read", file_path=name))
    call = await calls.prepare("Edit", file_path="link/a.txt", old_string="one", new_string="two")
    link.unlink()
    link.symlink_to(outside)
    assert (await calls.run(call)).status == "failed"
    assert (outside / "a.txt").read_text(encoding="utf-8") == "one\n"


async def test_another_text_than_the_one_that_was_shown_is_not_written(bench: ToolBench) -> None:
    calls = Calls(bench)
    call = await calls.prepare("Write", file_path="a.txt", content="shown\n")
    other = await calls.prepare("Write", file_path="a.txt", content="other\n")
    outcome = await calls.run(replace(other, preview=call.preview))
    assert outcome.status == "failed"
    assert not (bench.root / "a.txt").exists()


async def test_a_link_that_stays_is_followed(bench: ToolBench) -> None:
    inside, _, _ = folders(bench)
    calls = Calls(bench)
    outcome = await calls.run(await calls.prepare("Write", file_path="link/n", content="x\n"))
    assert outcome.status == "completed"
    assert (inside / "n").read_text(encoding="utf-8") == "x\n"
