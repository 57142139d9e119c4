"""What the strict servers refuse.

Owns: checking the body of a request. Does not own: the answer (``server``).
"""

import json
import re
from typing import Any

_FIELDS = frozenset({
    "model", "messages", "max_tokens", "max_completion_tokens", "stream", "stream_options", "tools",
    "tool_choice", "reasoning_effort", "temperature", "parallel_tool_calls",
})  # fmt: skip

_MESSAGE_FIELDS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls", "reasoning_content", "reasoning"},
    "tool": {"role", "content", "tool_call_id"},
}

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_MAX_ID_CHARS = 40

Json = dict[str, Any]


class InvalidBodyError(ValueError):
    """The first thing that is wrong with a request."""


def check_body(body: Json) -> None:
    """Check a request.

    Raises:
        InvalidBodyError: It would be refused.
    """
    _need(set(body) <= _FIELDS, f"unknown fields {set(body) - _FIELDS}")
    _need(isinstance(body.get("model"), str) and body["model"] != "", "model is required")
    _need(not {"max_tokens", "max_completion_tokens"} <= set(body), "both output limits are set")
    for tool in body.get("tools", ["none"]):
        if tool != "none":
            _check_tool(tool)
    _need(body.get("tools") != [], "tools must not be empty")
    messages: Any = body.get("messages")
    _need(bool(messages), "messages are required")
    waiting: list[str] = []
    for at, message in enumerate(messages):
        waiting = _check_message(at, message, waiting)
    _need(not waiting, f"calls without a result: {waiting}")


def _check_message(at: int, message: Json, waiting: list[str]) -> list[str]:
    """Check one message; return the calls that wait for a result after it."""
    role = message.get("role")
    allowed = _MESSAGE_FIELDS.get(role if isinstance(role, str) else "")
    if allowed is None:
        raise InvalidBodyError(f"messages[{at}]: role {role!r}")
    _need(set(message) <= allowed, f"messages[{at}]: unknown fields {set(message) - allowed}")
    _need(role != "system" or at == 0, f"messages[{at}]: the system prompt comes first")
    if role == "tool":
        call = message.get("tool_call_id")
        _need(call in waiting, f"messages[{at}]: no call {call!r} waits for a result")
        _need(isinstance(message.get("content"), str), f"messages[{at}]: a result is text")
        return [one for one in waiting if one != call]
    _need(not waiting, f"messages[{at}]: calls without a result: {waiting}")
    content: Any = message.get("content")
    if role == "assistant":
        return _check_assistant(at, message)
    _need(bool(content), f"messages[{at}]: content is empty")
    parts: list[Json] = [] if isinstance(content, str) else content
    for part in parts:
        _check_part(at, part)
    return []


def _check_assistant(at: int, message: Json) -> list[str]:
    calls: list[Json] = message.get("tool_calls", [])
    _need("tool_calls" not in message or bool(calls), f"messages[{at}]: tool_calls is empty")
    _need(bool(message.get("content")) or bool(calls), f"messages[{at}]: nothing is said")
    for call in calls:
        _need(call.get("type") == "function", f"messages[{at}]: type of a call")
        _need(len(call["id"]) <= _MAX_ID_CHARS, f"messages[{at}]: id of a call is too long")
        name = call["function"]["name"]
        _need(bool(_NAME.fullmatch(name)), f"messages[{at}]: {name!r} is no name of a function")
        arguments = call["function"]["arguments"]
        _need(isinstance(arguments, str), f"messages[{at}]: arguments are text")
        _need(isinstance(json.loads(arguments), dict), f"messages[{at}]: arguments are an object")
    ids = [call["id"] for call in calls]
    _need(len(ids) == len(set(ids)), f"messages[{at}]: an id stands twice")
    return ids


def _check_part(at: int, part: Json) -> None:
    if part.get("type") == "text":
        _need(bool(part.get("text")), f"messages[{at}]: an empty text")
        return
    _need(part.get("type") == "image_url", f"messages[{at}]: part of type {part.get('type')!r}")
    url = part["image_url"]["url"]
    _need(url.startswith("data:image/"), f"messages[{at}]: {url[:20]!r} is no image")


def _check_tool(tool: Json) -> None:
    _need(tool.get("type") == "function", "a tool is a function")
    function = tool["function"]
    _need(set(function) == {"name", "description", "parameters"}, "fields of a function")
    _need(function["parameters"].get("type") == "object", "parameters are an object")


def _need(holds: bool, problem: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not holds:
        raise InvalidBodyError(problem)
