"""What follows a reply or a failure, and that each recovery has its end."""

from dataclasses import replace
from typing import get_args

import pytest
from pilotfish.core.reasons import ModelStopReason
from pilotfish.engine.recovery import (
    MAX_OUTPUT_RECOVERIES,
    MAX_PAUSES,
    NOTHING_SAID,
    RESERVE_WINDOW_FULL,
    End,
    Finished,
    GoOn,
    MakeRoom,
    after_error,
    after_words,
    go_on,
)
from pilotfish.engine.reply import Reply
from pilotfish.engine.state import LoopState, TurnSettings
from pilotfish.llm.errors import ModelError, ModelErrorKind

SETTINGS = TurnSettings(
    model="m",
    system=(),
    tools=(),
    max_tokens=100,
    escalated_max_tokens=400,
    thinking_budget_tokens=0,
    max_model_calls=10,
)


def reply(stop_reason: ModelStopReason | None, blocks: int = 1) -> Reply:
    return Reply(stop_reason=stop_reason, blocks=blocks)


@pytest.mark.parametrize("stop_reason", get_args(ModelStopReason))
def test_every_stop_reason_comes_to_an_end_when_it_repeats(stop_reason: ModelStopReason) -> None:
    reasons: list[str] = []
    step = after_words(LoopState(), reply(stop_reason), SETTINGS, first_call=False)
    while isinstance(step, GoOn) and len(reasons) < 20:
        reasons.append(step.reason)
        step = after_words(step.state, reply(stop_reason), SETTINGS, first_call=False)
    assert isinstance(step, End | Finished | MakeRoom)
    expected = {
        "max_tokens": ["max_output_tokens_escalate"]
        + ["max_output_tokens_recovery"] * MAX_OUTPUT_RECOVERIES,
        "pause_turn": ["pause_continued"] * MAX_PAUSES,
    }
    assert reasons == expected.get(stop_reason, [])


def test_only_the_first_cut_reply_is_void_and_only_with_more_room() -> None:
    first = after_words(LoopState(), reply("max_tokens"), SETTINGS, first_call=True)
    assert isinstance(first, GoOn)
    assert first.voids_reply
    then = after_words(first.state, reply("max_tokens"), SETTINGS, first_call=False)
    assert isinstance(then, GoOn)
    assert not then.voids_reply
    assert "no apology" in then.note


def test_a_continued_reply_is_never_asked_for_anew() -> None:
    paused = go_on(LoopState(), "pause_continued").state
    step = after_words(paused, reply("max_tokens"), SETTINGS, first_call=False)
    assert isinstance(step, GoOn)
    assert step.reason == "max_output_tokens_recovery"


def test_tools_that_ran_reset_what_was_tried_but_not_the_room_that_was_made() -> None:
    state = LoopState(
        escalated=True, output_recoveries=3, pauses=2, made_room=True, held_back=True, nudged=True
    )
    after = go_on(state, "next_turn").state
    assert (after.escalated, after.output_recoveries, after.pauses) == (False, 0, 0)
    assert (after.made_room, after.held_back, after.nudged) == (True, True, True)


def test_an_empty_reply_is_asked_about_once_and_not_at_the_start() -> None:
    first = after_words(LoopState(), reply("end_turn", 0), SETTINGS, first_call=True)
    assert first == Finished(message=NOTHING_SAID)
    step = after_words(LoopState(), reply("end_turn", 0), SETTINGS, first_call=False)
    assert isinstance(step, GoOn)
    again = after_words(step.state, reply("end_turn", 0), SETTINGS, first_call=False)
    assert again == Finished(message=NOTHING_SAID)
    assert after_words(step.state, reply("end_turn"), SETTINGS, first_call=False) == Finished()


def test_a_window_of_the_fallback_is_not_taken_for_that_of_the_users_own_model() -> None:
    taken_over = LoopState(substituted=True, made_room=True)
    error = ModelError("prompt_too_long", "Too long. Start a new session.")
    expected = End(reason="prompt_too_long", message=RESERVE_WINDOW_FULL.format("small"))
    assert after_error(taken_over, error, model="m", substitute="small") == expected
    exceeded = reply("model_context_window_exceeded")
    small = replace(SETTINGS, model="small")
    assert after_words(taken_over, exceeded, small, first_call=False) == expected
    own = after_error(LoopState(made_room=True), error, model="m", substitute="small")
    assert own == End(reason="prompt_too_long", message=str(error))


def test_room_is_made_once() -> None:
    error = ModelError("prompt_too_long", "Too long.")
    assert isinstance(after_error(LoopState(), error, model="first", substitute=None), MakeRoom)
    state = go_on(LoopState(), "reactive_compact_retry").state
    step = after_error(state, error, model="first", substitute=None)
    assert isinstance(step, End)
    assert step.reason == "prompt_too_long"


@pytest.mark.parametrize(
    ("kind", "substitute", "substituted", "goes_on"),
    [
        ("overloaded", "other", False, True),
        ("overloaded", "other", True, False),
        ("overloaded", None, False, False),
        ("server", "other", False, False),
    ],
)
def test_another_model_takes_over_once_and_only_from_an_overloaded_one(
    kind: ModelErrorKind, substitute: str | None, substituted: bool, goes_on: bool
) -> None:
    state = LoopState(substituted=substituted)
    step = after_error(state, ModelError(kind, "No."), model="first", substitute=substitute)
    assert isinstance(step, GoOn) is goes_on
    if isinstance(step, GoOn):
        assert step.voids_reply
        assert step.state.substituted
        assert "first is overloaded. other takes over" in step.note
        assert step.note_origin == "fallback"


def test_who_failed_and_who_could_not_help_is_said() -> None:
    failed = ModelError("not_found", "There is no such model.")
    step = after_error(LoopState(substituted=True), failed, model="first", substitute="other")
    assert isinstance(step, End)
    assert step.message.startswith("other took over from first, which is overloaded, and failed")
    assert step.message.endswith("There is no such model.")
    busy = ModelError("overloaded", "It is overloaded.")
    step = after_error(
        LoopState(), busy, model="first", substitute=None, no_substitute="Nobody helps."
    )
    assert step == End(reason="model_error", message="It is overloaded. Nobody helps.")
