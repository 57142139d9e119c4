"""Narrowing of untrusted JSON.

Owns: one-line readers that never raise. Does not own: saying what is wrong (``validation``).
"""

from collections.abc import Iterator

from pydantic import JsonValue

JsonObject = dict[str, JsonValue]


def as_object(value: JsonValue) -> JsonObject:
    """``value`` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: JsonValue) -> list[JsonValue]:
    """``value`` if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: JsonValue) -> str:
    """``value`` if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def objects(value: JsonValue) -> Iterator[JsonObject]:
    """The objects in an array; other elements are left out."""
    return (item for item in as_list(value) if isinstance(item, dict))


def block_text(content: JsonValue) -> str:
    """The text of a ``content`` field: the string itself, or its text blocks joined by lines."""
    if isinstance(content, str):
        return content
    texts = (
        as_text(block.get("text")) for block in objects(content) if block.get("type") == "text"
    )
    return "\n".join(texts)
