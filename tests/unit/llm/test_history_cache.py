"""Bodies of requests are put together from what is kept; they must be what plain encoding gives."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pilotfish.core.messages import Message, TextBlock, UserMessage
from pilotfish.llm.model import ToolSchema
from pilotfish.llm.providers.history_cache import MAX_HISTORIES, HistoryCache, Wire

TEXTS = st.text(max_size=5)
CHANGES = st.one_of(
    st.tuples(st.just("say"), TEXTS),
    st.tuples(st.just("replace last"), TEXTS),
    st.tuples(st.just("go back"), TEXTS),
)


def said(text: str) -> UserMessage:
    return UserMessage(content=(TextBlock(text=text),))


def rows_of(message: Message) -> list[Wire]:
    """One row, or two: some APIs want several for a message."""
    text = "".join(block.text for block in message.content if isinstance(block, TextBlock))
    return [{"said": text}] * (1 + len(text) % 2)


def new_cache() -> HistoryCache:
    return HistoryCache(rows_of, lambda tool: {"name": tool.name})


def plain(head: Wire, first: list[Wire], rows: list[Wire]) -> Any:
    return {**head, "messages": [*first, *rows]}


@given(st.lists(CHANGES, max_size=12), st.integers(0, 3), st.booleans(), st.data())
def test_a_body_holds_exactly_the_conversation_as_it_is_now(
    changes: list[tuple[str, str]], marked: int, with_first: bool, data: st.DataObject
) -> None:
    cache = new_cache()
    messages: list[Message] = [said("first")]
    for change, text in changes:
        match change:
            case "say":
                messages.append(said(text))
            case "replace last":
                messages[-1] = said(text)
            case _:
                del messages[data.draw(st.integers(1, len(messages))) :]
        rows = cache.to_wire(messages)
        for at in range(max(0, len(rows) - marked), len(rows)):
            rows[at] = {**rows[at], "marked": True}
        head: Wire = {"model": data.draw(st.sampled_from(["one", "two"]))}
        first: list[Wire] = [{"system": "s"}] if with_first else []
        body = cache.body(head, rows, messages, first)
        assert json.loads(body) == plain(head, first, rows)


def test_without_messages_a_body_is_valid() -> None:
    cache = new_cache()
    assert json.loads(cache.body({"model": "m"}, [], [])) == {"model": "m", "messages": []}
    alone = cache.body({"model": "m"}, [], [], [{"system": "s"}])
    assert json.loads(alone)["messages"] == [{"system": "s"}]


def test_agents_with_tools_of_their_own_do_not_make_each_other_convert_them_anew() -> None:
    converted: list[str] = []

    def tool(schema: ToolSchema) -> Wire:
        converted.append(schema.name)
        return {"name": schema.name}

    cache = HistoryCache(rows_of, tool)
    kinds = [(ToolSchema(name=f"t{n}", description="", input_schema={}),) for n in range(3)]
    for _ in range(4):
        for tools in kinds:
            assert cache.tools(tools) == [{"name": tools[0].name}]
    assert converted == ["t0", "t1", "t2"]


def test_tools_are_kept_for_a_limited_number_of_agents() -> None:
    cache = new_cache()
    many = [
        (ToolSchema(name=f"t{n}", description="", input_schema={}),)
        for n in range(3 * MAX_HISTORIES)
    ]
    for tools in many:
        cache.tools(tools)
    assert len(cache._tools) == MAX_HISTORIES
