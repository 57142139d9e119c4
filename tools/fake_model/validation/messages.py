"""Checking the list of messages.

Owns: roles, content that is not empty, the first and the last message.
Does not own: single blocks (``blocks``), tool calls and their results (``pairing``).
"""

from dataclasses import dataclass

from pydantic import JsonValue

from tools.fake_model.jsontypes import JsonObject, as_text
from tools.fake_model.scenario import Rules
from tools.fake_model.validation.blocks import check_block
from tools.fake_model.validation.problem import (
    InvalidRequestError,
    need_list,
    need_object,
    refuse_extra,
)

_THINKING = frozenset({"thinking", "redacted_thinking"})


@dataclass(frozen=True)
class PlacedBlock:
    """A block and where it stands."""

    path: str
    block: JsonObject

    @property
    def type(self) -> str:
        """The block's type."""
        return as_text(self.block.get("type"))


@dataclass(frozen=True)
class PlacedMessage:
    """A message and where it stands; a string as content is one text block."""

    path: str
    role: str
    blocks: list[PlacedBlock]


def check_messages(value: JsonValue, rules: Rules) -> list[PlacedMessage]:
    """Check every message by itself, and the order of roles.

    Returns:
        The messages; where neighbours of one role are allowed, they are merged into one.

    Raises:
        InvalidRequestError: Something is wrong; says where.
    """
    messages = [
        _check_message(item, f"messages.{index}", rules)
        for index, item in enumerate(need_list(value, "messages"))
    ]
    if not messages:
        raise InvalidRequestError("messages", "at least one message is required")
    if messages[0].role != "user":
        raise InvalidRequestError("messages.0.role", "the first message must be from the user")
    merged = _merge(messages, strict=rules.strict_roles)
    for message in merged:
        if message.role == "assistant" and message.blocks[-1].type in _THINKING:
            text = "the final block of an assistant message must not be thinking"
            raise InvalidRequestError(message.blocks[-1].path, text)
    _check_tail(merged[-1], rules)
    return merged


def _check_message(item: JsonValue, path: str, rules: Rules) -> PlacedMessage:
    message = need_object(item, path)
    refuse_extra(message, ("role", "content"), path)
    role = message.get("role")
    if role not in {"user", "assistant"}:
        raise InvalidRequestError(f"{path}.role", "must be `user` or `assistant`")
    blocks = _place_blocks(message.get("content"), f"{path}.content")
    for placed in blocks:
        check_block(placed.block, placed.path, str(role), rules)
    return PlacedMessage(path, str(role), blocks)


def _place_blocks(content: JsonValue, path: str) -> list[PlacedBlock]:
    if not content:
        raise InvalidRequestError(path, "messages must have content")
    if isinstance(content, str):
        return [PlacedBlock(path, {"type": "text", "text": content})]
    places = ((f"{path}.{index}", item) for index, item in enumerate(need_list(content, path)))
    return [PlacedBlock(place, need_object(item, place)) for place, item in places]


def _merge(messages: list[PlacedMessage], *, strict: bool) -> list[PlacedMessage]:
    merged: list[PlacedMessage] = []
    for message in messages:
        if not merged or merged[-1].role != message.role:
            merged.append(message)
        elif strict:
            text = f"roles must alternate, but two messages in a row are from the {message.role}"
            raise InvalidRequestError(f"{message.path}.role", text)
        else:
            last = merged.pop()
            merged.append(PlacedMessage(last.path, last.role, last.blocks + message.blocks))
    return merged


def _check_tail(last: PlacedMessage, rules: Rules) -> None:
    open_call = any(placed.type == "tool_use" for placed in last.blocks)
    if last.role != "assistant" or open_call:
        # An open call is refused too, by ``pairing``, which says more.
        return
    if not rules.prefill:
        raise InvalidRequestError(last.path, "the conversation must end with a user message")
    text = as_text(last.blocks[-1].block.get("text"))
    if text != text.rstrip():
        path = last.blocks[-1].path
        raise InvalidRequestError(path, "final assistant content must not end with white space")
