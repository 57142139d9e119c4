"""A model that goes round in circles is told, then stopped."""

from pilotfish.core.calls import ToolCall
from pilotfish.core.ids import ToolUseId
from pilotfish.core.messages import TextBlock
from pilotfish.engine.call_watch import REMIND_AFTER, STOP_AFTER, CallWatch


def play(watch: CallWatch, name: str, result: str = "same", error: str | None = None) -> list[str]:
    call = ToolCall(id=ToolUseId("c"), name=name, input={}, input_error=error)
    return watch.after([call], {call.id: (TextBlock(text=result),)})


def test_the_same_call_with_the_same_result_is_noticed_and_then_ends_the_turn() -> None:
    watch = CallWatch()
    told = [bool(play(watch, "Read")) for _ in range(STOP_AFTER)]
    assert told.index(True) == REMIND_AFTER - 1
    assert "Read" in watch.verdict


def test_two_calls_in_turns_are_a_circle_too() -> None:
    watch = CallWatch()
    for _ in range(STOP_AFTER):
        play(watch, "Read")
        play(watch, "Grep")
    assert watch.verdict


def test_a_result_that_changes_or_another_call_is_a_way_out() -> None:
    watch = CallWatch()
    for n in range(3 * STOP_AFTER):
        assert play(watch, "TaskOutput", f"line {n}") == []
    for n in range(3 * STOP_AFTER):
        play(watch, "Read")
        play(watch, f"Edit{n}")
    assert watch.verdict == ""


def test_three_inputs_that_are_no_json_are_told_apart_from_other_failures() -> None:
    watch = CallWatch()
    notes = [play(watch, "Read", f"failed {n}", error="no JSON") for n in range(3)]
    assert [bool(one) for one in notes] == [False, False, True]
    assert "JSON" in notes[-1][0]
    assert play(watch, "Read", "well") == []
