"""The Messages API's event stream as our events."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.core.ids import ToolUseId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import (
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from pilotfish.core.reasons import ModelStopReason
from pilotfish.llm.events import DeltaReceived, ModelEvent, ReplyCompleted, ReplyStarted
from pilotfish.llm.providers.anthropic_stream import ReplyAssembler

from tests.support.model_requests import blocks, of_type

Raw = dict[str, Any]

START: Raw = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "model": "claude-x",
        "usage": {
            "input_tokens": 10,
            "output_tokens": 1,
            "cache_read_input_tokens": 3,
            "cache_creation_input_tokens": 4,
        },
    },
}
STOP: Raw = {"type": "message_stop"}


def begin(index: int, **block: object) -> Raw:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, **fields: object) -> Raw:
    return {"type": "content_block_delta", "index": index, "delta": fields}


def end(index: int) -> Raw:
    return {"type": "content_block_stop", "index": index}


def final(reason: str, **usage: int) -> Raw:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


def feed(*raw: Raw) -> list[ModelEvent]:
    assembler = ReplyAssembler("claude-x")
    return [event for item in raw for event in assembler.feed(item)]


def test_text_starts_empty_even_when_the_start_repeats_it() -> None:
    events = feed(
        START,
        begin(0, type="text", text="Hel"),
        delta(0, type="text_delta", text="Hel"),
        delta(0, type="text_delta", text="lo"),
        end(0),
        STOP,
    )
    assert blocks(events) == [TextBlock(text="Hello")]
    assert [d.text for d in of_type(events, DeltaReceived)] == ["Hel", "lo"]


def test_thinking_keeps_its_signature_and_the_last_one_wins() -> None:
    events = feed(
        START,
        begin(0, type="thinking", thinking="", signature=""),
        delta(0, type="thinking_delta", thinking="hm"),
        delta(0, type="signature_delta", signature="old"),
        delta(0, type="signature_delta", signature="new"),
        end(0),
    )
    assert blocks(events) == [ThinkingBlock(text="hm", signature="new")]


def test_redacted_thinking_passes_unchanged() -> None:
    events = feed(START, begin(0, type="redacted_thinking", data="=="), end(0))
    assert blocks(events) == [RedactedThinkingBlock(data="==")]


@given(
    st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text()),
    st.integers(min_value=1, max_value=9),
)
def test_tool_input_is_the_same_in_however_many_pieces_it_comes(
    value: JsonObject, size: int
) -> None:
    text = json.dumps(value)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    events = feed(
        START,
        begin(0, type="tool_use", id="toolu_1", name="Read", input={}),
        *(delta(0, type="input_json_delta", partial_json=piece) for piece in pieces),
        end(0),
    )
    assert blocks(events) == [ToolUseBlock(id=ToolUseId("toolu_1"), name="Read", input=value)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"file_path": "/a', "not valid JSON"),
        ("[1, 2]", "must be a JSON object"),
        ('"x"', "must be a JSON object"),
        ("null", "must be a JSON object"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_input_that_is_no_object_is_an_error_of_the_call(text: str, problem: str) -> None:
    (block,) = blocks(
        feed(
            START,
            begin(0, type="tool_use", id="t", name="Read", input={}),
            delta(0, type="input_json_delta", partial_json=text),
            end(0),
        )
    )
    assert isinstance(block, ToolUseBlock)
    assert block.input == {}
    assert block.input_error is not None
    assert problem in block.input_error
    assert len(block.input_error) < 400


def test_a_call_without_arguments_has_an_empty_input() -> None:
    events = feed(START, begin(0, type="tool_use", id="t", name="X", input={}), end(0))
    assert blocks(events) == [ToolUseBlock(id=ToolUseId("t"), name="X", input={})]


def test_input_that_comes_whole_with_the_start_is_taken() -> None:
    events = feed(START, begin(0, type="tool_use", id="t", name="X", input={"a": 1}), end(0))
    assert blocks(events) == [ToolUseBlock(id=ToolUseId("t"), name="X", input={"a": 1})]


def test_final_counts_replace_and_zeros_change_nothing() -> None:
    events = feed(
        START,
        final("end_turn", output_tokens=5),
        final("end_turn", output_tokens=7, input_tokens=0, cache_read_input_tokens=0),
        STOP,
    )
    started, done = events
    assert isinstance(started, ReplyStarted)
    assert started.message_id == "msg_1"
    assert isinstance(done, ReplyCompleted)
    assert done.usage == Usage(
        input_tokens=10, output_tokens=7, cache_read_tokens=3, cache_write_tokens=4
    )


@pytest.mark.parametrize("reason", get_args(ModelStopReason))
def test_every_stop_reason_arrives(reason: str) -> None:
    (done,) = of_type(feed(START, final(reason), STOP), ReplyCompleted)
    assert done.stop_reason == reason


def test_a_stop_reason_without_a_name_of_ours_is_none() -> None:
    (done,) = of_type(feed(START, final("tired"), STOP), ReplyCompleted)
    assert done.stop_reason is None


def test_server_tools_pings_and_news_from_the_future_are_ignored() -> None:
    events = feed(
        {"type": "ping"},
        START,
        START,
        begin(0, type="server_tool_use", id="s", name="web_search", input={}),
        delta(0, type="input_json_delta", partial_json='{"q": 1}'),
        end(0),
        begin(1, type="web_search_tool_result", content=[]),
        end(1),
        begin(2, type="text", text=""),
        delta(2, type="citations_delta", citation={}),
        delta(2, type="text_delta", text="x"),
        delta(9, type="text_delta", text="lost"),
        end(2),
        end(9),
        {"type": "brand_new", "index": "x"},
        {},
        STOP,
        STOP,
    )
    assert blocks(events) == [TextBlock(text="x")]
    assert len(of_type(events, ReplyStarted)) == 1
    assert len(of_type(events, ReplyCompleted)) == 1


def test_empty_text_is_no_block() -> None:
    assert blocks(feed(START, begin(0, type="text", text=""), end(0), STOP)) == []


def test_a_block_that_is_never_closed_ends_with_the_reply() -> None:
    events = feed(
        START, begin(0, type="text", text=""), delta(0, type="text_delta", text="x"), STOP
    )
    assert blocks(events) == [TextBlock(text="x")]
    assert isinstance(events[-1], ReplyCompleted)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "type": st.sampled_from(
                    [
                        "message_start",
                        "content_block_start",
                        "content_block_delta",
                        "content_block_stop",
                        "message_delta",
                        "message_stop",
                    ]
                )
            },
            optional={
                "index": JUNK,
                "message": JUNK,
                "content_block": JUNK,
                "delta": JUNK,
                "usage": JUNK,
            },
        )
    )
)
def test_no_sequence_of_events_makes_it_fail(raw: list[Raw]) -> None:
    events = feed(*raw)
    assert len(of_type(events, ReplyCompleted)) == (1 if STOP["type"] in _types(raw) else 0)


def _types(raw: list[Raw]) -> set[str]:
    return {str(item["type"]) for item in raw}
