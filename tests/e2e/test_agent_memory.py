"""What an agent learns is there for the next one of its kind."""

import asyncio
from pathlib import Path

import pytest

from tests.support.agent_scripts import agent, bodies, cast
from tests.support.stage import Stage
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEFINITION = """---
name: reviewer
description: Reviews.
tools: Read, Grep
memory: {scope}
---
You review.
"""


def system_of(stage: Stage, word: str) -> str:
    return str(bodies(stage, word)[-1]["system"])


async def test_a_note_of_one_agent_is_in_the_prompt_of_the_next(stage: Stage) -> None:
    """It reads and writes there unasked where edits are accepted, and writes nowhere else."""
    stage.write(".pilotfish/agents/reviewer.md", DEFINITION.format(scope="project"))
    folder = stage.project / ".pilotfish" / "agent-memory" / "reviewer"
    note = ToolUse(
        "Write",
        {"file_path": str(folder / "MEMORY.md"), "content": "- [Tabs](tabs.md): tabs here\n"},
        id="toolu_note",
    )
    stray = ToolUse("Write", {"file_path": "stray.txt", "content": "x"}, id="toolu_stray")
    stage.play(
        cast(
            [
                Turn([agent("first: review", "reviewer", call="toolu_first")]),
                Turn([agent("second: review", "reviewer", call="toolu_second")]),
                "Both have reviewed.",
            ],
            first=[Turn([note, stray]), "Reviewed."],
            second=["Reviewed, too."],
        )
    )
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Have it reviewed twice") == "end_turn"
    assert chat.questions() == []
    first = system_of(stage, "first: review")
    assert str(folder) in first
    assert "MEMORY.md is not there yet" in first
    results = str(bodies(stage, "first: review")[-1]["messages"][-1])
    assert "only to write to its memory" in results
    assert not _exists(stage.project / "stray.txt")
    assert "- [Tabs](tabs.md): tabs here" in system_of(stage, "second: review")


async def test_a_note_asks_like_any_edit_where_edits_ask(stage: Stage) -> None:
    stage.write(".pilotfish/agents/reviewer.md", DEFINITION.format(scope="local"))
    path = stage.project / ".pilotfish" / "agent-memory-local" / "reviewer" / "MEMORY.md"
    note = ToolUse("Write", {"file_path": str(path), "content": "- tabs\n"}, id="toolu_note")
    stage.play(
        cast(
            [Turn([agent("first: review", "reviewer")]), "Done."],
            first=[Turn([note]), "Reviewed."],
        )
    )
    chat = await stage.chat()
    asked = asyncio.ensure_future(chat.ask("Have it reviewed"))
    (await chat.question()).answer("allow_once")
    assert await asked == "end_turn"
    assert len(chat.questions()) == 1
    assert path.read_text("utf-8") == "- tabs\n"
    assert (path.parents[1] / ".gitignore").read_text("utf-8") == "*\n"


def _exists(path: Path) -> bool:
    return path.exists()
