"""The chat completions provider against a real HTTP server."""

import asyncio
import logging
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from pilotfish.core.ids import MessageId, ToolUseId
from pilotfish.core.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
    UserMessage,
)
from pilotfish.llm.errors import ModelError, ModelErrorKind
from pilotfish.llm.events import DeltaReceived, ReplyCompleted, ReplyStarted
from pilotfish.llm.providers.openai import OpenAIModel
from pilotfish.llm.providers.openai_endpoint import OpenAISettings

from tests.support.model_requests import READ_TOOL, blocks, collect, model_request, of_type, user
from tests.support.waiting import WAIT_S
from tools.fake_chat import Call, ChatError, ChatReply, FakeChat
from tools.fake_chat.replies import Habit

KEY = "sk-test-0123456789abcdef"
IMAGE = ImageBlock(media_type="image/png", data="aGk=")


@pytest.fixture
async def fake() -> AsyncIterator[FakeChat]:
    async with FakeChat() as server:
        yield server
        assert server.problems == []


def settings(url: str, **more: Any) -> OpenAISettings:
    return OpenAISettings(api_key=KEY, base_url=url, key_source="OPENAI_API_KEY", **more)


@pytest.fixture
async def model(fake: FakeChat) -> AsyncIterator[OpenAIModel]:
    made = OpenAIModel(settings(fake.url))
    yield made
    await made.close()


def call(name: str, **arguments: Any) -> ToolUseBlock:
    return ToolUseBlock(id=ToolUseId(f"call_{name}"), name=name, input=arguments)


def answered(*content: Any) -> AssistantMessage:
    return AssistantMessage(id=MessageId("m"), content=content)


def result(of: ToolUseBlock, *content: TextBlock | ImageBlock, **more: Any) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id=of.id, content=content, **more)


def error(status: int, message: str, code: str | None = None, **headers: str) -> ChatError:
    body = {"error": {"message": message, "type": "x", "code": code}}
    return ChatError(status=status, body=body, headers=headers)


async def refused(fake: FakeChat, model: OpenAIModel, turn: ChatError | ChatReply) -> ModelError:
    fake.play([turn])
    with pytest.raises(ModelError) as raised:
        await collect(model, model_request(model="some-model"))
    assert KEY not in str(raised.value)
    return raised.value


async def test_a_reply_streams_and_ends_with_its_counts(fake: FakeChat, model: OpenAIModel) -> None:
    usage = {
        "prompt_tokens": 1_000,
        "completion_tokens": 50,
        "prompt_tokens_details": {"cached_tokens": 600},
    }
    fake.play([ChatReply(text="Hello there.", usage=usage)])
    events = await collect(model, model_request(model="some-model"))
    assert isinstance(events[0], ReplyStarted)
    assert events[0].model == "some-model"
    assert "".join(one.text for one in of_type(events, DeltaReceived)) == "Hello there."
    assert len(of_type(events, DeltaReceived)) > 1
    assert blocks(events) == [TextBlock(text="Hello there.")]
    assert events[-1] == ReplyCompleted(
        stop_reason="end_turn",
        usage=Usage(input_tokens=400, output_tokens=50, cache_read_tokens=600),
    )


