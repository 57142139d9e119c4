"""A model that stays overloaded hands its turn to the fallback: in a chat, in agents, in a run."""

import json
from pathlib import Path

import pytest
from pilotfish.edges.localise import translator
from pilotfish.engine.recovery import RESERVE_WINDOW_FULL

from tests.support.agent_scripts import agent, bodies, cast
from tests.support.command_line import pilotfish
from tests.support.stage import Stage, all_text, assert_paired, environment, text_of
from tools.fake_model import Cut, ErrorEvent, FakeModel, HttpError, Thinking, ToolUse, Turn, Usage

pytestmark = pytest.mark.asyncio(loop_scope="session")

OWN, OTHER = "claude-sonnet-5-5", "claude-haiku-5-5"
SMALL = "claude-haiku-4-5"
"""Its window is smaller than that of the others."""

TAKES_OVER = f"{OWN} is overloaded. {OTHER} takes over for the rest of this turn."
BUSY = Turn(error=HttpError(status=529, retry_after_s=0.01), repeat=3)
READ = ToolUse("Read", {"file_path": "a.txt"}, id="toolu_read")
OVERLOADED_ON_THE_WAY = Turn(
    [Thinking("Hm."), "Half of it.", READ, "More."], faults=[ErrorEvent(after_events=13)], repeat=3
)
"""The status is 200 and the overload comes after a whole call."""


def fallback(stage: Stage, name: str = "haiku", **more: object) -> None:
    stage.write("a.txt", "alpha\n")
    stage.write(".pilotfish/settings.json", json.dumps({"model": {"fallback": name, **more}}))


def models(stage: Stage) -> list[str]:
    return [str(request.body["model"]) for request in stage.fake.requests]


async def test_what_an_overloaded_stream_has_brought_is_taken_back(stage: Stage) -> None:
    fallback(stage)
    stage.play([OVERLOADED_ON_THE_WAY, Turn(["Now I.", READ]), "It says alpha.", "As before."])
    chat = await stage.chat()
    assert await chat.ask("Read it") == "end_turn"
    assert models(stage) == [OWN] * 3 + [OTHER] * 2
    for request in stage.fake.requests:
        assert_paired(request.body)
    assert "Half of it." not in all_text(stage.body())
    assert [text_of(one) for one in stage.results()] == ["     1\talpha"]
    replies = {
        one["meta"]["messageId"]: one["content"]["text"]
        for one in chat.updates("agent_message_chunk")
        if one["content"]["text"] and not one["meta"]["final"]
    }
    for one in chat.facts("discarded"):
        del replies[one["messageId"]]
    assert [*replies.values()] == ["Now I.", "It says alpha."]
    assert [one["note"] for one in chat.facts("note")] == [TAKES_OVER]
    # Each model is paid for what it did; what broke off is not free.
    shares = (await chat.snapshot())["status"]["models"]
    assert [(one["model"], one["calls"]) for one in shares] == [(OWN, 3), (OTHER, 2)]
    assert all(one["costUsd"] > 0 for one in shares)
    assert await chat.ask("And now?") == "end_turn"
    assert models(stage)[-1] == OWN


async def test_the_fallback_is_answered_in_one_piece_where_its_streams_break(stage: Stage) -> None:
    fallback(stage)
    broken = Turn(["I look.", READ], faults=[Cut(after_events=5)], repeat=2)
    stage.play([BUSY, broken, Turn(["In one piece.", READ]), "Alpha."])
    chat = await stage.chat()
    assert await chat.ask("Read it") == "end_turn"
    assert models(stage) == [OWN] * 3 + [OTHER] * 4
    asked = [request.body.get("stream", False) for request in stage.fake.requests]
    assert asked == [True] * 5 + [False, True]
    assert_paired(stage.body())


async def test_a_model_that_is_overloaded_when_asked_in_one_piece_gives_way(stage: Stage) -> None:
    fallback(stage)
    stage.play([Turn("Half", faults=[Cut(after_events=3)], repeat=2), BUSY, "Here I am."])
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    assert models(stage) == [OWN] * 5 + [OTHER]
    assert chat.turns()[-1]["reason"] == "completed"


async def test_a_fallback_that_fails_is_named(stage: Stage) -> None:
    fallback(stage, "claude-nosuch")
    stage.play([BUSY, Turn(error="not_found"), "Fine."])
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    message = chat.turns()[-1]["message"]
    assert f"claude-nosuch took over from {OWN}, which is overloaded, and failed too" in message
    assert await chat.ask("Again") == "end_turn"
    assert chat.turns()[-1]["reason"] == "completed"


