"""Whatever a model sends as a call, the conversation stays one that a provider takes back."""

from pathlib import Path

import pytest
from pilotfish.core.ids import ToolUseId
from pilotfish.core.jsontypes import JsonValue
from pilotfish.core.messages import ToolUseBlock
from pilotfish.engine.call_admission import MAX_INPUT_DEPTH, admit, is_shallow


def call(call_id: str = "toolu_1", name: str = "Read", value: JsonValue = 1) -> ToolUseBlock:
    return ToolUseBlock(id=ToolUseId(call_id), name=name, input={"a": value})


def nested(levels: int) -> JsonValue:
    value: JsonValue = 1
    for at in range(levels):
        value = [value] if at % 2 else {"x": value}
    return value


def nobody(_: ToolUseId) -> bool:
    return False


def test_an_ordinary_call_is_kept_as_it_is() -> None:
    block = call("toolu_01AbC-x", "mcp__server__tool", nested(3))
    assert admit(block, nobody) is not block
    assert admit(block, nobody) == block


@pytest.mark.parametrize("call_id", ["../../x", "", "a/b", "a\0b", "x" * 41, "a b", "ä", "\ud800"])
def test_an_id_that_is_no_plain_word_is_replaced(call_id: str) -> None:
    admitted = admit(call(call_id), nobody)
    assert admitted.id.startswith("toolu_")
    assert Path(admitted.id).name == admitted.id


def test_an_id_that_was_used_before_is_replaced() -> None:
    assert admit(call("toolu_1"), lambda one: one == "toolu_1").id != "toolu_1"


@pytest.mark.parametrize(
    ("name", "kept"), [("", "unnamed"), ("Bash\0", "Bash_"), ("rm -rf", "rm_-rf"), ("x" * 200, "x" * 64)]
)  # fmt: skip
def test_a_name_that_no_provider_takes_back_is_replaced(name: str, kept: str) -> None:
    assert admit(call(name=name), nobody).name == kept


@pytest.mark.parametrize("name", ["mcp__server__" + "x" * 100, "mcp__a.b__c"])
def test_the_name_of_a_tool_that_there_is_stays_whole(name: str) -> None:
    assert admit(call(name=name), nobody, {name}).name == name
    assert admit(call(name=name), nobody, {"Read"}).name != name


def test_an_input_nested_without_end_is_an_error_of_that_call() -> None:
    assert is_shallow(nested(MAX_INPUT_DEPTH))
    admitted = admit(call(value=nested(50_000)), nobody)
    assert admitted.input == {}
    assert "nested deeper" in (admitted.input_error or "")
