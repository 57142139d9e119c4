"""Any valid conversation passes, and one change that breaks a rule is refused."""

import copy
from collections.abc import Callable
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject, DrawFn

from tests.unit.fake_model.conversations import (
    MARK,
    assistant,
    call,
    image,
    problem_of,
    request,
    result,
    text,
    thinking,
    tool,
    user,
)
from tools.fake_model.jsontypes import JsonObject, objects
from tools.fake_model.scenario import Rules

BOUNDS = settings(max_examples=30, deadline=None, database=None)

words = st.text(min_size=1, max_size=8).filter(lambda value: bool(value.strip()))
texts = words.map(text)
tool_names = ("Read", "Edit", "Bash")


@st.composite
def rounds(draw: DrawFn, number: int) -> list[JsonObject]:
    """An assistant message with calls and the user message that answers them."""
    said = draw(st.lists(texts, max_size=2))
    thought = [thinking(draw(words))] if draw(st.booleans()) else []
    ids = [f"t{number}_{index}" for index in range(draw(st.integers(1, 3)))]
    calls = [call(call_id, draw(st.sampled_from(tool_names))) for call_id in ids]
    results = [result(call_id, draw(st.text(max_size=5))) for call_id in ids]
    beside = draw(st.lists(texts, max_size=1))
    return [assistant(*thought, *said, *calls), user(*draw(st.permutations(results)), *beside)]


@st.composite
def conversations(draw: DrawFn) -> JsonObject:
    """A request with at least one plain exchange, one tool round, thinking, an image and marks."""
    messages = [
        user(draw(words)),
        assistant(thinking(draw(words)), text(draw(words).strip())),
        user(*draw(st.lists(texts, max_size=2)), image()),
    ]
    for number in range(draw(st.integers(1, 3))):
        messages += draw(rounds(number))
    if draw(st.booleans()):
        messages += [assistant(draw(words).strip()), user(draw(words))]
    return request(
        *messages,
        system=[draw(texts), text(draw(words), cache_control=MARK)],
        tools=[*(tool(name) for name in tool_names), tool("Last", cache_control=MARK)],
        thinking={"type": "enabled", "budget_tokens": draw(st.integers(1024, 3999))},
    )


Break = Callable[[JsonObject, DataObject], None]


def blocks_of(body: JsonObject, block_type: str) -> list[tuple[list[JsonObject], int]]:
    """Where blocks of a type are: the list they are in and their place in it."""
    contents = [message["content"] for message in objects(body["messages"])]
    lists = [list_of(content) for content in contents if isinstance(content, list)]
    return [
        (blocks, place)
        for blocks in lists
        for place, block in enumerate(blocks)
        if block["type"] == block_type
    ]


def list_of(value: object) -> list[JsonObject]:
    """``value`` itself, which is known to be a list of objects."""
    assert isinstance(value, list)
    return cast("list[JsonObject]", value)


def pick(body: JsonObject, data: DataObject, block_type: str) -> tuple[list[JsonObject], int]:
    return data.draw(st.sampled_from(blocks_of(body, block_type)))


def messages_of(body: JsonObject) -> list[JsonObject]:
    return list_of(body["messages"])


def answer_left_out(body: JsonObject, data: DataObject) -> None:
    blocks, place = pick(body, data, "tool_result")
    blocks[place] = text()


def answer_to_nothing(body: JsonObject, data: DataObject) -> None:
    blocks, place = pick(body, data, "tool_result")
    blocks.insert(place, result("nobody"))


def answer_given_twice(body: JsonObject, data: DataObject) -> None:
    blocks, place = pick(body, data, "tool_result")
    blocks.insert(place, blocks[place])


def answers_one_message_late(body: JsonObject, data: DataObject) -> None:
    blocks, _place = pick(body, data, "tool_result")
    messages = messages_of(body)
    place = next(i for i, message in enumerate(messages) if message["content"] is blocks)
    messages[place:place] = [user("wait"), assistant("so")]


def text_before_the_answer(body: JsonObject, data: DataObject) -> None:
    blocks, _place = pick(body, data, "tool_result")
    blocks.insert(0, text())


def call_left_unanswered_at_the_end(body: JsonObject, _data: DataObject) -> None:
    messages_of(body).append(assistant(call("open")))


