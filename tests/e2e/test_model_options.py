"""Choosing model and effort, and what a session has used, over the wire."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from acp import schema
from pilotfish.llm.providers.demo.texts import TASK_PROMPTS

from tests.support.demo_stage import EXAMPLE
from tests.support.stage import Stage
from tests.support.wire_client import Json, WireError
from tools.fake_model import Turn
from tools.fake_model import Usage as FakeUsage

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def choose(stage: Stage, session_id: str, option: str, value: str) -> dict[str, Json]:
    """Choose, and return the options by id."""
    params = {"sessionId": session_id, "configId": option, "value": value}
    answer = await stage.client.request("session/set_config_option", params)
    for one in answer["configOptions"]:
        schema.SessionConfigOptionSelect.model_validate(one)
    return {one["id"]: one for one in answer["configOptions"]}


async def test_model_and_effort_count_from_the_next_turn_on(stage: Stage) -> None:
    stage.play(["One.", "Two.", "Three."])
    chat = await stage.chat(model="claude-opus-5-5", effort="low")
    await chat.ask("First")
    options = await choose(stage, chat.id, "effort", "max")
    assert options["effort"]["currentValue"] == "max"
    await chat.ask("Second")
    options = await choose(stage, chat.id, "model", "haiku")
    assert options["model"]["currentValue"] == "claude-haiku-5-5"
    # That model does not know “max”: it is not sent, and not shown as chosen.
    assert options["effort"]["currentValue"] == "default"
    await chat.ask("Third")
    sent: list[tuple[Any, Any]] = [
        (body["model"], body.get("output_config")) for body in map(stage.body, (-3, -2, -1))
    ]
    assert sent == [
        ("claude-opus-5-5", {"effort": "low"}),
        ("claude-opus-5-5", {"effort": "max"}),
        ("claude-haiku-5-5", None),
    ]
    updates = chat.client.updates("config_option_update")
    told = [one["update"] for one in updates if one["sessionId"] == chat.id]
    for one in told:
        schema.ConfigOptionUpdate.model_validate(one)
    assert told[-1]["configOptions"][0]["currentValue"] == "claude-haiku-5-5"


async def test_a_choice_survives_a_reload(stage: Stage) -> None:
    chat = await stage.chat(model="claude-opus-5-5")
    await choose(stage, chat.id, "effort", "high")
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.clear()
    _, answer = await stage.reload(chat.id, "resume")
    values = {one["id"]: one["currentValue"] for one in answer["configOptions"]}
    assert values == {"model": "claude-opus-5-5", "effort": "high"}


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("effort", "enormous", "There is: default, low"),
        ("colour", "red", "there is no option"),
    ],
)
async def test_what_cannot_be_chosen_is_refused(
    stage: Stage, option: str, value: str, told: str
) -> None:
    chat = await stage.chat(model="claude-opus-5-5")
    with pytest.raises(WireError, match=told):
        await choose(stage, chat.id, option, value)


async def test_usage_is_told_by_kind_and_by_model_and_unknown_prices_are_named(
    stage: Stage,
) -> None:
    used = FakeUsage(input=1_000, output=100, cache_read=5_000, cache_write=200)
    stage.play([Turn("One.", usage=used), Turn("Two.", usage=FakeUsage(input=10, output=1))])
    chat = await stage.chat(model="claude-sonnet-4-5")
    assert (await chat.snapshot())["status"]["last"] is None
    await chat.ask("First")
    await choose(stage, chat.id, "model", "some-local-model")
    await chat.ask("Second")
    status = (await chat.snapshot())["status"]
    cost = (1_000 * 3 + 100 * 15 + 5_000 * 0.3 + 200 * 3.75) / 1e6
    assert status["costUsd"] == pytest.approx(cost)
    assert status["unpricedCalls"] == 1
    assert status["contextKnown"] is False
    assert status["contextTokens"] == 11
    assert [one["model"] for one in status["models"]] == ["claude-sonnet-4-5", "some-local-model"]
    first, second = status["models"]
    assert first["usage"] == {
        "inputTokens": 1_000,
        "cacheReadTokens": 5_000,
        "cacheWriteTokens": 200,
        "outputTokens": 100,
    }
    assert (second["costUsd"], second["unpricedCalls"]) == (None, 1)
    assert status["inputTokens"] == 1_000 + 5_000 + 200 + 10


@pytest.mark.parametrize("mode", ["plan", "default", "bypassPermissions"])
async def test_the_mode_of_a_new_session_is_told_before_there_is_one(
    tmp_path: Path, mode: str
) -> None:
    settings = tmp_path / "home" / ".pilotfish" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"permissions": {"defaultMode": mode}}), encoding="utf-8")
    async with Stage.open(tmp_path) as stage:
        told = await stage.client.wait_for("_pilotfish/provider")
        chat = await stage.chat()
        assert told["mode"] == (await chat.snapshot())["status"]["mode"]
        if mode != "bypassPermissions":  # which depends on who runs the tests
            assert told["mode"] == mode


async def test_what_the_demo_plays_is_told_in_the_example_and_nowhere_else(tmp_path: Path) -> None:
    for place, tasks in (("example", list(TASK_PROMPTS)), ("own", [])):
        base = tmp_path / place
        base.mkdir()
        workspace = base / "workspace"
        if tasks:
            shutil.copytree(EXAMPLE, workspace)
        async with Stage.open(base, url=None) as stage:
            told = await stage.client.wait_for("_pilotfish/provider")
            assert (told["kind"], told["tasks"]) == ("demo", tasks)
