"""Requests in the Messages API's shape."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
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
    UserMessage,
)
from pilotfish.llm.catalog import facts_of
from pilotfish.llm.model import ModelRequest
from pilotfish.llm.providers.anthropic_convert import build_params, messages_history
from pilotfish.llm.providers.history_cache import MAX_HISTORIES

from tests.support.model_requests import READ_TOOL, model_request, user

CALL = ToolUseBlock(id=ToolUseId("toolu_1"), name="Read", input={"file_path": "/a"})
REPLY = AssistantMessage(
    id=MessageId("msg_1"),
    content=(
        ThinkingBlock(text="hm", signature="sig"),
        RedactedThinkingBlock(data="=="),
        TextBlock(text="I look."),
        CALL,
    ),
)
RESULT = UserMessage(
    content=(
        ToolResultBlock(tool_use_id=CALL.id, content=(TextBlock(text="1\tx"),)),
        TextBlock(text="reminder"),
    )
)


def params(request: ModelRequest) -> dict[str, Any]:
    return build_params(request, facts_of(request.model))


def strip_marks(value: Any) -> Any:
    if isinstance(value, dict):
        section = cast("dict[str, Any]", value)
        return {k: strip_marks(v) for k, v in section.items() if k != "cache_control"}
    if isinstance(value, list):
        return [strip_marks(item) for item in cast("list[Any]", value)]
    return value


def marked(value: dict[str, Any]) -> int:
    return json.dumps(value).count('"cache_control"')


def test_the_shape_of_a_tool_turn() -> None:
    wire = params(model_request(user("Hello"), REPLY, RESULT))
    assert wire["model"] == "claude-haiku-4-5"
    assert wire["max_tokens"] == 4_000
    assert strip_marks(wire["messages"]) == [
        {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "sig"},
                {"type": "redacted_thinking", "data": "=="},
                {"type": "text", "text": "I look."},
                {
                    "type": "tool_use",
                    "id": "toolu_1",
                    "name": "Read",
                    "input": {"file_path": "/a"},
                },
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_1",
                    "content": [{"type": "text", "text": "1\tx"}],
                },
                {"type": "text", "text": "reminder"},
            ],
        },
    ]


def test_four_breakpoints_and_where_they_are() -> None:
    wire = params(model_request(user("Hello"), REPLY, RESULT))
    assert marked(wire) == 4
    assert "cache_control" in wire["tools"][-1]
    assert "cache_control" in wire["system"][-1]
    assert "cache_control" not in wire["system"][0]
    assert "cache_control" in wire["messages"][0]["content"][-1]
    assert "cache_control" in wire["messages"][-1]["content"][-1]


@pytest.mark.parametrize(
    "thought", [ThinkingBlock(text="y", signature="s"), RedactedThinkingBlock(data="==")]
)
@pytest.mark.parametrize("before", [(TextBlock(text="x"),), (CALL,), ()])
def test_no_message_ends_with_thinking(
    before: tuple[TextBlock | ToolUseBlock, ...], thought: ThinkingBlock | RedactedThinkingBlock
) -> None:
    reply = AssistantMessage(id=MessageId("m"), content=(*before, thought, TextBlock(text=" ")))
    wire = params(model_request(user("a"), reply))
    kinds = [block["type"] for block in wire["messages"][-1]["content"]]
    assert kinds == [block.type for block in before or (TextBlock(text="x"),)]
    assert "cache_control" in wire["messages"][-1]["content"][-1]


def test_thinking_that_was_not_shown_goes_back_with_its_signature() -> None:
    silent = ThinkingBlock(text="", signature="sealed")
    reply = AssistantMessage(id=MessageId("m"), content=(silent, *REPLY.content))
    wire = params(model_request(user("a"), reply, RESULT))
    expected = {"type": "thinking", "thinking": "", "signature": "sealed"}
    assert wire["messages"][1]["content"][0] == expected


def test_nothing_is_marked_where_there_is_nothing_to_mark() -> None:
    request = ModelRequest(model="m", system=(), tools=(), messages=(user("a"),), max_tokens=1)
    wire = params(request)
    assert marked(wire) == 1
    assert "system" not in wire
    assert "tools" not in wire


def test_consecutive_requests_share_their_prefix_byte_for_byte() -> None:
    history: list[Message] = [user("Hello")]
    earlier = params(model_request(*history))
    for _ in range(5):
        history += [REPLY, RESULT]
        later = params(model_request(*history))
        for part in ("tools", "system"):
            assert json.dumps(earlier[part]) == json.dumps(later[part])
        before = json.dumps(strip_marks(earlier["messages"]))
        after = json.dumps(strip_marks(later["messages"]))
        assert after.startswith(before[:-1])
        # What the earlier request cached up to, the later one marks again and so finds.
        assert later["messages"][len(earlier["messages"]) - 1] == earlier["messages"][-1]
        earlier = later


def test_a_cache_changes_nothing_but_the_work() -> None:
    cache = messages_history()
    history: list[Message] = [user("Hello")]
    for _ in range(4):
        history += [REPLY, RESULT]
        request = model_request(*history)
        facts = facts_of(request.model)
        assert json.dumps(build_params(request, facts, cache)) == json.dumps(params(request))
        assert len(cache.of(facts)) == 1


def test_a_cache_notices_a_history_that_took_another_way() -> None:
    cache = messages_history()
    first = user("Hello")
    for history in ((first, REPLY, RESULT), (first, REPLY, user("b")), (first,), (user("c"),)):
        request = model_request(*history)
        cached = build_params(request, facts_of(request.model), cache)
        assert json.dumps(cached) == json.dumps(params(request))


def test_a_cache_does_not_grow_without_end() -> None:
    cache = messages_history().of(facts_of(model_request().model))
    for number in range(MAX_HISTORIES * 2):
        cache.to_wire((user(str(number)),))
    assert len(cache) == MAX_HISTORIES


def test_the_history_is_not_changed() -> None:
    request = model_request(user("Hello"), REPLY, RESULT)
    first = json.dumps(params(request))
    assert json.dumps(params(request)) == first
    assert "cache_control" not in READ_TOOL.input_schema


def test_results_come_before_other_blocks() -> None:
    mixed = UserMessage(content=(TextBlock(text="note"), *RESULT.content[:1]))
    wire = params(model_request(user("a"), REPLY, mixed))
    assert [b["type"] for b in wire["messages"][-1]["content"]] == ["tool_result", "text"]


def test_errors_and_images_in_results_are_told() -> None:
    image = ImageBlock(media_type="image/png", data="AAAA")
    result = ToolResultBlock(tool_use_id=CALL.id, content=(image,), is_error=True)
    wire = params(model_request(user("a"), REPLY, UserMessage(content=(result,))))
    block = wire["messages"][-1]["content"][0]
    assert block["is_error"] is True
    assert block["content"][0]["source"] == {
        "type": "base64",
        "media_type": "image/png",
        "data": "AAAA",
    }


def test_blank_texts_and_unsigned_thinking_are_left_out() -> None:
    reply = AssistantMessage(
        id=MessageId("m"),
        content=(ThinkingBlock(text="local", signature=""), TextBlock(text=" \n"), CALL),
    )
    empty = UserMessage(content=(ToolResultBlock(tool_use_id=CALL.id, content=()),))
    wire = params(model_request(user("a"), reply, empty))
    assert [b["type"] for b in wire["messages"][1]["content"]] == ["tool_use"]
    assert wire["messages"][2]["content"][0]["content"] == [{"type": "text", "text": "(no output)"}]


def test_a_message_of_which_nothing_can_be_sent_keeps_its_place() -> None:
    reply = AssistantMessage(
        id=MessageId("m"), content=(ThinkingBlock(text="local", signature=""),)
    )
    wire = params(model_request(user("a"), reply, user("b")))
    assert [message["role"] for message in wire["messages"]] == ["user", "assistant", "user"]
    assert wire["messages"][1]["content"] == [{"type": "text", "text": "(no text)"}]


@given(st.text(st.characters(min_codepoint=0xD700, max_codepoint=0xE010), min_size=1))
def test_lone_surrogates_never_break_a_request(text: str) -> None:
    call = ToolUseBlock(id=ToolUseId("t"), name="Read", input={text: [text, {"x": text}]})
    reply = AssistantMessage(id=MessageId("m"), content=(call,))
    result = ToolResultBlock(tool_use_id=call.id, content=(TextBlock(text=text),))
    wire = params(model_request(user(text), reply, UserMessage(content=(result,))))
    json.dumps(wire, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize(
    ("model", "budget", "expected"),
    [
        ("claude-haiku-4-5", 0, None),
        ("claude-haiku-4-5", 2_000, {"type": "enabled", "budget_tokens": 2_000}),
        ("claude-haiku-4-5", 9_000, {"type": "enabled", "budget_tokens": 3_999}),
        ("claude-haiku-4-5", 500, None),
        ("claude-opus-5-5", 0, {"type": "adaptive", "display": "summarized"}),
        ("claude-opus-5-5", 2_000, {"type": "adaptive", "display": "summarized"}),
        ("claude-sonnet-5-5", 0, {"type": "between_tools"}),
        ("claude-sonnet-5", 0, {"type": "disabled"}),
        ("claude-sonnet-4-6", 0, None),
        ("some-local-model", 0, None),
    ],
)
def test_each_model_is_asked_to_think_in_the_way_it_knows(
    model: str, budget: int, expected: dict[str, Any] | None
) -> None:
    assert params(model_request(model=model, thinking=budget)).get("thinking") == expected
