"""Checking single content blocks.

Owns: which blocks each role may have, and their fields.
Does not own: how blocks of several messages belong together (``pairing``).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import JsonValue

from tools.fake_model.identity import is_forged
from tools.fake_model.jsontypes import JsonObject, as_text
from tools.fake_model.scenario import Rules
from tools.fake_model.validation.definitions import check_text
from tools.fake_model.validation.images import check_image
from tools.fake_model.validation.problem import (
    InvalidRequestError,
    need_list,
    need_object,
    need_text,
    refuse_extra,
)

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_CALLED_NAME = re.compile(r"[a-zA-Z0-9_-]{1,200}")
_RESULT_TYPES = frozenset({"text", "image", "document", "search_result", "tool_reference"})
_SERVER_TOOL = re.compile(r"server_tool_use|[a-z_]+_tool_result|container_upload")


@dataclass(frozen=True)
class _Kind:
    """What is known about a block type."""

    roles: frozenset[str]
    fields: frozenset[str]
    """Besides ``type``."""
    check: Callable[[JsonObject, str, Rules], None]


def check_block(block: JsonObject, path: str, role: str, rules: Rules) -> None:
    """Check one block of a message.

    Raises:
        InvalidRequestError: Its type is unknown or not for ``role``, or a field is wrong.
    """
    block_type = need_text(block, "type", path)
    kind = _KINDS.get(block_type)
    if kind is None:
        if _SERVER_TOOL.fullmatch(block_type):
            return
        raise InvalidRequestError(f"{path}.type", f"`{block_type}` is no type of content block")
    if role not in kind.roles:
        raise InvalidRequestError(path, f"`{block_type}` blocks must not be in {role} messages")
    if "cache_control" in block and "cache_control" not in kind.fields:
        raise InvalidRequestError(f"{path}.cache_control", f"not allowed on `{block_type}` blocks")
    refuse_extra(block, kind.fields | {"type"}, path)
    kind.check(block, path, rules)


def _check_text(block: JsonObject, path: str, _rules: Rules) -> None:
    check_text(block, path)


def _check_image(block: JsonObject, path: str, rules: Rules) -> None:
    check_image(block, path, rules.max_image_bytes)


def _check_source(block: JsonObject, path: str, _rules: Rules) -> None:
    if block.get("source") is None:
        raise InvalidRequestError(f"{path}.source", "this field is required")


def _check_thinking(block: JsonObject, path: str, _rules: Rules) -> None:
    thinking = need_text(block, "thinking", path, empty=True)
    if is_forged(thinking, need_text(block, "signature", path)):
        raise InvalidRequestError(
            f"{path}.signature", "does not belong to this text; thinking must come back unchanged"
        )


def _check_redacted(block: JsonObject, path: str, _rules: Rules) -> None:
    need_text(block, "data", path)


def _check_tool_use(block: JsonObject, path: str, _rules: Rules) -> None:
    if _ID.fullmatch(need_text(block, "id", path)) is None:
        raise InvalidRequestError(f"{path}.id", f"must match ^{_ID.pattern}$")
    if _CALLED_NAME.fullmatch(need_text(block, "name", path)) is None:
        raise InvalidRequestError(f"{path}.name", f"must match ^{_CALLED_NAME.pattern}$")
    need_object(block.get("input"), f"{path}.input")


def _check_tool_result(block: JsonObject, path: str, rules: Rules) -> None:
    need_text(block, "tool_use_id", path)
    failed = block.get("is_error", False)
    if not isinstance(failed, bool):
        raise InvalidRequestError(f"{path}.is_error", "must be true or false")
    content = block.get("content", "")
    if failed and not content:
        raise InvalidRequestError(f"{path}.content", "must not be empty when is_error is true")
    if isinstance(content, str):
        return
    for index, item in enumerate(need_list(content, f"{path}.content")):
        item_path = f"{path}.content.{index}"
        _check_result_block(need_object(item, item_path), item_path, rules, failed=failed)


def _check_result_block(block: JsonObject, path: str, rules: Rules, *, failed: bool) -> None:
    block_type = as_text(block.get("type"))
    if block_type not in _RESULT_TYPES:
        raise InvalidRequestError(f"{path}.type", f"`{block_type}` must not be in a tool_result")
    if failed and block_type != "text":
        raise InvalidRequestError(path, "all content must be text when is_error is true")
    check_block(block, path, "user", rules)


def _check_reference(block: JsonObject, path: str, _rules: Rules) -> None:
    need_text(block, "tool_name", path)


def _check_search_result(block: JsonObject, path: str, _rules: Rules) -> None:
    need_text(block, "source", path)
    need_text(block, "title", path)
    need_list(block.get("content"), f"{path}.content")


_USER = frozenset({"user"})
_ASSISTANT = frozenset({"assistant"})
_BOTH = _USER | _ASSISTANT


def _fields(names: str) -> frozenset[str]:
    return frozenset(names.split())


_KINDS: dict[JsonValue, _Kind] = {
    "text": _Kind(_BOTH, _fields("text cache_control citations"), _check_text),
    "image": _Kind(_USER, _fields("source cache_control transformations"), _check_image),
    "document": _Kind(
        _USER, _fields("source cache_control citations context title"), _check_source
    ),
    "search_result": _Kind(
        _USER, _fields("source title content cache_control citations"), _check_search_result
    ),
    "tool_reference": _Kind(_USER, _fields("tool_name cache_control"), _check_reference),
    "tool_result": _Kind(
        _USER,
        _fields("tool_use_id content is_error cache_control toolset_name"),
        _check_tool_result,
    ),
    "tool_use": _Kind(
        _ASSISTANT, _fields("id name input cache_control caller toolset_name"), _check_tool_use
    ),
    "thinking": _Kind(_ASSISTANT, _fields("thinking signature"), _check_thinking),
    "redacted_thinking": _Kind(_ASSISTANT, _fields("data"), _check_redacted),
}
