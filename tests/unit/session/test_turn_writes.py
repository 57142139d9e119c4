"""Which turn a write belongs to."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from pilotfish.core.ids import AgentId, CheckpointId, MessageId, SessionId, ToolUseId, TurnId
from pilotfish.session.state import TurnMark
from pilotfish.session.turn_writes import turns_of
from pilotfish.workspace.history import Checkpoint, WriteOrigin


def mark(name: str, time_ms: int) -> TurnMark:
    return TurnMark(
        turn_id=TurnId(name), message_id=MessageId(f"m-{name}"), title=name, time_ms=time_ms
    )


def write(turn: str, time_ms: int) -> Checkpoint:
    origin = WriteOrigin(
        session_id=SessionId("s"),
        turn_id=TurnId(turn),
        agent_id=AgentId("a"),
        tool_use_id=ToolUseId("t"),
    )
    return Checkpoint(
        id=CheckpointId(f"{turn}-{time_ms}"), origin=origin, path=Path("/a"),
        before=None, after="x", mode=None, time_ms=time_ms,
    )  # fmt: skip


TURNS = [mark("one", 100), mark("two", 200), mark("three", 300)]


def test_a_write_of_a_turn_is_its_own_whatever_the_clock_says() -> None:
    assert turns_of(TURNS, [write("two", 50), write("one", 999)]) == ["two", "one"]


def test_a_write_of_others_belongs_to_the_turn_that_had_begun_last() -> None:
    times = [99, 100, 199, 200, 250, 301]
    found = turns_of(TURNS, [write("agent", time) for time in times])
    assert found == [None, "one", "one", "two", "two", "three"]


def test_without_turns_nothing_belongs_to_any() -> None:
    assert turns_of([], [write("one", 1)]) == [None]


@given(st.lists(st.integers(0, 400)))
def test_later_writes_of_others_never_belong_to_earlier_turns(times: list[int]) -> None:
    order: dict[TurnId | None, int] = {None: -1}
    order |= {each.turn_id: at for at, each in enumerate(TURNS)}
    found = [order[one] for one in turns_of(TURNS, [write("agent", t) for t in sorted(times)])]
    assert found == sorted(found)
