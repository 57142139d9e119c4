"""The settings file as a JSON schema, for editors that check JSON by one.

Owns: the schema, made from the models (types, limits) and the texts of the keys (meaning, default).
Does not own: what no schema can say: rules, names of modes, which file may set a key
(``permissions.language``). What the schema refuses, the models refuse too, and the other way round;
but for ``null``, which counts as unset and is better left out.
"""

import json
from collections.abc import Callable
from typing import Any, cast

from pilotfish.config.key_doc import KeyDoc
from pilotfish.config.key_docs import AUDIENCE_TEXT, KEY_DOCS
from pilotfish.config.modes import SETTABLE_MODES
from pilotfish.config.schema import SettingsFile
from pilotfish.core.jsontypes import JsonObject, JsonValue

DRAFT = "http://json-schema.org/draft-07/schema#"
"""The version of the language that VS Code understands whole."""

RULE_LISTS = ("permissions.allow", "permissions.ask", "permissions.deny")
"""A list of rules may also be one text with all of them."""

MODE_KEYS = ("permissions.defaultMode", "permissions.subagentMode")
"""Their names are judged by ``modes``, which also knows older ones and says why one does not fit."""

_DROPPED = ("title", "default", "description")
"""What the generated schema says of classes, and nobody who writes a file needs."""


Say = Callable[[str], str]
"""Puts a text into the reader's language."""


def settings_schema(say: Say = str) -> JsonObject:
    """Return the schema of a settings file, with a text for each key."""
    root = _section("", _raw_root(), say)
    properties = cast("JsonObject", root["properties"])
    return {
        "$schema": DRAFT,
        "title": say("Settings of Pilotfish"),
        "type": "object",
        # Editors write it; it is no setting.
        "properties": {"$schema": {"type": "string"}, **properties},
    }


def setting_leaves() -> dict[str, JsonObject]:
    """Return the schema of each key that holds a value, by its path, in the order of the file."""
    found: dict[str, JsonObject] = {}

    def walk(prefix: str, section: JsonObject) -> None:
        for name, schema in cast("dict[str, JsonObject]", section["properties"]).items():
            path = f"{prefix}{name}"
            if _is_section(path):
                walk(f"{path}.", schema)
            else:
                found[path] = schema

    walk("", _section("", _raw_root(), str))
    return found


def known_default(path: str) -> JsonValue:
    """Return the default of a key; None where it is not one value."""
    try:
        return json.loads(KEY_DOCS[path].default)
    except ValueError:
        return None


def _raw_root() -> JsonObject:
    raw = cast("JsonObject", SettingsFile.model_json_schema(by_alias=True))
    definitions = cast("JsonObject", raw.pop("$defs"))
    return cast("JsonObject", _plain(raw, definitions))


def _plain(node: Any, definitions: JsonObject) -> Any:
    """Put definitions where they are used, and take out what says nothing."""
    if isinstance(node, list):
        return [_plain(item, definitions) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    schema = dict(cast("JsonObject", node))
    reference = schema.pop("$ref", None)
    if isinstance(reference, str):
        schema |= cast("JsonObject", definitions[reference.rpartition("/")[2]])
    choices = schema.pop("anyOf", None)
    if isinstance(choices, list):
        [one] = [choice for choice in choices if choice != {"type": "null"}]
        schema |= cast("JsonObject", one)
    plain: JsonObject = {}
    for key, value in schema.items():
        if key == "properties":
            members = cast("JsonObject", value)
            plain[key] = {name: _plain(one, definitions) for name, one in members.items()}
        elif key not in _DROPPED and not (key == "additionalProperties" and value is True):
            plain[key] = _plain(value, definitions)
    return plain


def _section(prefix: str, raw: JsonObject, say: Say) -> JsonObject:
    properties: JsonObject = {}
    for name, value in cast("dict[str, JsonObject]", raw["properties"]).items():
        path = f"{prefix}{name}"
        is_section = _is_section(path)
        inner = _section(f"{path}.", value, say) if is_section else _leaf(path, value, say)
        properties[name] = {**inner, **_said(path, say)}
    return {"type": "object", "properties": properties}


def _is_section(path: str) -> bool:
    return any(other.startswith(f"{path}.") for other in KEY_DOCS)


def _leaf(path: str, raw: JsonObject, say: Say) -> JsonObject:
    leaf = dict(raw)
    if path in RULE_LISTS:
        leaf["type"] = ["array", "string"]
    elif path in MODE_KEYS:
        leaf["examples"] = list(SETTABLE_MODES)
    if "const" in leaf:
        leaf["enum"] = [leaf.pop("const")]
    doc = KEY_DOCS[path]
    if "enum" in leaf and doc.meanings:
        leaf["enumDescriptions"] = [say(meaning) for meaning in doc.meanings]
    default = known_default(path)
    return leaf if default is None else {**leaf, "default": default}


def _said(path: str, say: Say) -> JsonObject:
    doc = KEY_DOCS[path]
    parts = (doc.meaning, *_default_text(doc), AUDIENCE_TEXT[doc.audience])
    text = "\n\n".join(map(say, parts))
    return {"description": _without_marks(text), "markdownDescription": text}


def _default_text(doc: KeyDoc) -> tuple[str, ...]:
    return (f"Default: {doc.default}.",) if doc.default else ()


def _without_marks(text: str) -> str:
    return text.replace("`", "")
