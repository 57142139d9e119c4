"""What the user types behind a slash and Pilotfish answers itself."""

from pathlib import Path

import pytest
from acp import schema

from tests.support.stage import Stage, assert_paired
from tests.support.waiting import until
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_client_is_told_the_commands_once_it_knows_the_session(stage: Stage) -> None:
    chat = await stage.chat()
    await until(lambda: bool(chat.commands()))
    [told] = [
        one
        for one in stage.client.updates("available_commands_update")
        if one["sessionId"] == chat.id
    ]
    update = schema.AvailableCommandsUpdate.model_validate(told["update"])
    by_name = {command.name: command for command in update.available_commands}
    assert {"help", "clear", "model", "mode", "agents"} <= set(by_name)
    hint = by_name["model"].input
    assert hint is not None
    assert hint.root.hint == "[model]"
    assert by_name["clear"].input is None
    assert by_name["clear"].field_meta == {"pilotfish": {"source": "built-in"}}


async def test_commands_are_listed_before_there_is_a_session(stage: Stage) -> None:
    answer = await stage.client.request("_pilotfish/commands/list", {})
    assert "help" in [command["name"] for command in answer["availableCommands"]]


async def test_a_command_is_answered_without_a_turn_and_the_model_never_hears_of_it(
    stage: Stage,
) -> None:
    stage.play(["Hello."])
    chat = await stage.chat()
    assert await chat.ask("/mode plan") == "end_turn"
    [answer] = chat.answers()
    assert answer["content"]["text"] == "The permission mode is `plan`."
    assert answer["meta"]["command"] == "mode"
    typed = [one["content"]["text"] for one in chat.updates("user_message_chunk")]
    assert typed == ["/mode plan"]
    assert stage.fake.requests == []
    assert chat.turns() == []

    await chat.ask("Hi")
    body = stage.body()
    assert len(stage.fake.requests) == 1
    assert "/mode" not in str(body["messages"])
    assert_paired(body)
    # A fresh view shows the same.
    updates = (await chat.snapshot())["updates"]
    assert [one["_meta"]["pilotfish"].get("command") for one in updates].count("mode") == 2


async def test_clear_makes_the_model_forget(stage: Stage) -> None:
    stage.play(["I will remember.", "Remember what?"])
    chat = await stage.chat()
    await chat.ask("The word is heliotrope.")
    await chat.ask("/clear")
    await chat.ask("What was the word?")
    assert "heliotrope" not in str(stage.body()["messages"])
    assert len(chat.facts("context_cleared")) == 1


async def test_a_wrong_value_is_told_and_changes_nothing(stage: Stage) -> None:
    chat = await stage.chat()
    await chat.ask("/mode everything")
    [answer] = chat.answers()
    assert "everything" in answer["content"]["text"]
    snapshot = await chat.snapshot()
    assert snapshot["status"]["mode"] == "default"


async def test_a_misspelt_command_is_not_sent_to_the_model(stage: Stage) -> None:
    chat = await stage.chat()
    await chat.ask("/modle")
    [answer] = chat.answers()
    assert "Did you mean `/model`?" in answer["content"]["text"]
    assert stage.fake.requests == []


@pytest.mark.parametrize(
    "text", ["/usr/bin is full", " /mode plan", "see /mode", "/", "/nothing like it"]
)
async def test_what_only_looks_like_a_command_goes_to_the_model(stage: Stage, text: str) -> None:
    stage.play(["I see."])
    chat = await stage.chat()
    await chat.ask(text)
    assert text in str(stage.body()["messages"])


async def test_mode_can_be_changed_while_a_turn_runs(stage: Stage, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    wait = ToolUse(
        "Bash", {"command": f"while [ ! -e {gate} ]; do sleep 0.02; done"}, id="toolu_wait"
    )
    stage.play([Turn([wait]), "Done."])
    chat = await stage.chat(allowedTools=["Bash"])
    prompt = chat.send("Go")
    await chat.wait_for_call("toolu_wait", "in_progress")
    await chat.ask("/mode acceptEdits")
    await chat.ask("/clear")
    said = [one["content"]["text"] for one in chat.answers()]
    assert said[0] == "The permission mode is `acceptEdits`."
    assert "A turn is running." in said[1]
    gate.touch()
    assert await prompt.stop_reason() == "end_turn"
