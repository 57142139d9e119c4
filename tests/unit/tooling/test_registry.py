"""What the model sees of the tools."""

import json

import pytest
from pilotfish.core.jsontypes import JsonObject
from pilotfish.tooling import schemas
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


def test_what_the_model_is_told_of_our_tools_is_read_and_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(_: object) -> JsonObject:
        raise AssertionError("a schema is made while a session begins")

    made = {tool.spec.name: schemas.made_schema(tool.args_type) for tool in builtin_tools()}
    monkeypatch.setattr(schemas, "made_schema", never)
    schemas.schema_of.cache_clear()
    shown = ToolRegistry(builtin_tools()).showing_all().schemas()
    assert {schema.name: schema.input_schema for schema in shown} == made


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
