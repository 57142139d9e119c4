"""Checking a whole request.

Owns: the fields beside messages, tools and system prompt, and the order of the checks.
"""

from collections.abc import Collection

from tools.fake_model.jsontypes import JsonObject, as_object, as_text
from tools.fake_model.scenario import Rules
from tools.fake_model.validation.cache_marks import check_cache_marks
from tools.fake_model.validation.definitions import check_system, check_tool_choice, check_tools
from tools.fake_model.validation.messages import PlacedMessage, check_messages
from tools.fake_model.validation.pairing import check_pairing, check_tool_names
from tools.fake_model.validation.problem import (
    InvalidRequestError,
    is_integer,
    need_list,
    need_object,
    need_text,
    refuse_extra,
)

MIN_THINKING_TOKENS = 1024

_FIELDS = frozenset({
    "model", "messages", "max_tokens", "system", "tools", "tool_choice", "thinking", "stream",
    "temperature", "top_p", "top_k", "stop_sequences", "metadata", "cache_control", "container",
    "context_management", "diagnostics", "fallbacks", "inference_geo", "mcp_servers",
    "output_config", "service_tier", "speed", "user_profile_id",
})  # fmt: skip
_GENERATION_FIELDS = frozenset({
    "max_tokens", "stream", "temperature", "top_p", "top_k", "stop_sequences", "metadata",
})  # fmt: skip
"""Not for counting tokens."""


class RequestCheck:
    """Checks requests as the real API does, stricter where ``Rules`` say so."""

    def __init__(self, rules: Rules, invented: Collection[str] = ()) -> None:
        """Prepare the checks.

        Args:
            rules: What to be strict about.
            invented: Names of tools the fake model called without being offered them; they may
                be in histories. Grows while the server runs.
        """
        self._rules = rules
        self._invented = invented

    def run(self, body: JsonObject, *, counting: bool = False) -> None:
        """Check the body of a request; ``counting``: one that only counts tokens.

        Raises:
            InvalidRequestError: The first problem that was found.
        """
        refuse_extra(body, _FIELDS - _GENERATION_FIELDS if counting else _FIELDS, "")
        need_text(body, "model", "")
        if not counting:
            _check_generation(body, self._rules)
        tools = check_tools(body["tools"]) if "tools" in body else frozenset[str]()
        if "system" in body:
            check_system(body["system"])
        if "tool_choice" in body:
            check_tool_choice(body, tools)
        messages = check_messages(body.get("messages"), self._rules)
        check_pairing(messages)
        if self._rules.known_tools:
            check_tool_names(messages, tools, self._invented)
        check_cache_marks(body)
        if "thinking" in body:
            _check_thinking(body, counting=counting)
            if self._rules.thinking_first:
                _check_thinking_first(body, messages)


def _check_generation(body: JsonObject, rules: Rules) -> None:
    limit = body.get("max_tokens")
    if "max_tokens" not in body:
        raise InvalidRequestError("max_tokens", "this field is required")
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise InvalidRequestError("max_tokens", "must be a whole number of at least 1")
    if rules.max_output_tokens and limit > rules.max_output_tokens:
        text = f"{limit} > {rules.max_output_tokens}, the maximum of `{as_text(body['model'])}`"
        raise InvalidRequestError("max_tokens", text)
    if not isinstance(body.get("stream", False), bool):
        raise InvalidRequestError("stream", "must be true or false")
    for name in ("temperature", "top_p"):
        _check_fraction(body, name)
    if "top_k" in body and not is_integer(body["top_k"]):
        raise InvalidRequestError("top_k", "must be a whole number")
    for index, sequence in enumerate(need_list(body.get("stop_sequences", []), "stop_sequences")):
        if not as_text(sequence).strip():
            text = "must be a string of more than white space"
            raise InvalidRequestError(f"stop_sequences.{index}", text)
    refuse_extra(need_object(body.get("metadata", {}), "metadata"), ("user_id",), "metadata")


def _check_fraction(body: JsonObject, name: str) -> None:
    value = body.get(name, 0)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise InvalidRequestError(name, "must be a number from 0 to 1")


def _check_thinking(body: JsonObject, *, counting: bool) -> None:
    thinking = need_object(body["thinking"], "thinking")
    kind = thinking.get("type")
    if kind not in {"enabled", "disabled", "adaptive", "between_tools"}:
        raise InvalidRequestError("thinking.type", "must be enabled, disabled or adaptive")
    if kind != "enabled":
        return
    budget, limit = thinking.get("budget_tokens"), body.get("max_tokens")
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < MIN_THINKING_TOKENS:
        text = f"must be a whole number of at least {MIN_THINKING_TOKENS}"
        raise InvalidRequestError("thinking.budget_tokens", text)
    if not counting and isinstance(limit, int) and budget >= limit:
        raise InvalidRequestError("thinking.budget_tokens", "must be less than max_tokens")
    if body.get("temperature", 1) != 1:
        raise InvalidRequestError("temperature", "must be 1 when thinking is enabled")


def _check_thinking_first(body: JsonObject, messages: list[PlacedMessage]) -> None:
    """Check the start of the tool turn that is running, if one is."""
    if as_object(body["thinking"]).get("type") != "enabled" or len(messages) < 2:
        return
    last, before = messages[-1], messages[-2]
    if last.blocks[0].type != "tool_result":
        return
    if before.blocks[0].type not in {"thinking", "redacted_thinking"}:
        text = f"expected thinking, found `{before.blocks[0].type}`, while thinking is enabled"
        raise InvalidRequestError(before.blocks[0].path, text)
