"""Checking tools, system prompt and tool choice.

Owns: what a request defines before its messages.
"""

import re

from pydantic import JsonValue

from tools.fake_model.jsontypes import JsonObject, as_object, objects
from tools.fake_model.validation.problem import (
    InvalidRequestError,
    need_list,
    need_object,
    need_text,
    refuse_extra,
)

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_TOP_LEVEL_UNIONS = ("oneOf", "allOf", "anyOf")

_TOOL_FIELDS = frozenset({
    "name", "description", "input_schema", "cache_control", "type", "allowed_callers",
    "defer_loading", "eager_input_streaming", "input_examples", "strict",
})  # fmt: skip


def check_tools(value: JsonValue) -> frozenset[str]:
    """Check the tool list.

    Returns:
        The names of the tools.

    Raises:
        InvalidRequestError: A tool is malformed, or two have the same name.
    """
    names: set[str] = set()
    for index, item in enumerate(need_list(value, "tools")):
        path = f"tools.{index}"
        tool = need_object(item, path)
        if tool.get("type", "custom") in {"custom", None}:
            _check_custom_tool(tool, path)
        name = tool.get("name")
        if not isinstance(name, str):
            continue
        if name in names:
            raise InvalidRequestError("tools", f"tool names must be unique, `{name}` is not")
        names.add(name)
    _check_some_tool_is_loaded(value)
    return frozenset(names)


def check_system(value: JsonValue) -> None:
    """Check the system prompt: a string or text blocks that are not empty.

    Raises:
        InvalidRequestError: It is neither, or a block is malformed or blank.
    """
    if isinstance(value, str):
        return
    for index, item in enumerate(need_list(value, "system")):
        path = f"system.{index}"
        block = need_object(item, path)
        if block.get("type") != "text":
            raise InvalidRequestError(f"{path}.type", "must be `text`")
        refuse_extra(block, ("type", "text", "cache_control", "citations"), path)
        check_text(block, path)


def check_text(block: JsonObject, path: str) -> None:
    """Check that a text block has text beyond white space.

    Raises:
        InvalidRequestError: It has not.
    """
    text = need_text(block, "text", path, empty=True)
    if not text:
        raise InvalidRequestError(path, "text content blocks must not be empty")
    if not text.strip():
        raise InvalidRequestError(path, "text content blocks must contain more than white space")


def check_tool_choice(body: JsonObject, names: frozenset[str]) -> None:
    """Check ``tool_choice`` against the tools and the thinking mode.

    Raises:
        InvalidRequestError: It is malformed, names no tool of the request, or forces a call
            while the model is to think first.
    """
    choice = need_object(body["tool_choice"], "tool_choice")
    kind = choice.get("type")
    if kind not in {"auto", "any", "tool", "none"}:
        raise InvalidRequestError("tool_choice.type", "must be auto, any, tool or none")
    if not names and kind != "none":
        raise InvalidRequestError("tool_choice", "may only be given together with tools")
    if kind == "tool" and need_text(choice, "name", "tool_choice") not in names:
        raise InvalidRequestError("tool_choice.name", f"no tool is named `{choice['name']}`")
    thinks = as_object(body.get("thinking")).get("type") in {"enabled", "adaptive"}
    if thinks and kind in {"any", "tool"}:
        raise InvalidRequestError("tool_choice", "a forced tool call does not go with thinking")


def _check_custom_tool(tool: JsonObject, path: str) -> None:
    refuse_extra(tool, _TOOL_FIELDS, path)
    if TOOL_NAME.fullmatch(need_text(tool, "name", path)) is None:
        raise InvalidRequestError(f"{path}.name", f"must match ^{TOOL_NAME.pattern}$")
    if not isinstance(tool.get("description", ""), str):
        raise InvalidRequestError(f"{path}.description", "must be a string")
    schema_path = f"{path}.input_schema"
    schema = need_object(tool.get("input_schema"), schema_path)
    if schema.get("type") != "object":
        raise InvalidRequestError(f"{schema_path}.type", "must be `object`")
    for keyword in _TOP_LEVEL_UNIONS:
        if keyword in schema:
            raise InvalidRequestError(schema_path, f"`{keyword}` is not allowed at the top level")
    for name in need_object(schema.get("properties", {}), f"{schema_path}.properties"):
        if _PROPERTY_NAME.fullmatch(name) is None:
            text = f"property names must match ^{_PROPERTY_NAME.pattern}$, `{name}` does not"
            raise InvalidRequestError(f"{schema_path}.properties", text)
    required = need_list(schema.get("required", []), f"{schema_path}.required")
    if not all(isinstance(name, str) for name in required):
        raise InvalidRequestError(f"{schema_path}.required", "must list strings")


def _check_some_tool_is_loaded(tools: JsonValue) -> None:
    deferred = [tool.get("defer_loading") is True for tool in objects(tools)]
    if deferred and all(deferred):
        raise InvalidRequestError("tools", "at least one tool must not have defer_loading")
