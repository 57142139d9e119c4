"""Closed sets of reasons and states.

Owns: why a turn ended, what a session is doing, why the model stopped.
See also: design 02 §9.6 (terminal reasons).
"""

from typing import Literal

TerminalReason = Literal[
    "completed",
    "model_error",
    "aborted_streaming",
    "aborted_tools",
    "max_turns",
    "max_budget",
    "refused",
    "refusal",
    "output_limit",
    "prompt_too_long",
    "interrupted",
]
"""Why a turn ended.

``refused``: the user refused a call, which stops the turn. ``refusal``: the model declined.
``interrupted``: the process ended during the turn; written when the session is next loaded.
"""

SessionState = Literal["idle", "running", "requires_action"]

StopReason = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
"""What ``session/prompt`` answers (the Agent Client Protocol's words)."""

ModelStopReason = Literal[
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "tool_use",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
]
"""Why the model stopped (the Messages API's words)."""

_STOP: dict[TerminalReason, StopReason] = {
    "completed": "end_turn",
    "model_error": "end_turn",
    "aborted_streaming": "cancelled",
    "aborted_tools": "cancelled",
    "max_turns": "max_turn_requests",
    "max_budget": "max_turn_requests",
    "refused": "cancelled",
    "refusal": "refusal",
    "output_limit": "max_tokens",
    "prompt_too_long": "max_tokens",
    "interrupted": "cancelled",
}


def to_stop_reason(reason: TerminalReason) -> StopReason:
    """Translate a terminal reason into the answer of ``session/prompt``."""
    return _STOP[reason]
