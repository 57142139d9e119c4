"""The real client reads what a scenario says."""

import json

import aiohttp
import pytest
from anthropic.types import Message, RawMessageStreamEvent, ToolParam

from tests.unit.fake_model.conversations import HELLO, KEY, open_client, request
from tools.fake_model import (
    FakeModel,
    Pace,
    Ping,
    RawBlock,
    RawEvent,
    RedactedThinking,
    Refusal,
    Scenario,
    Thinking,
    ToolUse,
    Turn,
    Usage,
)
from tools.fake_model.jsontypes import JsonObject
from tools.fake_model.scenario import ScenarioSource
from tools.fake_model.turns import StopReason

READ: ToolParam = {"name": "Read", "input_schema": {"type": "object"}}


async def events_of(source: ScenarioSource) -> list[RawMessageStreamEvent]:
    async with FakeModel(source) as fake, open_client(fake.url) as client:
        stream = await client.messages.create(
            model="m", max_tokens=9, messages=HELLO, tools=[READ], stream=True
        )
        events = [event async for event in stream]
        assert fake.problems == []
        return events


async def message_of(source: ScenarioSource, *, streamed: bool = True) -> Message:
    """The reply as the client puts it together."""
    async with FakeModel(source) as fake, open_client(fake.url) as client:
        if not streamed:
            return await client.messages.create(model="m", max_tokens=9, messages=HELLO)
        async with client.messages.stream(model="m", max_tokens=9, messages=HELLO) as stream:
            return await stream.get_final_message()


def texts_of(events: list[RawMessageStreamEvent]) -> list[str]:
    return [
        event.delta.text
        for event in events
        if event.type == "content_block_delta" and event.delta.type == "text_delta"
    ]


async def test_a_text_reply_has_the_events_of_the_real_api() -> None:
    events = await events_of(["hello"])
    assert [event.type for event in events] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    start, end = events[0], events[4]
    assert start.type == "message_start"
    assert (start.message.content, start.message.stop_reason, start.message.model) == (
        [],
        None,
        "m",
    )
    assert end.type == "message_delta"
    assert end.delta.stop_reason == "end_turn"


async def test_text_is_cut_into_chunks() -> None:
    pace = Pace(chunk_chars=2)
    assert texts_of(await events_of([Turn("añb€c", pace=pace)])) == ["añ", "b€", "c"]


@pytest.mark.parametrize(
    "pace",
    [
        Pace(coalesce=True, chunk_chars=1),
        Pace(split_bytes=1, chunk_chars=1),
        Pace(split_bytes=7),
        Pace(first_byte_ms=1, between_events_ms=0.1),
        Pace(ping_every=1),
    ],
)
async def test_the_pieces_of_the_stream_do_not_change_its_meaning(pace: Pace) -> None:
    assert "".join(texts_of(await events_of(Scenario(["añb€c😀"], pace=pace)))) == "añb€c😀"


@pytest.mark.parametrize("streamed", [True, False])
async def test_every_kind_of_block_arrives(*, streamed: bool) -> None:
    turn = Turn(
        [
            Thinking("hm", signature="s"),
            RedactedThinking("xyz"),
            "so",
            ToolUse("Read", {"path": "é", "n": [1]}, id="t1"),
            ToolUse("Read"),
        ],
        pace=Pace(chunk_chars=1),
    )
    message = await message_of([turn], streamed=streamed)
    *known, second = [block.to_dict() for block in message.content]
    assert known == [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "text", "text": "so"},
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "é", "n": [1]}},
    ]
    assert str(second["id"]).startswith("toolu_")
    assert second["input"] == {}
    assert message.stop_reason == "tool_use"


async def test_generated_ids_are_unique() -> None:
    source = [Turn([ToolUse("Read"), ToolUse("Read")], repeat=2)]
    async with FakeModel(source) as fake, open_client(fake.url) as client:
        ids: list[str] = []
        for _ in range(2):
            reply = await client.messages.create(model="m", max_tokens=9, messages=HELLO)
            ids += [block.id for block in reply.content if block.type == "tool_use"]
            ids.append(reply.id)
    assert len(set(ids)) == 6


async def test_an_empty_end_of_turn_has_no_block() -> None:
    events = await events_of([Turn()])
    assert [event.type for event in events] == ["message_start", "message_delta", "message_stop"]
    assert (await message_of([Turn()], streamed=False)).content == []


async def test_omitted_thinking_is_only_a_signature() -> None:
    events = await events_of([Turn([Thinking("")])])
    deltas = [event.delta.type for event in events if event.type == "content_block_delta"]
    assert deltas == ["signature_delta"]


