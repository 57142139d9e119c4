"""Sub-agents that somebody waits for."""

import pytest

from tests.support.agent_scripts import agent, agent_files, bodies, cast, session_events
from tests.support.stage import Stage, assert_paired, text_of
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_an_agents_report_is_the_result_of_its_call_in_the_same_turn(stage: Stage) -> None:
    stage.write("notes.txt", "the answer is 42\n")
    read = ToolUse("Read", {"file_path": "notes.txt"}, id="toolu_read")
    stage.play(
        cast(
            [Turn([agent("scout: what is the answer?")]), "It is 42."],
            scout=[Turn(["Let me look.", read]), "notes.txt says 42."],
        )
    )
    chat = await stage.chat()
    assert await chat.ask("What is the answer?") == "end_turn"

    [result] = stage.results()
    assert text_of(result).startswith("notes.txt says 42.")
    assert "1 tool uses" in text_of(result)
    assert chat.text().endswith("It is 42.")
    assert chat.questions() == []
    assert len(chat.turns()) == 1
    first, second = bodies(stage, "scout")
    assert "the answer is 42" in str(second["messages"])
    assert "42" not in str(first["messages"])
    assert [path.name for path in agent_files(stage, chat.id)] != []
    kinds = [one.event.type for one in session_events(stage, chat.id)]
    assert kinds.count("agent_started") == kinds.count("agent_ended") == 1
    assert kinds.count("agent_spent") == 2
    for body in bodies(stage, "scout"):
        assert_paired(body)
