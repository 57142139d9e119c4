"""Settings files that change while a session runs."""

import pytest

from tests.support.stage import Stage, text_of
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


def bash(command: str) -> ToolUse:
    return ToolUse("Bash", {"command": command})


async def test_a_waiting_question_goes_on_when_a_rule_is_written_by_hand(stage: Stage) -> None:
    stage.play([Turn([bash("touch a")]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("Do it")
    await chat.question()
    stage.settings("settings.local.json", allow=["Bash(touch:*)"])

    assert await prompt.stop_reason() == "end_turn"
    assert (stage.project / "a").exists()


async def test_a_waiting_question_is_refused_when_a_rule_forbids_it_now(stage: Stage) -> None:
    stage.settings(allow=["Bash(ls)"])
    stage.play([Turn([bash("touch a")]), "Not now."])
    chat = await stage.chat()
    prompt = chat.send("Do it")
    await chat.question()
    stage.settings(deny=["Bash(touch:*)"])

    assert await prompt.stop_reason() == "end_turn"
    assert "Bash(touch:*)" in text_of(stage.results()[0])
    assert not (stage.project / "a").exists()


async def test_a_file_that_breaks_in_the_middle_of_a_turn_opens_nothing(stage: Stage) -> None:
    file = stage.settings(deny=["Bash(touch:*)"])
    stage.play(["Hello.", Turn([bash("touch a")]), "Refused."])
    chat = await stage.chat()
    await chat.ask("Hi")
    file.write_text('{"permissions": {"deny": [', encoding="utf-8")
    assert await chat.ask("Touch it") == "end_turn"

    assert chat.questions() == []
    assert "Bash(touch:*)" in text_of(stage.results()[0])


async def test_a_question_that_nobody_answers_in_time_counts_as_refused(stage: Stage) -> None:
    stage.settings(promptTimeoutMs=50)
    stage.play([Turn([bash("touch a")])])
    chat = await stage.chat()
    assert await chat.ask("Do it") == "cancelled"
    assert not (stage.project / "a").exists()


async def test_a_file_names_the_mode_of_new_sessions_where_the_client_names_none(
    stage: Stage,
) -> None:
    stage.settings(defaultMode="plan")
    params: dict[str, object] = {"cwd": str(stage.project), "mcpServers": []}
    unset = await stage.client.request("session/new", params)
    chosen = {"_meta": {"pilotfish": {"permissionMode": "acceptEdits"}}}
    named = await stage.client.request("session/new", params | chosen)
    assert unset["modes"]["currentModeId"] == "plan"
    assert named["modes"]["currentModeId"] == "acceptEdits"
