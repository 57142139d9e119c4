"""Reading JSON that a language server sent: hostile until looked at.

Owns: taking a value for what it should be, or for nothing; file names in URIs.
"""

from pathlib import Path
from typing import cast
from urllib.parse import unquote, urlsplit

from pilotfish.core.jsontypes import JsonMapping, JsonObject, JsonValue

MAX_TEXT_CHARS = 20_000
"""Longest text that is taken from a server in one piece."""


def as_object(value: object) -> JsonObject:
    """Return an object, or an empty one for anything else."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[JsonValue]:
    """Return a list, or an empty one for anything else."""
    return cast("list[JsonValue]", value) if isinstance(value, list) else []


def as_text(value: object, limit: int = MAX_TEXT_CHARS) -> str:
    """Return a text, cut to a limit, or an empty one for anything else."""
    return value[:limit] if isinstance(value, str) else ""


def as_number(value: object) -> int | None:
    """Return a whole number, or None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def get_in(value: JsonMapping, *keys: str) -> JsonValue:
    """Return what lies at a path of keys; None when it is not there."""
    found: JsonValue = cast("JsonValue", value)
    for key in keys:
        found = as_object(found).get(key)
    return found


def to_uri(path: Path) -> str:
    """Return the URI of an absolute path."""
    return path.as_uri()


def from_uri(value: object) -> Path | None:
    """Return the absolute path of a ``file`` URI; None for anything else."""
    if not isinstance(value, str) or len(value) > MAX_TEXT_CHARS:
        return None
    try:
        parts = urlsplit(value)
        text = unquote(parts.path)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or "\0" in text:
        return None
    if len(text) > 2 and text[0] == "/" and text[2] == ":":
        text = text[1:]  # a Windows drive
    path = Path(text)
    return path if path.is_absolute() and ".." not in path.parts else None
