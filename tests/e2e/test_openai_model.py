"""A model behind the chat completions API, through the real server and the command line."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.command_line import pilotfish
from tests.support.stage import KEY, Stage, environment
from tests.support.wire_client import WAIT_S
from tools.fake_chat import Call, ChatError, ChatReply, FakeChat

pytestmark = pytest.mark.asyncio(loop_scope="session")

USAGE = {"prompt_tokens": 1_000, "completion_tokens": 50}


@pytest_asyncio.fixture(loop_scope="session")
async def fake() -> AsyncIterator[FakeChat]:
    async with FakeChat(key=KEY) as server:
        yield server
        assert server.problems == []
        assert server.unused == 0


def variables(fake: FakeChat, **more: str) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": fake.url,
        "OPENAI_API_KEY": KEY,
        "OPENAI_MODEL": "local-coder",
    } | more


async def test_it_reads_in_parallel_edits_and_is_counted(fake: FakeChat, tmp_path: Path) -> None:
    fake.play(
        [
            ChatReply(
                reasoning="Both files first.",
                text="I look at both.",
                calls=(
                    Call(name="Read", input={"file_path": "a.py"}),
                    Call(name="Read", input={"file_path": "b.py"}),
                ),
                habit="interleaved",
                usage=USAGE,
            ),
            ChatReply(
                calls=(
                    Call(
                        name="Edit",
                        id="call_9",
                        input={"file_path": "a.py", "old_string": "1", "new_string": "2"},
                    ),
                ),
                usage=USAGE,
            ),
            ChatReply(text="Changed.", usage=USAGE),
        ]
    )
    async with Stage.open(tmp_path, url=None, variables=variables(fake)) as stage:
        file = stage.write("a.py", "x = 1\n")
        stage.write("b.py", "y = 1\n")
        chat = await stage.chat(permissionMode="acceptEdits")
        assert await chat.ask("Change x") == "end_turn"
        assert file.read_text() == "x = 2\n"
        assert chat.text() == "I look at both.Changed."
        thoughts = chat.updates("agent_thought_chunk")
        assert "".join(one["content"]["text"] for one in thoughts) == "Both files first."
        status = (await chat.snapshot())["status"]
        assert status["model"] == "local-coder"
        assert (status["inputTokens"], status["outputTokens"]) == (3_000, 150)
        assert status["costUsd"] is None
    second, third = (request.body["messages"] for request in fake.requests[1:])
    assert [one["role"] for one in second[-2:]] == ["tool", "tool"]
    assert ["x = 1" in second[-2]["content"], "y = 1" in second[-1]["content"]] == [True, True]
    assert second[-3]["reasoning_content"] == "Both files first."
    assert third[-1]["tool_call_id"] == "call_9"
    assert all(one.raw.startswith(b'{"model":"local-coder"') for one in fake.requests)


async def test_the_picker_offers_what_the_server_lists(fake: FakeChat, tmp_path: Path) -> None:
    fake.models = ["local-coder", "other-coder"]
    fake.play([ChatReply(text="Hello.", usage=USAGE)])
    async with Stage.open(tmp_path, url=None, variables=variables(fake)) as stage:
        chat = await stage.chat()
        params = {"sessionId": chat.id, "configId": "model", "value": "local-coder"}

        async def offered() -> list[str]:
            answer = await stage.client.request("session/set_config_option", params)
            (model,) = [one for one in answer["configOptions"] if one["id"] == "model"]
            return [one["value"] for one in model["options"]]

        async with asyncio.timeout(WAIT_S):
            while len(names := await offered()) < 2:
                await stage.client.settle()
        assert names == ["local-coder", "other-coder"]
        chat = await stage.chat(model="other-coder")
        assert await chat.ask("Hi") == "end_turn"
    assert fake.requests[0].body["model"] == "other-coder"


async def test_the_terminal_carries_usage_and_a_price_of_ones_own(
    fake: FakeChat, tmp_path: Path
) -> None:
    fake.play([ChatReply(text="Hello.", usage=USAGE)])
    settings = tmp_path / "prices.json"
    settings.write_text(
        '{"model": {"prices": {"local-coder": {"input": 1000, "output": 2000}}}}', encoding="utf-8"
    )
    ended = await pilotfish(
        *("run", "Hi", "--output-format", "json", "--settings", str(settings)),
        env=environment(tmp_path / "home", **variables(fake)),
        cwd=tmp_path,
    )
    assert ended.code == 0, ended.stderr
    assert ended.result["text"] == "Hello."
    assert ended.result["usage"]["input_tokens"] == 1_000
    assert ended.result["cost_usd"] == pytest.approx(1.0 + 0.1)


async def test_a_refusal_names_the_variable_of_this_provider(
    fake: FakeChat, tmp_path: Path
) -> None:
    error = {
        "error": {"message": "The model `local-coder` does not exist", "code": "model_not_found"}
    }
    fake.play([ChatError(status=404, body=error)])
    ended = await pilotfish(
        "run", "Hi", env=environment(tmp_path / "home", **variables(fake)), cwd=tmp_path
    )
    assert ended.code == 1
    assert "local-coder" in ended.stderr
    assert "ANTHROPIC" not in ended.stderr
    assert KEY not in ended.stderr


UNUSABLE = {
    "no model": ({"OPENAI_API_KEY": KEY}, "pilotfish.model.name"),
    "no key": ({"PILOTFISH_PROVIDER": "openai", "OPENAI_MODEL": "m"}, "OPENAI_API_KEY"),
    "no address": ({"OPENAI_BASE_URL": "127.0.0.1:1/v1", "OPENAI_MODEL": "m"}, "OPENAI_BASE_URL"),
    "no provider": ({"PILOTFISH_PROVIDER": "opanai"}, "Did you mean openai?"),
    "no such model": (
        {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_MODEL": "sonet"},
        "Did you mean sonnet?",
    ),
}


@pytest.mark.parametrize("case", UNUSABLE)
async def test_what_cannot_work_is_said_on_the_terminal_and_by_the_doctor(
    case: str, tmp_path: Path
) -> None:
    more, told = UNUSABLE[case]
    env = environment(tmp_path / "home", **more)
    ended = await pilotfish("run", "Hi", env=env, cwd=tmp_path)
    assert ended.code == 1
    assert told in ended.stderr
    examined = await pilotfish("doctor", "--json", env=env, cwd=tmp_path)
    assert examined.code == 1
    assert told in examined.stdout
    assert KEY not in ended.stderr + examined.stdout


async def test_what_cannot_work_is_said_to_the_editor_before_the_first_turn(
    tmp_path: Path,
) -> None:
    async with Stage.open(tmp_path, url=None, variables={"OPENAI_API_KEY": KEY}) as stage:
        told = await stage.client.wait_for("_pilotfish/provider")
        assert "pilotfish.model.name" in told["problem"]
        chat = await stage.chat()
        assert await chat.ask("Hello") == "end_turn"
        ended = chat.turns()[-1]
        assert ended["reason"] == "model_error"
        assert "pilotfish.model.name" in ended["message"]