@pytest.mark.parametrize("raw", ['{"path": "a', "", "[]"])
async def test_tool_input_may_be_broken(raw: str) -> None:
    events = await events_of([Turn([ToolUse("Read", raw_json=raw)], pace=Pace(chunk_chars=4))])
    fragments = [
        event.delta.partial_json
        for event in events
        if event.type == "content_block_delta" and event.delta.type == "input_json_delta"
    ]
    assert "".join(fragments) == raw


@pytest.mark.parametrize(
    "reason",
    ["max_tokens", "pause_turn", "refusal", "stop_sequence", "model_context_window_exceeded"],
)
@pytest.mark.parametrize("streamed", [True, False])
async def test_a_reply_ends_for_any_reason(reason: StopReason, *, streamed: bool) -> None:
    message = await message_of([Turn("so", stop_reason=reason)], streamed=streamed)
    assert message.stop_reason == reason


async def test_details_go_with_the_reason() -> None:
    refused = await message_of(
        [Turn(stop_reason="refusal", refusal=Refusal(category="cyber", explanation="no"))]
    )
    assert refused.stop_details is not None
    assert (refused.stop_details.category, refused.stop_details.explanation) == ("cyber", "no")
    stopped = await message_of([Turn("a", stop_reason="stop_sequence", stop_sequence="END")])
    assert stopped.stop_sequence == "END"


@pytest.mark.parametrize("streamed", [True, False])
async def test_usage_is_what_the_scenario_says(*, streamed: bool) -> None:
    usage = Usage(input=10, output=20, cache_read=30, cache_write=40)
    counted = (await message_of([Turn("a", usage=usage)], streamed=streamed)).usage
    assert (counted.input_tokens, counted.output_tokens) == (10, 20)
    assert counted.cache_read_input_tokens == 30
    assert counted.cache_creation_input_tokens == 40


async def test_usage_is_estimated_otherwise() -> None:
    counted = (await message_of([Turn("a" * 400)])).usage
    assert counted.output_tokens == 100
    assert counted.input_tokens > 10


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (Usage(input=5, output=7), (5, 0, 7)),
        (Usage(input=5, output=7, in_delta="zero"), (0, 0, 7)),
        (Usage(input=5, output=7, in_delta="output"), (None, None, 7)),
    ],
)
async def test_the_final_usage_may_leave_counters_out(
    usage: Usage, expected: tuple[int | None, ...]
) -> None:
    end = (await events_of([Turn("a", usage=usage)]))[-2]
    assert end.type == "message_delta"
    found = (end.usage.input_tokens, end.usage.cache_read_input_tokens, end.usage.output_tokens)
    assert found == expected


async def test_unknown_blocks_and_events_travel_as_they_are() -> None:
    unknown = RawBlock({"type": "future", "x": 1}, deltas=[{"type": "future_delta", "y": 2}])
    turn = Turn(["a", Ping(), RawEvent("news", {"z": 3}), unknown], repeat=2)
    async with FakeModel([turn]) as fake, aiohttp.ClientSession(headers=KEY) as session:
        async with session.post(f"{fake.url}/v1/messages", json=request(stream=True)) as answer:
            lines = (await answer.text()).splitlines()
        async with session.post(f"{fake.url}/v1/messages", json=request()) as answer:
            whole: JsonObject = await answer.json()
    assert [line.removeprefix("event: ") for line in lines if line.startswith("event: ")] == [
        "message_start",
        *("content_block_start", "content_block_delta", "content_block_stop"),
        *("ping", "news"),
        *("content_block_start", "content_block_delta", "content_block_stop"),
        *("message_delta", "message_stop"),
    ]
    sent = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    assert sent[4:8] == [
        {"type": "ping"},
        {"type": "news", "z": 3},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "future", "x": 1}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "future_delta", "y": 2}},
    ]
    assert whole["content"] == [{"type": "text", "text": "a"}, {"type": "future", "x": 1}]


async def test_headers_of_the_turn_are_sent() -> None:
    turn = Turn("a", headers={"anthropic-ratelimit-tokens-remaining": "7"})
    async with FakeModel([turn]) as fake, open_client(fake.url) as client:
        reply = await client.messages.with_raw_response.create(
            model="m", max_tokens=9, messages=HELLO
        )
    assert reply.headers["anthropic-ratelimit-tokens-remaining"] == "7"
    assert (reply.request_id or "").startswith("req_")


async def test_templates_see_the_request() -> None:
    source = [
        "{{n}} {{model}} {{first_user_text}} {{last_user_text}}|{{last_tool_result}}| {{cwd}}"
    ]
    async with FakeModel(source, variables={"cwd": "/w"}) as fake, open_client(fake.url) as client:
        reply = await client.messages.create(model="m", max_tokens=9, messages=HELLO)
    said = reply.content[0]
    assert said.type == "text"
    assert said.text == "1 m hi hi|| /w"
