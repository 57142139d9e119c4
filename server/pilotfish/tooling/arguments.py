"""The arguments of a call, read from what the model sent.

Owns: validation, the small mistakes that are put right instead of refused, and telling the model
what is wrong in the terms of the schema.
"""

import difflib
from collections.abc import Mapping
from typing import Any, cast

from pydantic import ValidationError

from pilotfish.core.jsontypes import JsonObject, JsonValue
from pilotfish.tooling.spec import Tool, ToolArgs
from pilotfish.util import strict_json

MAX_NESTED_JSON_CHARS = 1_000_000
"""Longest text that is read as JSON where a list or an object was wanted."""

_WANTS_CONTAINER = frozenset(
    {"list_type", "tuple_type", "dict_type", "model_type", "model_attributes_type", "set_type"}
)


def read_arguments(tool: Tool[Any], given: JsonObject) -> ToolArgs:
    """Validate an input. Lists sent as JSON text and nulls for what may be left out are put right.

    Raises:
        ValidationError: It is not valid, and no such mistake explains it.
    """
    try:
        return _validated(tool, given)
    except ValidationError as error:
        mended = _mended(given, error)
        if mended is None:
            raise
        try:
            return _validated(tool, mended)
        except ValidationError:
            # What the model sent is what it must be told about.
            raise error from None


def explain_problems(tool: Tool[Any], error: ValidationError) -> str:
    """Say which argument is wrong and how, in the terms of the schema."""
    known = list(tool.args_type.model_fields)
    lines: list[str] = []
    for problem in error.errors(include_url=False, include_input=False):
        where = ".".join(str(part) for part in problem["loc"]) or "input"
        if problem["type"] == "missing":
            lines.append(f"- `{where}` is required")
        elif problem["type"] == "extra_forbidden":
            near = difflib.get_close_matches(where, known, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            lines.append(f"- `{where}` is not an argument of {tool.spec.name}{hint}")
        else:
            lines.append(f"- `{where}`: {problem['msg']}")
    return (
        f"The arguments of {tool.spec.name} are not valid; nothing was run.\n"
        + "\n".join(lines)
        + f"\nArguments: {', '.join(known)}."
    )


def _validated(tool: Tool[Any], given: Mapping[str, JsonValue]) -> ToolArgs:
    return cast("ToolArgs", tool.args_type.model_validate(given))


def _mended(given: JsonObject, error: ValidationError) -> JsonObject | None:
    """Return the input without its small mistakes; None when there are none to put right."""
    mended = dict(given)
    for problem in error.errors(include_url=False, include_input=False):
        if len(problem["loc"]) != 1:
            continue
        name = str(problem["loc"][0])
        value = mended.get(name)
        if value is None and name in mended:
            del mended[name]
        elif problem["type"] in _WANTS_CONTAINER and isinstance(value, str):
            container = container_in(value)
            if container is not None:
                mended[name] = container
    return mended if mended != given else None


def container_in(text: str) -> list[JsonValue] | JsonObject | None:
    """Return the list or object that a text is the JSON of; None when it is not."""
    if len(text) > MAX_NESTED_JSON_CHARS:
        return None
    try:
        value: object = strict_json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        return cast("list[JsonValue]", value)
    return cast("JsonObject", value) if isinstance(value, dict) else None
