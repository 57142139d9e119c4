"""What the model sees of the tools."""

import json

import pytest
from pilotfish.tooling.registry import ToolRegistry
from pilotfish.tools import builtin_tools


def test_schemas_are_sorted_and_stay_the_same_bytes() -> None:
    first, second = ToolRegistry(builtin_tools()), ToolRegistry(reversed(builtin_tools()))
    as_json = [json.dumps([s.input_schema for s in one.schemas()]) for one in (first, second)]
    assert as_json[0] == as_json[1]
    assert list(first.names()) == sorted(first.names())


def test_schemas_carry_no_titles_but_keep_arguments() -> None:
    for schema in ToolRegistry(builtin_tools()).schemas():
        assert "title" not in schema.input_schema
        properties = schema.input_schema["properties"]
        assert isinstance(properties, dict)
        for argument in properties.values():
            assert isinstance(argument, dict)
            assert "title" not in argument


def test_an_unknown_tool_is_answered_with_near_names() -> None:
    text = ToolRegistry(builtin_tools()).explain_unknown("Reed")
    assert "Did you mean Read" in text


def test_two_tools_of_one_name_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="two tools"):
        ToolRegistry([*builtin_tools(), *builtin_tools()])


def test_denied_tools_are_not_offered() -> None:
    registry = ToolRegistry(builtin_tools()).without(frozenset({"Bash"}))
    assert registry.find("Bash") is None
    assert "Read" in registry.names()
