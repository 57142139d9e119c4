"""The JSON schemas of tools' arguments, as the model is told of them.

Owns: what is said of a class of arguments, and having it without building it: the schemas of our own
tools are in ``schemas.json``, which ``tools/gen_tools.py`` writes.
"""

import json
from functools import cache
from importlib.resources import files
from typing import cast

from pilotfish.core.jsontypes import JsonObject, JsonValue
from pilotfish.tooling.spec import ToolArgs


@cache
def schema_of(args_type: type[ToolArgs]) -> JsonObject:
    """Return the schema of a tool's arguments; there are as many as tools, each sub-agent has them."""
    return _generated().get(name_of(args_type)) or made_schema(args_type)


def name_of(args_type: type[ToolArgs]) -> str:
    """Return the name that a class has in the file."""
    return f"{args_type.__module__}.{args_type.__qualname__}"


def made_schema(args_type: type[ToolArgs]) -> JsonObject:
    """Make the schema of a model; takes about a millisecond."""
    raw = cast("JsonObject", args_type.model_json_schema())
    return cast("JsonObject", _without_titles(raw, is_properties=False))


@cache
def _generated() -> dict[str, JsonObject]:
    text = files("pilotfish.tooling").joinpath("schemas.json").read_text(encoding="utf-8")
    return json.loads(text)


def _without_titles(value: JsonValue, *, is_properties: bool) -> JsonValue:
    """Drop the ``title`` annotations that pydantic adds: tokens that tell the model nothing.

    Inside ``properties`` a key called ``title`` is an argument's name and stays.
    """
    if isinstance(value, dict):
        return {
            key: _without_titles(item, is_properties=key == "properties" and not is_properties)
            for key, item in value.items()
            if is_properties or key != "title"
        }
    if isinstance(value, list):
        return [_without_titles(item, is_properties=False) for item in value]
    return value
