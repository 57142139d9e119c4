"""A small question beside the conversation, against a real HTTP server."""

from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from pilotfish.llm.errors import ModelError
from pilotfish.llm.providers.anthropic import AnthropicModel
from pilotfish.llm.providers.anthropic_endpoint import AnthropicSettings
from pilotfish.llm.small import MAX_QUESTION_CHARS, SmallQuestion, ask_small

from tools.fake_model import FakeModel, Scenario, Stall, Thinking, Turn
from tools.fake_model import Usage as FakeUsage

QUESTION = SmallQuestion(system="Name it in three words.", text="Fix the login page please")


@pytest.fixture
async def fake() -> AsyncIterator[FakeModel]:
    async with FakeModel() as server:
        yield server
        assert server.problems == []


@pytest.fixture
async def model(fake: FakeModel) -> AsyncIterator[AnthropicModel]:
    made = AnthropicModel(AnthropicSettings(api_key="k", base_url=fake.url))
    yield made
    await made.close()


def sent(fake: FakeModel) -> dict[str, Any]:
    return cast("dict[str, Any]", fake.requests[0].body)


async def test_the_answer_is_whole_and_its_usage_is_told(
    fake: FakeModel, model: AnthropicModel
) -> None:
    fake.play(Scenario(turns=[Turn("  Login page fix\n", usage=FakeUsage(input=30, output=5))]))
    answer = await ask_small(model, "claude-haiku-4-5", QUESTION)
    assert answer.text == "Login page fix"
    assert answer.model == "claude-haiku-4-5"
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (30, 5)
    body = sent(fake)
    assert body["max_tokens"] == QUESTION.max_tokens
    assert "tools" not in body
    assert body["system"][0]["text"] == QUESTION.system


async def test_thinking_is_no_part_of_the_answer(fake: FakeModel, model: AnthropicModel) -> None:
    fake.play(Scenario(turns=[Turn([Thinking("Three words, so"), "Login page fix"])]))
    assert (await ask_small(model, "claude-haiku-4-5", QUESTION)).text == "Login page fix"


async def test_a_long_text_is_cut(fake: FakeModel, model: AnthropicModel) -> None:
    fake.play(Scenario(turns=["Short"]))
    question = SmallQuestion(system="Name it.", text="x" * (MAX_QUESTION_CHARS + 1))
    await ask_small(model, "claude-haiku-4-5", question)
    text = sent(fake)["messages"][0]["content"][0]["text"]
    assert len(text) == MAX_QUESTION_CHARS


async def test_an_answer_that_does_not_come_is_given_up(
    fake: FakeModel, model: AnthropicModel
) -> None:
    fake.play(Scenario(turns=[Turn("late", faults=[Stall(after_events=1)])]))
    with pytest.raises(ModelError) as raised:
        await ask_small(
            model,
            "claude-haiku-4-5",
            SmallQuestion(system="Name it.", text="x", timeout_s=0.2),
        )
    assert raised.value.kind == "timeout"
    fake.release()
