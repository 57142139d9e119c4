"""Checking that tool calls and tool results belong together.

Owns: every call has exactly one result in the next message, results come first, ids are unique,
and called tools exist.
"""

from collections.abc import Collection, Iterator
from itertools import pairwise

from tools.fake_model.jsontypes import as_text, objects
from tools.fake_model.validation.messages import PlacedBlock, PlacedMessage
from tools.fake_model.validation.problem import InvalidRequestError


def check_pairing(messages: list[PlacedMessage]) -> None:
    """Check calls against results.

    Raises:
        InvalidRequestError: An id is used twice, a call has no result or two, a result has no
            call, or something stands before the results.
    """
    _check_unique_ids(messages)
    if _ids(messages[0], "tool_result", "tool_use_id"):
        _check_results([], messages[0])
    for message, following in pairwise(messages):
        calls = _ids(message, "tool_use", "id")
        _check_results(calls, following)
        _check_answered(message, calls, _ids(following, "tool_result", "tool_use_id"))
    last = messages[-1]
    _check_answered(last, _ids(last, "tool_use", "id"), [])


def check_tool_names(
    messages: list[PlacedMessage], offered: Collection[str], invented: Collection[str]
) -> None:
    """Check that the history calls and refers to tools that are offered.

    Args:
        messages: The conversation.
        offered: Names of the tools of the request.
        invented: Names the fake model called although they were not offered.

    Raises:
        InvalidRequestError: A name is neither, or there are no tools at all.
    """
    for message in messages:
        for placed in message.blocks:
            if placed.type in {"tool_use", "tool_result"} and not offered:
                text = "requests with tool_use or tool_result blocks must define tools"
                raise InvalidRequestError("tools", text)
            for path, name in _names(placed):
                if name not in offered and name not in invented:
                    raise InvalidRequestError(path, f"no tool is named `{name}`")


def _names(placed: PlacedBlock) -> Iterator[tuple[str, str]]:
    if placed.type == "tool_use":
        yield f"{placed.path}.name", as_text(placed.block.get("name"))
    for index, item in enumerate(objects(placed.block.get("content"))):
        if item.get("type") == "tool_reference":
            path = f"{placed.path}.content.{index}.tool_name"
            yield path, as_text(item.get("tool_name"))


def _check_unique_ids(messages: list[PlacedMessage]) -> None:
    seen: set[str] = set()
    for message in messages:
        for placed in message.blocks:
            if placed.type != "tool_use":
                continue
            tool_use_id = as_text(placed.block.get("id"))
            if tool_use_id in seen:
                text = f"tool_use ids must be unique, `{tool_use_id}` is not"
                raise InvalidRequestError(f"{placed.path}.id", text)
            seen.add(tool_use_id)


def _check_results(calls: list[str], message: PlacedMessage) -> None:
    """Check the results in ``message`` against the calls right before it."""
    answered: set[str] = set()
    other_before = False
    for placed in message.blocks:
        if placed.type != "tool_result":
            other_before = True
            continue
        tool_use_id = as_text(placed.block.get("tool_use_id"))
        if tool_use_id not in calls:
            text = f"no tool_use in the previous message has the id `{tool_use_id}`"
            raise InvalidRequestError(placed.path, text)
        if tool_use_id in answered:
            raise InvalidRequestError(placed.path, f"`{tool_use_id}` has more than one tool_result")
        if other_before:
            raise InvalidRequestError(placed.path, "tool_result blocks must come first")
        answered.add(tool_use_id)


def _check_answered(message: PlacedMessage, calls: list[str], results: list[str]) -> None:
    missing = [tool_use_id for tool_use_id in calls if tool_use_id not in results]
    if missing:
        text = "tool_use without a tool_result right at the start of the next message: "
        raise InvalidRequestError(message.path, text + ", ".join(missing))


def _ids(message: PlacedMessage, block_type: str, field: str) -> list[str]:
    return [as_text(p.block.get(field)) for p in message.blocks if p.type == block_type]
