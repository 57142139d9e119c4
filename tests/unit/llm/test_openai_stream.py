"""Streams of chat completions servers that differ from the vendor's."""

from typing import Any

import pytest
from pilotfish.core.messages import TextBlock, ToolUseBlock, Usage
from pilotfish.llm.events import BlockCompleted, ReplyCompleted
from pilotfish.llm.providers.openai_stream import ChatAssembler

READ = '{"file_path": "/a}"}'


def chunk(delta: dict[str, Any], **choice: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta} | choice]}


def piece(name: str, arguments: str, **place: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return chunk({"tool_calls": [{"function": function} | place]})


def reply(*chunks: dict[str, Any]) -> tuple[list[Any], Usage]:
    assembler = ChatAssembler("m", 0)
    events = [event for one in chunks for event in assembler.feed(one)] + assembler.finish()
    blocks = [event.block for event in events if isinstance(event, BlockCompleted)]
    (end,) = [event for event in events if isinstance(event, ReplyCompleted)]
    return blocks, end.usage


@pytest.mark.parametrize("place", [{}, {"index": 0}, {"index": 0, "id": ""}], ids=str)
def test_calls_without_ids_are_told_apart_by_name_and_whole_arguments(place: Any) -> None:
    blocks, _ = reply(
        piece("Read", READ, **place), piece("Read", READ, **place), piece("Grep", "{}", **place)
    )
    assert [(one.name, one.input) for one in blocks] == [
        ("Read", {"file_path": "/a}"}),
        ("Read", {"file_path": "/a}"}),
        ("Grep", {}),
    ]
    assert len({one.id for one in blocks}) == 3


def test_a_name_that_comes_with_each_piece_is_that_of_one_call() -> None:
    blocks, _ = reply(*[piece("Read", letter) for letter in READ])
    (block,) = blocks
    assert isinstance(block, ToolUseBlock)
    assert block.input == {"file_path": "/a}"}


def test_of_several_answers_the_first_is_taken() -> None:
    blocks, _ = reply(
        chunk({"content": "A"}), chunk({"content": "B"}, index=1), chunk({"content": "C"})
    )
    assert blocks == [TextBlock(text="AC")]


@pytest.mark.parametrize(
    ("count", "expected"),
    [(7, 7), (7.0, 7), (10**30, 0), (-7, 0), (float("nan"), 0), (float("inf"), 0), (True, 0)],
)
def test_what_is_no_count_is_none(count: float, expected: int) -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": count}
    _, counted = reply(chunk({"content": "A"}) | {"usage": usage})
    assert counted == Usage(input_tokens=5, output_tokens=expected)
