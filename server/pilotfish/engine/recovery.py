"""What follows a reply that asks for no tools, or a call that failed.

Owns: the decision and its guards, each recovery as often as it may be tried. Pure: the turn does
what is decided.
See also: design 02 §9.6, 07 §6.
"""

from dataclasses import replace
from typing import TypeAlias

from pilotfish.core.reasons import ContinueReason, NoteOrigin, TerminalReason
from pilotfish.engine.reply import Reply
from pilotfish.engine.state import LoopState, TurnSettings
from pilotfish.llm.errors import ModelError
from pilotfish.util.records import dataclass

MAX_PAUSES = 5
"""``pause_turn`` replies that one turn continues from (design 07 §9.10)."""

MAX_OUTPUT_RECOVERIES = 3
"""How often a reply that was cut is continued (design 02 §9.6)."""

EMPTY_AFTER_TOOLS = "Your last reply was empty. Sum up for the user, or go on with the task."
CUT_SHORT = (
    "Your last reply was cut at the output limit. Go on exactly where it stopped: no apology, no "
    "recap. Do what is left in smaller pieces."
)
CALL_CUT_SHORT = (
    "Your last reply was cut at the output limit in the middle of a tool call, which was not run. "
    "Do the same in several smaller calls."
)
CALL_MISSING = "The model announced a tool call and sent none. Send “continue” to let it go on."
NOTHING_SAID = "The model answered without a word. Send “continue”, or ask in other words."
WINDOW_FULL = "The conversation no longer fits into the model's window. Start a new chat."

WINDOW_NEARLY_FULL = (
    "The conversation fills the model's window, so there is no room for an answer. Start a new chat, "
    "or go back to an earlier message."
)

RESERVE_WINDOW_FULL = (
    "The conversation fills the window of the fallback model {}, which answers for an overloaded one. "
    "Send the message again: your own model is asked first."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class GoOn:
    """Call the model once more."""

    reason: ContinueReason
    state: LoopState
    note: str = ""
    """What the model is told."""
    note_origin: NoteOrigin = "recovery"
    voids_reply: bool = False
    """Whether the reply is taken back, since the same is asked again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MakeRoom:
    """Shorten the conversation and call again; end when that is not possible."""

    otherwise: "End"


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """The model has said what it had to say; whether the turn ends is up to others."""

    message: str = ""
    """What the user should know if it does."""


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    """End the turn."""

    reason: TerminalReason
    message: str = ""


Next: TypeAlias = GoOn | MakeRoom | Finished | End


def go_on(
    state: LoopState, reason: ContinueReason, note: str = "", *, voids_reply: bool = False
) -> GoOn:
    """Return a further model call for a reason, with what the reason does to the state."""
    after = replace(state, transition=reason)
    match reason:
        case "next_turn":
            after = replace(after, escalated=False, output_recoveries=0, pauses=0)
        case "max_output_tokens_escalate":
            after = replace(after, escalated=True)
        case "max_output_tokens_recovery":
            after = replace(after, output_recoveries=state.output_recoveries + 1)
        case "reactive_compact_retry":
            after = replace(after, made_room=True)
        case "stop_hook_blocking":
            after = replace(after, held_back=True)
        case "model_fallback":
            after = replace(after, substituted=True, escalated=False)
        case "pause_continued":
            after = replace(after, pauses=state.pauses + 1)
        case "empty_reply_nudge":
            after = replace(after, nudged=True)
        case "queued_prompts" | "late_news":
            pass
    return GoOn(reason=reason, state=after, note=note, voids_reply=voids_reply)


def after_words(
    state: LoopState, reply: Reply, settings: TurnSettings, *, first_call: bool
) -> Next:
    """Decide what follows a reply without tool calls."""
    step: Next = Finished()
    match reply.stop_reason:
        case "refusal":
            step = End(reason="refusal", message="The model declined to answer this request.")
        case "model_context_window_exceeded":
            step = _room_or_end(state, WINDOW_FULL, settings.model)
        case "max_tokens":
            step = _after_cut(state, reply, settings)
        case "tool_use":
            step = End(reason="model_error", message=CALL_MISSING)
        case "pause_turn" if state.pauses < MAX_PAUSES and reply.blocks:
            step = go_on(state, "pause_continued")
        case _ if reply.silent and not state.nudged and not first_call:
            step = go_on(state, "empty_reply_nudge", EMPTY_AFTER_TOOLS)
        case _ if reply.silent:
            step = Finished(message=NOTHING_SAID)
        case _:
            pass
    return step


def after_error(
    state: LoopState,
    error: ModelError,
    *,
    model: str,
    substitute: str | None,
    no_substitute: str = "",
) -> Next:
    """Decide what follows a model call that failed for good.

    Args:
        state: The loop's state.
        error: Why it failed.
        model: Name of the model that was called.
        substitute: Name of the model that can take over, or has; None when there is none.
        no_substitute: Why the one that is named in the settings cannot.
    """
    match error.kind:
        case "overloaded" if substitute is not None and not state.substituted:
            note = f"{model} is overloaded. {substitute} takes over for the rest of this turn."
            step = go_on(state, "model_fallback", note, voids_reply=True)
            return replace(step, note_origin="fallback")
        case "prompt_too_long":
            return _room_or_end(state, str(error), substitute or model)
        case "image_rejected":
            return End(reason="image_error", message=str(error))
        case "overloaded" if no_substitute:
            return End(reason="model_error", message=f"{error} {no_substitute}")
        case _ if state.substituted and substitute is not None:
            took_over = f"{substitute} took over from {model}, which is overloaded, and failed too."
            return End(reason="model_error", message=f"{took_over} {error}")
        case _:
            return End(reason="model_error", message=str(error))


def _after_cut(state: LoopState, reply: Reply, settings: TurnSettings) -> Next:
    # A reply that continues a paused one has grown together with it and cannot be asked for anew.
    can_ask_anew = state.transition != "pause_continued" and state.output_recoveries == 0
    if not state.escalated and settings.escalated_max_tokens and can_ask_anew:
        return go_on(state, "max_output_tokens_escalate", voids_reply=True)
    if state.output_recoveries < MAX_OUTPUT_RECOVERIES and reply.blocks:
        return go_on(state, "max_output_tokens_recovery", CUT_SHORT)
    limit = settings.escalated_max_tokens if state.escalated else settings.max_tokens
    return End(
        reason="output_limit",
        message=f"The reply reached the output limit of {limit:,} tokens and was cut. Ask to "
        "continue, or raise the setting model.maxTokens.",
    )


def _room_or_end(state: LoopState, why: str, answering: str) -> Next:
    # The user's own model, which may have more room than its fallback, has not been asked.
    message = RESERVE_WINDOW_FULL.format(answering) if state.substituted else why
    end = End(reason="prompt_too_long", message=message)
    return end if state.made_room else MakeRoom(otherwise=end)


def full_window(own: TurnSettings, now: TurnSettings, tokens: int) -> str:
    """Return what to do about a conversation that the next answer has no room beside; empty when it has.

    Args:
        own: The settings of the user's own model.
        now: Those of the model that answers: it, or its fallback.
        tokens: Length of the conversation.
    """
    if not 0 < now.max_context_tokens < tokens:
        return ""
    if 0 < own.max_context_tokens < tokens:
        return WINDOW_NEARLY_FULL
    return RESERVE_WINDOW_FULL.format(now.model)
