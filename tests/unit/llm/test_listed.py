"""What a server says of its models, asked in the background."""

import asyncio

import pytest
from pilotfish.llm.errors import ModelError
from pilotfish.llm.listed import KEPT_S, MAX_MODELS, MISSED_S, ListedModels
from pilotfish.llm.providers.openai import OpenAIModel
from pilotfish.llm.providers.openai_endpoint import OpenAISettings

from tests.support.fake_clock import FakeClock
from tests.support.waiting import until
from tools.fake_chat import FakeChat


class Lister:
    def __init__(self, *answers: list[str] | ModelError) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def list_models(self) -> list[str]:
        self.asked += 1
        answer = self.answers.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        return answer

    async def close(self) -> None:
        pass


async def test_looking_never_waits_and_an_answer_counts_for_a_while() -> None:
    clock, lister = FakeClock(), Lister(["a", "b", "a"], ["c"])
    listed = ListedModels(lambda: lister, clock)
    assert listed.look() == ()
    await until(lambda: listed.look() == ("a", "b"))
    assert lister.asked == 1
    clock.advance(KEPT_S + 1)
    assert listed.look() == ("a", "b")
    await until(lambda: listed.look() == ("c",))
    assert lister.asked == 2
    await listed.close()


async def test_no_answer_is_asked_for_again_soon_but_not_at_once_and_odd_names_are_left_out() -> (
    None
):
    clock = FakeClock()
    lister = Lister(ModelError("server", "no"), ["", "x" * 1_000, "a\nb", *map(str, range(999))])
    listed = ListedModels(lambda: lister, clock)
    listed.look()
    await until(lambda: lister.asked == 1)
    assert listed.look() == ()
    assert lister.asked == 1
    clock.advance(MISSED_S + 1)
    await until(lambda: listed.look() != ())
    assert listed.look() == tuple(map(str, range(MAX_MODELS)))
    await listed.close()


async def test_a_chat_server_is_asked_by_its_own_address() -> None:
    async with FakeChat(key="sk-test-0123456789") as fake:
        fake.models = ["qwen-coder", "llama"]
        model = OpenAIModel(OpenAISettings(api_key="sk-test-0123456789", base_url=fake.url))
        assert await model.list_models() == ["qwen-coder", "llama"]
        fake.models = None
        with pytest.raises(ModelError):
            await model.list_models()
        await model.close()
    await asyncio.sleep(0)