async def test_a_fallback_without_room_for_the_conversation_does_not_take_over(
    stage: Stage,
) -> None:
    fallback(stage, SMALL)
    long = Turn(["Long."], usage=Usage(input=500_000, output=10))
    forever = Turn(error=HttpError(status=529, retry_after_s=0.01), repeat=10)
    stage.play([long, forever])
    chat = await stage.chat()
    assert await chat.ask("First") == "end_turn"
    assert await chat.ask("Second") == "end_turn"
    message = chat.turns()[-1]["message"]
    assert "overloaded" in message
    assert f"The fallback model {SMALL} cannot take over" in message
    assert models(stage) == [OWN] * 11


async def test_a_turn_that_outgrows_the_fallback_goes_on_with_the_users_own_model(
    stage: Stage,
) -> None:
    fallback(stage, SMALL)
    long = Turn(["I look.", READ], usage=Usage(input=500_000, output=10))
    stage.play([BUSY, long, "Alpha."])
    chat = await stage.chat()
    assert await chat.ask("Read it") == "max_tokens"
    end = chat.turns()[-1]
    assert end["reason"] == "blocking_limit"
    assert end["message"] == RESERVE_WINDOW_FULL.format(SMALL)
    chinese = translator("zh-cn")(end["message"], "errors")
    assert SMALL in chinese
    assert "重新发送" in chinese
    assert "overloaded" not in chinese
    assert await chat.ask("Again") == "end_turn"
    assert chat.turns()[-1]["reason"] == "completed"
    assert models(stage) == [*[OWN] * 3, SMALL, OWN]


async def test_an_agents_turn_goes_on_with_the_fallback(stage: Stage) -> None:
    fallback(stage)
    first = Turn([Thinking("Deep."), READ])
    again = Turn([ToolUse("Read", {"file_path": "a.txt"}, id="toolu_again")])
    scout = [first, OVERLOADED_ON_THE_WAY, again, "Seen."]
    stage.play(cast([Turn([agent("scout: look")]), "Looked."], scout=scout))
    chat = await stage.chat()
    assert await chat.ask("Have somebody look") == "end_turn"
    asked = bodies(stage, "scout")
    assert [body["model"] for body in asked] == [OWN] * 4 + [OTHER] * 2
    for body in asked:
        assert_paired(body)
    assert "Deep." not in all_text(asked[-1]), "no model takes another's reasoning"
    assert "Half of it." not in all_text(asked[-1])
    assert models(stage)[-1] == OWN, "the parent's model is not overloaded"


@pytest.mark.parametrize("output", ["text", "json", "stream-json"])
async def test_a_run_says_who_answers(tmp_path: Path, output: str) -> None:
    (tmp_path / "a.txt").write_text("alpha\n", encoding="utf-8")
    env = environment(tmp_path / "home")
    settings = tmp_path / "home" / ".pilotfish" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": {"fallback": "haiku"}}', encoding="utf-8")
    turns = [OVERLOADED_ON_THE_WAY, Turn(["Now I.", READ]), "It says alpha."]
    async with FakeModel(turns) as fake:
        env |= environment(tmp_path / "home", fake.url)
        ended = await pilotfish("run", "Go", "--output-format", output, env=env, cwd=tmp_path)
        asked = [request.body["model"] for request in fake.requests]
    assert (ended.code, asked) == (0, [OWN] * 3 + [OTHER] * 2)
    if output == "text":
        assert ended.stdout == "It says alpha.\n"
        assert TAKES_OVER in ended.stderr
        assert "never finished" not in ended.stderr, "calls that were never shown have no end"
    else:
        assert ended.result["text"] == "It says alpha."
        assert ended.result["num_turns"] == 3
        assert ended.result["cost_usd"] > 0
    if output == "stream-json":
        assert TAKES_OVER in ended.stdout


async def test_a_budget_counts_what_broke_off_and_stops_before_the_fallback(stage: Stage) -> None:
    stage.write(
        ".pilotfish/settings.json",
        json.dumps({"model": {"fallback": "haiku"}, "maxBudgetUsd": 1.0}),
    )
    dear = Usage(input=300_000, output=10)
    half = Turn("Half", faults=[ErrorEvent(after_events=3)], repeat=3, usage=dear)
    stage.play([half, "Never said."])
    chat = await stage.chat()
    assert await chat.ask("Hello") == "max_turn_requests"
    assert chat.turns()[-1]["reason"] == "max_budget"
    assert models(stage) == [OWN] * 3
    stage.play([])
