"""A line of a transcript holds all of an event, whatever kind it is of."""

import dataclasses
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pilotfish.core.events import BlockFinished, EventRecord, KeptEvent
from pilotfish.core.ids import MAIN_AGENT, AgentId, MessageId, ToolUseId, TurnId
from pilotfish.core.jsontypes import JsonValue
from pilotfish.core.messages import ToolUseBlock
from pilotfish.session import codec

TEXTS = st.text(max_size=5)

JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)


PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXTS,
    float: st.floats(allow_nan=False, allow_infinity=False),
    JsonValue: JSON_VALUES,
}


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Return the values that a field of that type may have."""
    origin, parts = get_origin(hint), get_args(hint)
    if dataclasses.is_dataclass(hint):
        return objects_of(hint)
    if origin in (Union, UnionType):
        return st.one_of(*map(values_of, parts))
    if origin is tuple and parts[1:] == (...,):
        return st.lists(values_of(parts[0]), max_size=2).map(tuple)
    if origin is dict:
        return st.dictionaries(*map(values_of, parts), max_size=2)
    return PLAIN[hint] if hint in PLAIN else st.from_type(hint)


def objects_of(cls: Any) -> st.SearchStrategy[Any]:
    """Return objects of a data class; a field that tells its kind keeps its default."""
    hints = get_type_hints(cls)
    chosen = [each.name for each in dataclasses.fields(cls) if each.name != "type"]
    return st.builds(
        cls, **{name: st.deferred(lambda hint=hints[name]: values_of(hint)) for name in chosen}
    )


@pytest.mark.parametrize("kind", get_args(KeptEvent), ids=lambda kind: kind.__name__)
@given(data=st.data())
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_written_is_what_is_read(kind: Any, data: st.DataObject) -> None:
    record = EventRecord(
        seq=1,
        time_ms=2,
        event=data.draw(objects_of(kind)),
        turn_id=TurnId("t"),
        agent_id=AgentId("a"),
        parent_tool_use_id=ToolUseId("u"),
    )
    assert codec.from_line(codec.to_line(record)) == record


def test_a_number_that_no_request_can_carry_is_read_as_none() -> None:
    block = ToolUseBlock(id=ToolUseId("c"), name="Read", input={"offset": 1.5, "a": "1.5"})
    event = BlockFinished(message_id=MessageId("m"), block_index=0, block=block)
    line = codec.to_line(EventRecord(seq=1, time_ms=1, event=event, agent_id=MAIN_AGENT))
    for word in (b"Infinity", b"-Infinity", b"NaN"):
        record = codec.from_line(line.replace(b":1.5,", b":" + word + b","))
        assert record is not None
        assert isinstance(record.event, BlockFinished)
        assert isinstance(record.event.block, ToolUseBlock)
        assert record.event.block.input == {"offset": None, "a": "1.5"}