async def test_what_is_sent_has_the_apis_shape(fake: FakeChat, model: OpenAIModel) -> None:
    fake.play(["Done"])
    read = call("Read", file_path="/a")
    await collect(
        model,
        model_request(
            user("Look at it"),
            answered(TextBlock(text="I look."), read),
            UserMessage(content=(TextBlock(text="Hurry"), result(read, TextBlock(text="text")))),
            model="some-model",
        ),
    )
    request = fake.requests[0]
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["user-agent"] == "pilotfish"
    assert request.headers["content-type"] == "application/json"
    body = request.body
    assert body["max_tokens"] == 4_000
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    assert body["tools"][0]["function"]["parameters"] == READ_TOOL.input_schema
    assert body["messages"] == [
        {"role": "system", "content": "You are a test.\n\nWorking directory: /tmp/x"},
        {"role": "user", "content": "Look at it"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {
                    "id": "call_Read",
                    "type": "function",
                    "function": {"name": "Read", "arguments": '{"file_path":"/a"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_Read", "content": "text"},
        {"role": "user", "content": "Hurry"},
    ]


@pytest.mark.parametrize("habit", ["by_index", "interleaved", "no_index", "all_index_0", "whole"])
async def test_parallel_calls_are_put_together_however_they_are_cut(
    fake: FakeChat, model: OpenAIModel, habit: Habit
) -> None:
    calls = tuple(Call(name="Read", input={"file_path": f"/{n}" * 9}) for n in range(3))
    fake.play([ChatReply(text="Three files.", calls=calls, habit=habit)])
    events = await collect(model, model_request())
    assert blocks(events) == [
        TextBlock(text="Three files."),
        *[
            ToolUseBlock(id=ToolUseId(f"call_{n}"), name="Read", input=one.input)
            for n, one in enumerate(calls)
        ],
    ]
    assert of_type(events, ReplyCompleted)[0].stop_reason == "tool_use"


async def test_a_server_that_says_stop_after_calls_is_understood(
    fake: FakeChat, model: OpenAIModel
) -> None:
    fake.play([ChatReply(calls=(Call(name="Read"),), finish_reason="stop")])
    events = await collect(model, model_request())
    assert of_type(events, ReplyCompleted)[0].stop_reason == "tool_use"
    assert blocks(events) == [ToolUseBlock(id=ToolUseId("call_0"), name="Read", input={})]


async def test_broken_arguments_are_told_to_the_model(fake: FakeChat, model: OpenAIModel) -> None:
    fake.play([ChatReply(calls=(Call(name="Read", raw='{"file_path": "/a'),))])
    (block,) = blocks(await collect(model, model_request()))
    assert isinstance(block, ToolUseBlock)
    assert block.input == {}
    assert block.input_error is not None
    assert "not valid JSON" in block.input_error


async def test_a_call_at_the_end_of_a_cut_reply_is_not_taken_for_whole(
    fake: FakeChat, model: OpenAIModel
) -> None:
    calls = (Call(name="Read", input={"file_path": "/a"}), Call(name="Read"))
    fake.play([ChatReply(calls=calls, finish_reason="length")])
    events = await collect(model, model_request())
    first, last = blocks(events)
    assert isinstance(first, ToolUseBlock)
    assert isinstance(last, ToolUseBlock)
    assert (first.input_error, bool(last.input_error)) == (None, True)
    assert of_type(events, ReplyCompleted)[0].stop_reason == "max_tokens"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_shown_and_sent_back_with_its_calls_under_its_own_name(
    fake: FakeChat, model: OpenAIModel, field: str
) -> None:
    said = ChatReply(
        reasoning="Which file?", reasoning_field=field, text="I look.", calls=(Call(name="Read"),)
    )
    fake.play([said, ChatReply(reasoning="Ah.", reasoning_field=field, text="Done"), "Bye"])
    first = blocks(await collect(model, model_request()))
    assert first[0] == ThinkingBlock(text="Which file?", signature=field)
    read = first[2]
    assert isinstance(read, ToolUseBlock)
    after = [
        user("Hello"),
        answered(*first),
        UserMessage(content=(result(read, TextBlock(text="text")),)),
    ]
    second = blocks(await collect(model, model_request(*after)))
    await collect(model, model_request(*after, answered(*second), user("And now?")))
    sent: list[dict[str, Any]] = fake.requests[2].body["messages"]
    assert sent[2][field] == "Which file?"
    # After an answer without calls nobody wants it back.
    assert sent[4] == {"role": "assistant", "content": "Done"}


async def test_reasoning_of_another_vendor_is_not_sent(fake: FakeChat, model: OpenAIModel) -> None:
    fake.play(["Done"])
    read = call("Read")
    thought = ThinkingBlock(text="hm", signature="EqQBCgIYAhIM")
    await collect(
        model,
        model_request(
            user("Go"),
            answered(RedactedThinkingBlock(data="x"), thought, read),
            UserMessage(content=(result(read),)),
        ),
    )
    message = fake.requests[0].body["messages"][2]
    assert set(message) == {"role", "content", "tool_calls"}


async def test_images_go_where_the_api_takes_them(fake: FakeChat, model: OpenAIModel) -> None:
    fake.play(["I see"])
    read, look = call("Read"), call("Look")
    await collect(
        model,
        model_request(
            UserMessage(content=(TextBlock(text="See"), IMAGE)),
            answered(read, look),
            UserMessage(
                content=(
                    result(read, TextBlock(text="a picture"), IMAGE),
                    result(look, TextBlock(text="no"), is_error=True),
                )
            ),
        ),
    )
    sent: list[dict[str, Any]] = fake.requests[0].body["messages"]
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    assert sent[1]["content"] == [{"type": "text", "text": "See"}, picture]
    assert sent[3] == {"role": "tool", "tool_call_id": "call_Read", "content": "a picture"}
    assert sent[4] == {"role": "tool", "tool_call_id": "call_Look", "content": "Error: no"}
    assert sent[5]["content"][-1] == picture
    assert "call_Read" in sent[5]["content"][0]["text"]


async def test_a_request_begins_with_the_bytes_of_the_one_before(
    fake: FakeChat, model: OpenAIModel
) -> None:
    history: list[Message] = [user("Hello")]
    fake.play(["a"] * 4)
    for number in range(4):
        await collect(model, model_request(*history))
        read = call(f"Read{number}")
        history += [answered(read), UserMessage(content=(result(read, TextBlock(text="x")),))]
    for earlier, later in pairwise(fake.requests):
        assert later.raw.startswith(earlier.raw.removesuffix(b"]}"))


@pytest.mark.parametrize("place", ["last", "in_choice"])
async def test_counts_are_found_where_servers_put_them(
    fake: FakeChat, model: OpenAIModel, place: Any
) -> None:
    fake.play([ChatReply(text="x", usage_place=place)])
    completed = of_type(await collect(model, model_request()), ReplyCompleted)[0]
    assert completed.usage == Usage(input_tokens=100, output_tokens=20)


async def test_where_a_server_counts_nothing_it_is_estimated(
    fake: FakeChat, model: OpenAIModel
) -> None:
    fake.play([ChatReply(text="x" * 400, usage_place="none")])
    completed = of_type(await collect(model, model_request()), ReplyCompleted)[0]
    assert completed.usage.output_tokens == 100
    assert completed.usage.input_tokens == len(fake.requests[0].raw) // 4


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (ChatReply(text="cut", finish_reason="length"), "max_tokens"),
        (ChatReply(text="no", finish_reason="content_filter"), "refusal"),
        (ChatReply(refusal="I will not."), "refusal"),
        (ChatReply(text="odd", finish_reason="eos"), "end_turn"),
        (ChatReply(text="no mark", end_mark=False), "end_turn"),
    ],
)
async def test_why_the_model_stopped(
    fake: FakeChat, model: OpenAIModel, reply: ChatReply, reason: str
) -> None:
    fake.play([reply])
    events = await collect(model, model_request())
    assert of_type(events, ReplyCompleted)[0].stop_reason == reason
    assert len(blocks(events)) == 1


@pytest.mark.parametrize(
    ("turn", "kind", "told"),
    [
        (error(401, "Incorrect API key", "invalid_api_key"), "authentication", "OPENAI_API_KEY"),
        (error(404, "The model `x` does not exist", "model_not_found"), "not_found", "some-model"),
        (ChatError(status=404, body={"detail": "Not Found"}), "not_found", "OPENAI_BASE_URL"),
        (
            error(400, "This model's maximum context length is 8192 tokens.", None),
            "prompt_too_long",
            "Start a new session",
        ),
        (
            error(400, "Too many.", "context_length_exceeded"),
            "prompt_too_long",
            "Start a new session",
        ),
        (
            error(429, "You exceeded your current quota", "insufficient_quota"),
            "permission",
            "credit",
        ),
        (error(429, "Slow down", None, **{"retry-after": "7"}), "rate_limit", "Slow down"),
        (error(503, "Loading model"), "overloaded", "Loading model"),
        (ChatError(status=500, body="<html>Oops</html>"), "server", "HTML page"),
        (
            ChatError(status=422, body={"detail": "max_tokens: too large"}),
            "invalid_request",
            "too large",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_refusals_say_what_happened_and_what_to_do(
    fake: FakeChat, model: OpenAIModel, turn: ChatError, kind: ModelErrorKind, told: str
) -> None:
    failure = await refused(fake, model, turn)
    assert failure.kind == kind
    assert told in str(failure)
    assert "ANTHROPIC" not in str(failure)
    if kind == "rate_limit":
        assert failure.retry_after_s == 7


async def test_an_error_inside_the_stream_is_one(fake: FakeChat, model: OpenAIModel) -> None:
    body = {"error": {"message": "The engine died", "type": "server_error", "code": 502}}
    failure = await refused(fake, model, ChatReply(text="Half an answer", error_after=(3, body)))
    assert (failure.kind, failure.status) == ("server", 502)
    assert "The engine died" in str(failure)


async def test_a_stream_that_breaks_off_is_no_reply(fake: FakeChat, model: OpenAIModel) -> None:
    failure = await refused(fake, model, ChatReply(text="Half an answer", cut_after=2))
    assert failure.kind == "stream_broken"


async def test_silence_ends_the_call(fake: FakeChat) -> None:
    quiet = OpenAIModel(settings(fake.url, idle_timeout_s=0.2))
    failure = await refused(fake, quiet, ChatReply(text="Half an answer", stall_after=2))
    assert failure.kind == "timeout"
    await quiet.close()


async def test_comments_are_no_part_of_the_reply(fake: FakeChat, model: OpenAIModel) -> None:
    fake.play([ChatReply(text="One\u2028line\u0085and more", comments=True)])
    assert blocks(await collect(model, model_request())) == [
        TextBlock(text="One\u2028line\u0085and more")
    ]


async def test_an_address_that_is_none_is_said_before_anything_is_sent() -> None:
    model = OpenAIModel(settings("localhost:11434"))
    with pytest.raises(ModelError) as raised:
        await collect(model, model_request())
    assert raised.value.kind == "not_configured"
    assert "OPENAI_BASE_URL" in str(raised.value)


async def test_a_wrong_key_never_shows(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with FakeChat(key="another") as fake:
        model = OpenAIModel(settings(fake.url))
        with pytest.raises(ModelError) as raised:
            await collect(model, model_request())
        await model.close()
    assert raised.value.kind == "authentication"
    assert KEY not in caplog.text + str(raised.value) + repr(settings(fake.url))


async def test_a_stop_lets_go_of_the_connection(fake: FakeChat, model: OpenAIModel) -> None:
    fake.play([ChatReply(text="Half an answer", stall_after=3), "Next"])

    async def read() -> None:
        await collect(model, model_request())

    task = asyncio.get_running_loop().create_task(read())
    await asyncio.wait_for(fake.stalled.wait(), WAIT_S)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert blocks(await collect(model, model_request())) == [TextBlock(text="Next")]
