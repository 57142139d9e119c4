"""Closed sets of reasons and states.

Owns: why a turn ended, what a session is doing, why the model stopped.
See also: design 02 §9.6 (terminal reasons).
"""

from typing import Literal

TerminalReason = Literal[
    "completed",
    "model_error",
    "image_error",
    "aborted_streaming",
    "aborted_tools",
    "max_turns",
    "max_budget",
    "refused",
    "refusal",
    "output_limit",
    "prompt_too_long",
    "blocking_limit",
    "repetition",
    "stop_hook_prevented",
    "hook_stopped",
    "interrupted",
]
"""Why a turn ended.

``refused``: the user refused a call, which stops the turn. ``refusal``: the model declined.
``blocking_limit``: the window was nearly full before the call. ``repetition``: the model went round
in circles. ``hook_stopped``: a hook around a call ended the turn; ``stop_hook_prevented``: one that
looks at its end. ``interrupted``: the process ended during the turn; written when the session is
next loaded.
"""

ContinueReason = Literal[
    "next_turn",
    "queued_prompts",
    "late_news",
    "pause_continued",
    "empty_reply_nudge",
    "max_output_tokens_escalate",
    "max_output_tokens_recovery",
    "reactive_compact_retry",
    "model_fallback",
    "stop_hook_blocking",
]
"""Why the loop of a turn calls the model once more."""

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
    "image_error": "end_turn",
    "aborted_streaming": "cancelled",
    "aborted_tools": "cancelled",
    "max_turns": "max_turn_requests",
    "max_budget": "max_turn_requests",
    "refused": "cancelled",
    "refusal": "refusal",
    "output_limit": "max_tokens",
    "prompt_too_long": "max_tokens",
    "blocking_limit": "max_tokens",
    "repetition": "max_turn_requests",
    "stop_hook_prevented": "end_turn",
    "hook_stopped": "cancelled",
    "interrupted": "cancelled",
}


def to_stop_reason(reason: TerminalReason) -> StopReason:
    """Translate a terminal reason into the answer of ``session/prompt``."""
    return _STOP[reason]


NoteOrigin = Literal[
    "diagnostics",
    "mode",
    "plan",
    "denials",
    "recovery",
    "fallback",
    "queue",
    "review",
    "task",
    "agents",
    "skills",
]
"""What a reminder for the model is about."""
