"""Agents in an editor that knows the Agent Client Protocol and nothing of ours."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.test_acp import WAIT_S, Acp, connect
from tests.support.agent_scripts import agent, cast
from tools.fake_model import FakeModel, Stall, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def editor(tmp_path: Path) -> AsyncIterator[Acp]:
    async with FakeModel() as fake, connect(fake, tmp_path) as found:
        yield found


def cards(editor: Acp, session: str) -> list[tuple[str, str]]:
    """Return what the card of the call that starts the agent said, one after the other."""
    return [
        (update.status, _text(update))
        for update in editor.client.of(session, "tool_call_update")
        if update.tool_call_id == "toolu_agent"
    ]


def _text(update: Any) -> str:
    return "".join(each.content.text for each in update.content or () if each.type == "content")


def held(text: str) -> Turn:
    return Turn(text, faults=[Stall(after_events=0)])


async def test_an_agent_in_the_background_goes_on_in_the_card_of_its_call(
    editor: Acp, tmp_path: Path
) -> None:
    glob = ToolUse("Glob", {"pattern": "*.none"}, id="toolu_glob")
    editor.fake.play(
        cast(
            [Turn([agent("scout: look", name="scout", run_in_background=True)]), "Begun.", "Back."],
            scout=[Turn(["I look.", glob]), held("There is nothing.")],
        )
    )
    session = await editor.new(tmp_path)
    assert await editor.prompt(session, "Look around") == "end_turn"
    await editor.fake.wait_for_stall(timeout_s=WAIT_S)
    doing = ("in_progress", "scout (a small task) works in the background: *.none")
    await editor.client.wait(lambda: cards(editor, session)[-1] == doing)
    editor.fake.release()
    done = ("completed", "scout (a small task) has finished.\n\nThere is nothing.")
    await editor.client.wait(lambda: cards(editor, session)[-1] == done)
    # What it says and calls is its own: no line of the conversation, no card beside its own.
    await editor.client.wait(lambda: editor.client.text(session) == "Begun.Back.")
    calls = {one.tool_call_id for one in editor.client.of(session, "tool_call")}
    assert calls == {"toolu_agent"}


async def test_an_agent_that_is_waited_for_shows_its_steps_and_asks_by_its_name(
    editor: Acp, tmp_path: Path
) -> None:
    write = ToolUse("Write", {"file_path": "a.txt", "content": "a\n"}, id="toolu_write")
    editor.fake.play(
        cast(
            [Turn([agent("scout: write", name="scout")]), "Done."],
            scout=[Turn([write]), "I wrote it."],
        )
    )
    session = await editor.new(tmp_path)
    editor.client.answers.put_nowait("allow_once")
    assert await editor.prompt(session, "Write a.txt") == "end_turn"
    ((call, options),) = editor.client.questions
    assert call.title.startswith("scout: ")
    assert call.title.endswith("a.txt")
    assert options[0].option_id == "allow_once"
    assert (tmp_path / "a.txt").read_text("utf-8") == "a\n"
    said = cards(editor, session)
    assert any("Write: " in text for status, text in said if status == "in_progress" or not status)
    assert said[-1][0] == "completed"
    assert "I wrote it." in said[-1][1]
    assert editor.client.text(session) == "Done."


async def test_a_stopped_agents_card_says_why_and_a_reload_says_it_again(
    editor: Acp, tmp_path: Path
) -> None:
    stop = ToolUse("TaskStop", {"task_id": "scout"}, id="toolu_stop")
    editor.fake.play(
        cast(
            [
                Turn([agent("scout: look", name="scout", run_in_background=True)]),
                "Begun.",
                Turn([stop]),
                "Stopped.",
            ],
            scout=[held("Never")],
        )
    )
    session = await editor.new(tmp_path)
    await editor.prompt(session, "Look around")
    await editor.fake.wait_for_stall(timeout_s=WAIT_S)
    assert cards(editor, session)[-1][0] == "in_progress"
    await editor.prompt(session, "Stop it")
    last = ("failed", "scout (a small task) was stopped: it was stopped")
    await editor.client.wait(lambda: cards(editor, session)[-1] == last)
    editor.client.updates.clear()
    await editor.agent.load_session(session_id=session, cwd=str(tmp_path), mcp_servers=[])
    await editor.client.wait(lambda: cards(editor, session)[-1:] == [last])
