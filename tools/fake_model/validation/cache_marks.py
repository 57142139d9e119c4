"""Checking prompt-cache breakpoints.

Owns: their number, shape and order. Does not own: which blocks may carry one (``blocks``).
"""

from collections.abc import Iterator

from pydantic import JsonValue

from tools.fake_model.jsontypes import JsonObject, objects
from tools.fake_model.validation.problem import InvalidRequestError, need_object, refuse_extra

MAX_MARKS = 4


def check_cache_marks(body: JsonObject) -> None:
    """Check every ``cache_control`` of a request.

    Raises:
        InvalidRequestError: There are more than four, one is malformed, or a longer lifetime
            follows a shorter one.
    """
    marks = [(path, mark) for path, mark in _marks(body) if mark is not None]
    lifetimes = [(path, _lifetime(mark, path)) for path, mark in marks]
    if len(marks) > MAX_MARKS:
        raise InvalidRequestError(
            marks[MAX_MARKS][0],
            f"at most {MAX_MARKS} blocks may have cache_control, found {len(marks)}",
        )
    shorter_seen = False
    for path, lifetime in lifetimes:
        if lifetime == "1h" and shorter_seen:
            raise InvalidRequestError(path, "a ttl of 1h must not come after a ttl of 5m")
        shorter_seen = shorter_seen or lifetime == "5m"


def _marks(body: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    """All marks in the order of the prompt: tools, system, messages."""
    for index, tool in enumerate(objects(body.get("tools"))):
        yield f"tools.{index}.cache_control", tool.get("cache_control")
    for index, block in enumerate(objects(body.get("system"))):
        yield f"system.{index}.cache_control", block.get("cache_control")
    for index, message in enumerate(objects(body.get("messages"))):
        yield from _marks_in(message.get("content"), f"messages.{index}.content")
    yield "cache_control", body.get("cache_control")


def _marks_in(content: JsonValue, path: str) -> Iterator[tuple[str, JsonValue]]:
    for index, block in enumerate(objects(content)):
        yield f"{path}.{index}.cache_control", block.get("cache_control")
        if block.get("type") == "tool_result":
            yield from _marks_in(block.get("content"), f"{path}.{index}.content")


def _lifetime(mark: JsonValue, path: str) -> str:
    fields = need_object(mark, path)
    refuse_extra(fields, ("type", "ttl"), path)
    if fields.get("type") != "ephemeral":
        raise InvalidRequestError(f"{path}.type", "must be `ephemeral`")
    lifetime = fields.get("ttl", "5m")
    if lifetime not in {"5m", "1h"}:
        raise InvalidRequestError(f"{path}.ttl", "must be `5m` or `1h`")
    return str(lifetime)
