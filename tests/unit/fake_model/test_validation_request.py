"""Rules about the fields of a request beside its messages."""

import pytest
from pydantic import JsonValue

from tests.unit.fake_model.conversations import MARK, problem_of, request, text, tool, user
from tools.fake_model.jsontypes import JsonObject
from tools.fake_model.scenario import Rules
from tools.fake_model.validation import InvalidRequestError, parse_body

ENABLED: JsonObject = {"type": "enabled", "budget_tokens": 1024}
ANY: JsonObject = {"type": "any"}


def schema(**fields: JsonValue) -> JsonObject:
    return tool(input_schema={"type": "object", **fields})


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"stream": True, "temperature": 0.5, "top_p": 1, "top_k": 5},
        {"stop_sequences": ["END"], "metadata": {"user_id": "u"}},
        {"thinking": ENABLED, "temperature": 1},
        {"thinking": {"type": "adaptive"}},
        {"thinking": {"type": "disabled"}},
        {"system": ""},
        {"system": "be kind"},
        {"system": [text("be kind", cache_control=MARK)]},
        {"tools": []},
        {"tools": [tool("a"), tool("b", description="d", strict=True)]},
        {"tools": [tool("a" * 128)]},
        {"tools": [tool("a", type="custom"), {"type": "web_search_20250305", "name": "web"}]},
        {"tools": [tool("a", defer_loading=True), tool("b")]},
        {"tools": [schema(properties={"file.path-1": {"type": "string"}}, required=["x"])]},
        {"tool_choice": {"type": "auto"}},
        {"tool_choice": {"type": "tool", "name": "Read"}},
        {"tool_choice": ANY, "thinking": {"type": "disabled"}},
        {"tools": [], "tool_choice": {"type": "none"}},
    ],
)
def test_a_valid_request_passes(fields: dict[str, JsonValue]) -> None:
    assert problem_of(request(**fields)) is None


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"nonsense": 1}, "nonsense: this field is not known"),
        ({"model": ""}, "model: must not be empty"),
        ({"model": 3}, "model: must be a string"),
        ({"max_tokens": 0}, "max_tokens: must be a whole number of at least 1"),
        ({"max_tokens": True}, "max_tokens: must be a whole number"),
        ({"max_tokens": 1.5}, "max_tokens: must be a whole number"),
        ({"stream": "yes"}, "stream: must be true or false"),
        ({"temperature": 1.1}, "temperature: must be a number from 0 to 1"),
        ({"top_p": "1"}, "top_p: must be a number"),
        ({"top_k": 1.5}, "top_k: must be a whole number"),
        ({"stop_sequences": [" "]}, "stop_sequences.0: must be a string"),
        ({"stop_sequences": "END"}, "stop_sequences: must be an array"),
        ({"metadata": {"name": "n"}}, "metadata.name: this field is not known"),
        ({"thinking": {"type": "hard"}}, "thinking.type: must be"),
        ({"thinking": {"type": "enabled"}}, "thinking.budget_tokens: must be a whole number"),
        ({"thinking": {"type": "enabled", "budget_tokens": 1023}}, "thinking.budget_tokens"),
        (
            {"thinking": {"type": "enabled", "budget_tokens": 4000}},
            "thinking.budget_tokens: must be less than max_tokens",
        ),
        ({"thinking": ENABLED, "temperature": 0.5}, "temperature: must be 1"),
        ({"system": 3}, "system: must be an array"),
        ({"system": ["be kind"]}, "system.0: must be an object"),
        ({"system": [{"type": "image"}]}, "system.0.type: must be `text`"),
        ({"system": [text("")]}, "system.0: text content blocks must not be empty"),
        ({"system": [text(" \n")]}, "system.0: text content blocks must contain more"),
        ({"system": [text(id=3)]}, "system.0.id: this field is not known"),
        ({"tools": {}}, "tools: must be an array"),
        ({"tools": [tool("a"), tool("a")]}, "tools: tool names must be unique"),
        ({"tools": [tool("")]}, "tools.0.name: must not be empty"),
        ({"tools": [tool("a b")]}, "tools.0.name: must match"),
        ({"tools": [tool("a" * 129)]}, "tools.0.name: must match"),
        ({"tools": [tool(handler="f")]}, "tools.0.handler: this field is not known"),
        ({"tools": [tool(description=3)]}, "tools.0.description: must be a string"),
        ({"tools": [{"name": "a"}]}, "tools.0.input_schema: must be an object"),
        ({"tools": [tool(input_schema={})]}, "tools.0.input_schema.type: must be `object`"),
        (
            {"tools": [tool(input_schema={"type": "array"})]},
            "tools.0.input_schema.type: must be `object`",
        ),
        ({"tools": [schema(anyOf=[])]}, "tools.0.input_schema: `anyOf` is not allowed"),
        (
            {"tools": [schema(properties={"a b": {}})]},
            "tools.0.input_schema.properties: property names must match",
        ),
        ({"tools": [schema(properties=[])]}, "tools.0.input_schema.properties: must be an object"),
        ({"tools": [schema(required=[1])]}, "tools.0.input_schema.required: must list strings"),
        ({"tools": [tool(defer_loading=True)]}, "tools: at least one tool"),
        ({"tool_choice": {"type": "best"}}, "tool_choice.type: must be"),
        ({"tool_choice": {"type": "tool", "name": "Rea"}}, "tool_choice.name: no tool is named"),
        ({"tools": [], "tool_choice": ANY}, "tool_choice: may only be given together with tools"),
        ({"tool_choice": ANY, "thinking": ENABLED}, "tool_choice: a forced tool call"),
    ],
)
def test_an_invalid_field_is_refused_with_its_path(
    fields: dict[str, JsonValue], problem: str
) -> None:
    assert (problem_of(request(**fields)) or "").startswith(problem)


@pytest.mark.parametrize("name", ["model", "max_tokens", "messages"])
def test_a_missing_field_is_refused(name: str) -> None:
    body = request()
    del body[name]
    assert (problem_of(body) or "").startswith(f"{name}: ")


def test_more_output_than_the_model_can_is_refused() -> None:
    rules = Rules(max_output_tokens=4000)
    assert problem_of(request(max_tokens=4000), rules) is None
    assert (problem_of(request(max_tokens=4001), rules) or "").startswith("max_tokens: 4001 > 4000")


def test_counting_takes_no_fields_of_generation() -> None:
    body = request()
    assert problem_of(body, counting=True) == "max_tokens: this field is not known"
    del body["max_tokens"]
    assert problem_of(body, counting=True) is None
    assert problem_of({**body, "thinking": ENABLED}, counting=True) is None


@pytest.mark.parametrize(
    "raw",
    [b'{"a": "\\ud83d\\ude00"}', b'{"a": "\\\\ud83d"}', '{"a": "ü"}'.encode()],
)
def test_a_json_object_is_parsed(raw: bytes) -> None:
    assert list(parse_body(raw)) == ["a"]


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"\xff", b'{"a": NaN}', b'{"a": "\\ud83d"}', b'{"a": "\\uDE00"}'],
)
def test_a_body_that_is_not_strict_json_is_refused(raw: bytes) -> None:
    with pytest.raises(InvalidRequestError, match="the request body is not valid JSON"):
        parse_body(raw)


def test_a_body_that_is_no_object_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="body: must be an object"):
        parse_body(b"[]")


def test_messages_of_tools_are_not_needed_without_tools() -> None:
    body = request(user("hi"))
    del body["tools"]
    assert problem_of(body) is None
