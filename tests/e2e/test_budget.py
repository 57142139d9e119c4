"""What a session may cost: one limit for all its turns and agents (design 02 §5.4)."""

import json
from pathlib import Path

import pytest

from tests.support.agent_scripts import agent, bodies, cast
from tests.support.command_line import pilotfish
from tests.support.stage import Stage, environment
from tools.fake_model import FakeModel, ToolUse, Turn, Usage

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEAR = Usage(input=600_000, output=1_000)
"""More than a dollar at the price of any model of the catalog that answers here."""


def limit(stage: Stage, dollars: float) -> None:
    stage.write(".pilotfish/settings.json", json.dumps({"maxBudgetUsd": dollars}))


async def test_the_budget_is_that_of_the_session_and_the_end_says_what_was_spent(
    stage: Stage,
) -> None:
    limit(stage, 2.0)
    stage.play([Turn(["One."], usage=DEAR), Turn(["Two."], usage=DEAR), "Three."])
    chat = await stage.chat()
    assert await chat.ask("First") == "end_turn"
    assert await chat.ask("Second") == "end_turn"
    assert await chat.ask("Third") == "max_turn_requests"
    ended = chat.turns()[-1]
    assert ended["reason"] == "max_budget"
    assert "has spent $2." in ended["message"]
    assert "its budget is $2.00 (maxBudgetUsd)" in ended["message"]
    assert len(stage.fake.requests) == 2

    limit(stage, 9.0)
    assert await chat.ask("Fourth") == "end_turn"


async def test_what_agents_spend_counts_and_they_are_held_to_it_as_well(stage: Stage) -> None:
    limit(stage, 1.0)
    stage.write("a.txt", "alpha\n")
    look = Turn([ToolUse("Read", {"file_path": "a.txt"}, id="toolu_read")], usage=DEAR)
    stage.play(cast([Turn([agent("scout: look")])], scout=[look]))
    chat = await stage.chat()
    assert await chat.ask("Have somebody look") == "max_turn_requests"
    assert chat.turns()[-1]["reason"] == "max_budget"
    assert len(bodies(stage, "scout")) == 1


async def test_a_run_is_held_to_the_budget_on_its_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("alpha\n", encoding="utf-8")
    read = ToolUse("Read", {"file_path": "a.txt"})
    async with FakeModel([Turn([read], usage=DEAR), "Never said."]) as fake:
        ended = await pilotfish(
            *("run", "Go", "--max-budget-usd", "1", "--output-format", "json"),
            env=environment(tmp_path / "home", fake.url),
            cwd=tmp_path,
        )
    assert ended.code == 1
    assert ended.result["terminal_reason"] == "max_budget"
    assert ended.result["cost_usd"] > 1


HOME_MADE = "home-made-model"
"""A model that no price list knows."""


async def test_a_run_hears_before_the_first_request_that_a_budget_cannot_be_kept(
    tmp_path: Path,
) -> None:
    env, arguments = environment(tmp_path / "home"), ("--max-budget-usd", "1", "--model", HOME_MADE)
    async with FakeModel([Turn(["One."], usage=DEAR)] * 5) as fake:
        env |= environment(tmp_path / "home", fake.url)
        for output in ("text", "json", "stream-json"):
            ended = await pilotfish(
                "run", "Go", *arguments, "--output-format", output, env=env, cwd=tmp_path
            )
            assert ended.code == 0, ended
            assert (
                f"The budget of $1.00 (maxBudgetUsd) cannot be kept for {HOME_MADE}" in ended.stderr
            )
            assert f'{{"model": {{"prices": {{"{HOME_MADE}": {{' in ended.stderr
        # The way out that it names is one.
        settings = tmp_path / "home" / ".pilotfish" / "settings.json"
        given = json.loads(ended.stderr[ended.stderr.index("{") :])
        settings.write_text(json.dumps(given), encoding="utf-8")
        ended = await pilotfish("run", "Go", *arguments, env=env, cwd=tmp_path)
        assert (ended.code, ended.stderr) == (0, "")
        # Without a budget there is nothing to say.
        settings.unlink()
        ended = await pilotfish("run", "Go", "--model", HOME_MADE, env=env, cwd=tmp_path)
        assert (ended.code, ended.stderr) == (0, "")


async def test_a_chat_is_told_once_for_each_model_agents_included(stage: Stage) -> None:
    limit(stage, 2.0)
    scout = agent("scout: look", model="another-model")
    stage.play(cast([Turn([scout]), "Looked.", "Again."], scout=["Seen."]))
    chat = await stage.chat(model=HOME_MADE)
    assert await chat.ask("Have somebody look") == "end_turn"
    assert await chat.ask("Again") == "end_turn"
    first, second = chat.facts("notice")
    assert f"cannot be kept for {HOME_MADE}: its price" in first["note"]
    assert "cannot be kept for another-model: its price" in second["note"]
    begun = next(one for one in chat.updates("agent_message_chunk"))
    assert first["seq"] < begun["meta"]["seq"]
    assert "cannot be kept" not in str([request.body for request in stage.fake.requests])