def call_id_used_twice(body: JsonObject, data: DataObject) -> None:
    blocks, place = pick(body, data, "tool_use")
    blocks.append(blocks[place])


def call_of_an_unknown_tool(body: JsonObject, data: DataObject) -> None:
    blocks, place = pick(body, data, "tool_use")
    blocks[place]["name"] = "Unknown"


def empty_text(body: JsonObject, data: DataObject) -> None:
    blocks, place = pick(body, data, "text")
    blocks[place]["text"] = ""


def blank_final_answer(body: JsonObject, data: DataObject) -> None:
    blank = data.draw(st.sampled_from([" ", "\n", "\t \n"]))
    messages_of(body).append(assistant(text(blank)))


def empty_content(body: JsonObject, data: DataObject) -> None:
    data.draw(st.sampled_from(messages_of(body)))["content"] = []


def first_message_from_the_assistant(body: JsonObject, _data: DataObject) -> None:
    del messages_of(body)[0]


def two_messages_of_one_role(body: JsonObject, data: DataObject) -> None:
    messages = messages_of(body)
    place = data.draw(st.integers(0, len(messages) - 1))
    messages.insert(place, {"role": messages[place]["role"], "content": "again"})


def mark_on_thinking(body: JsonObject, data: DataObject) -> None:
    blocks, place = pick(body, data, "thinking")
    blocks[place]["cache_control"] = MARK


def five_marks(body: JsonObject, data: DataObject) -> None:
    places = blocks_of(body, "text") + blocks_of(body, "tool_result") + blocks_of(body, "image")
    chosen = data.draw(st.permutations(range(len(places))))[:3]
    for index in chosen:
        blocks, place = places[index]
        blocks[place]["cache_control"] = MARK


def image_of_another_type(body: JsonObject, data: DataObject) -> None:
    blocks, place = pick(body, data, "image")
    blocks[place] = image(media_type="image/svg+xml")


def thinking_budget_too_large(body: JsonObject, data: DataObject) -> None:
    body["thinking"] = {"type": "enabled", "budget_tokens": data.draw(st.integers(4000, 9000))}


def no_max_tokens(body: JsonObject, _data: DataObject) -> None:
    del body["max_tokens"]


def max_tokens_not_positive(body: JsonObject, data: DataObject) -> None:
    body["max_tokens"] = data.draw(st.integers(max_value=0))


def no_model(body: JsonObject, _data: DataObject) -> None:
    del body["model"]


def tool_twice(body: JsonObject, data: DataObject) -> None:
    tools = list_of(body["tools"])
    tools.append(data.draw(st.sampled_from(tools)))


def tool_with_a_bad_name(body: JsonObject, data: DataObject) -> None:
    list_of(body["tools"]).append(tool(data.draw(st.sampled_from(["", "a b", "ü", "a.b"]))))


def tool_whose_schema_is_no_object(body: JsonObject, data: DataObject) -> None:
    kind = data.draw(st.sampled_from(["array", "string", None]))
    list_of(body["tools"]).append(tool("New", input_schema={"type": kind}))


def system_block_that_is_no_text(body: JsonObject, _data: DataObject) -> None:
    list_of(body["system"]).append(image())


@given(conversations())
@BOUNDS
def test_any_valid_conversation_passes(body: JsonObject) -> None:
    assert problem_of(body) is None


@pytest.mark.parametrize(
    "change",
    [
        answer_left_out,
        answer_to_nothing,
        answer_given_twice,
        answers_one_message_late,
        text_before_the_answer,
        call_left_unanswered_at_the_end,
        call_id_used_twice,
        call_of_an_unknown_tool,
        empty_text,
        blank_final_answer,
        empty_content,
        first_message_from_the_assistant,
        two_messages_of_one_role,
        mark_on_thinking,
        five_marks,
        image_of_another_type,
        thinking_budget_too_large,
        no_max_tokens,
        max_tokens_not_positive,
        no_model,
        tool_twice,
        tool_with_a_bad_name,
        tool_whose_schema_is_no_object,
        system_block_that_is_no_text,
    ],
)
@given(conversations(), st.data())
@BOUNDS
def test_one_breaking_change_is_refused(change: Break, valid: JsonObject, data: DataObject) -> None:
    body = copy.deepcopy(valid)
    change(body, data)
    assert problem_of(body, Rules(prefill=True)) is not None
