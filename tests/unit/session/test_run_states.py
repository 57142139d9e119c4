"""Runs go one way: an end is final, what waits is taken once, what works is never forgotten.

Design 04 §10: AUT-002, AUT-005, AUT-006, AUT-010, AUT-011.
"""

import asyncio
from pathlib import Path
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st
from pilotfish.core.agent_events import (
    AgentBackgrounded,
    AgentEnded,
    AgentResumed,
    AgentStarted,
    AgentTold,
)
from pilotfish.core.agents import AgentOutcome, EndStatus
from pilotfish.core.background import BackgroundTask
from pilotfish.core.events import (
    BackgroundEnded,
    BackgroundKept,
    BackgroundStarted,
    BackgroundTold,
    EventRecord,
    KeptEvent,
    NoteAdded,
)
from pilotfish.core.ids import MAIN_AGENT, AgentId, TaskId, ToolUseId
from pilotfish.core.reasons import StopReason, TerminalReason, to_stop_reason
from pilotfish.session.state import MAX_BACKGROUND_TASKS, SessionData
from pilotfish.workspace.path_locks import PathLocks

from tests.support.made_up_agents import facts, outcome

A = AgentId("a")


def fold(events: list[KeptEvent]) -> SessionData:
    data = SessionData()
    for seq, event in enumerate(events, start=1):
        data.apply(EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT))
    return data


def ended(status: EndStatus, text: str) -> AgentEnded:
    return AgentEnded(agent_id=A, outcome=outcome(text, status))


_EVENTS = st.lists(
    st.one_of(
        st.builds(ended, st.sampled_from(["completed", "failed", "killed"]), st.text(max_size=3)),
        st.just(AgentTold(agent_id=A)),
        st.just(AgentBackgrounded(agent_id=A)),
        st.just(AgentResumed(agent_id=A)),
    ),
    max_size=12,
)


@settings(max_examples=400)
@given(_EVENTS)
def test_whatever_is_said_of_an_agent_its_first_end_stands_until_it_goes_on(
    events: list[KeptEvent],
) -> None:
    data = fold([AgentStarted(facts=facts("a")), *events])
    end: AgentOutcome | None = None
    told = False
    for event in events:
        match event:
            case AgentEnded(outcome=said) if end is None:
                end = said
            case AgentTold() if end is not None:
                told = True
            case AgentResumed():
                end, told = None, False
            case _:
                pass
    entry = data.agents[A]
    assert entry.outcome == end
    assert entry.told == told
    assert entry.status == ("running" if end is None else end.status)


def test_what_is_said_of_an_agent_that_nobody_knows_changes_nothing() -> None:
    assert (
        fold([ended("completed", "x"), AgentTold(agent_id=A), AgentResumed(agent_id=A)]).agents
        == {}
    )


_TASK = BackgroundTask(
    task_id=TaskId("bash_1"),
    tool_use_id=ToolUseId("toolu_1"),
    title="make",
    output_path="/o",
    started_ms=1,
)

_ENDS: list[BackgroundEnded] = [
    BackgroundEnded(task_id=_TASK.task_id, status=status, outcome=f"{status}")
    for status in ("completed", "failed", "stopped", "lost")
]

_OF_TASK = st.lists(
    st.sampled_from(
        [
            *_ENDS,
            BackgroundTold(task_id=_TASK.task_id),
            NoteAdded(text="its end", origin="task", task_id=_TASK.task_id),
            BackgroundKept(task_id=_TASK.task_id, kept=True),
        ]
    ),
    max_size=8,
)


@settings(max_examples=300)
@given(_OF_TASK)
def test_whatever_is_said_of_a_command_its_first_end_stands(events: list[KeptEvent]) -> None:
    data = fold([BackgroundStarted(task=_TASK), *events])
    status, told, kept = "running", False, False
    for event in events:
        match event:
            case BackgroundEnded() if status == "running":
                status = event.status
            case BackgroundKept() if status == "running":
                kept = True
            case BackgroundTold() | NoteAdded():
                told = told or status != "running"
            case _:
                pass
    task = data.background[_TASK.task_id]
    assert (task.status, task.told, task.kept) == (status, told, kept)


def test_commands_that_run_are_kept_however_many_have_ended() -> None:
    def task(number: int) -> BackgroundTask:
        return BackgroundTask(
            task_id=TaskId(f"t{number}"),
            tool_use_id=ToolUseId(f"toolu_{number}"),
            title="sleep 1",
            output_path="/o",
            started_ms=number,
        )

    count = MAX_BACKGROUND_TASKS * 2
    events: list[KeptEvent] = []
    for number in range(count):
        events.append(BackgroundStarted(task=task(number)))
        if number % 10 == 0:
            continue
        ended_task = task(number).task_id
        events.append(BackgroundEnded(task_id=ended_task, status="completed", outcome="exit 0"))
        if number % 10 != 5:
            events.append(BackgroundTold(task_id=ended_task))
    data = fold(events)
    running = [each.task_id for each in data.background.values() if each.status == "running"]
    assert running == [f"t{number}" for number in range(0, count, 10)]
    untold = [
        each.task_id
        for each in data.background.values()
        if each.status != "running" and not each.told
    ]
    assert untold == [f"t{number}" for number in range(5, count, 10)], "its end is still news"
    assert len(data.background) <= MAX_BACKGROUND_TASKS


async def test_locks_of_files_are_forgotten_after_success_failure_and_cancel() -> None:
    locks, path = PathLocks(), Path("/w/a.py")
    order: list[str] = []

    async def write(name: str) -> None:
        async with locks.hold(path):
            order.append(name)
            await asyncio.sleep(0)
            if name == "fails":
                raise ValueError(name)

    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(write(name)) for name in ("one", "fails", "two", "stopped", "three")]
    await asyncio.sleep(0)
    assert len(locks) == 1
    tasks[3].cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert order == ["one", "fails", "two", "three"]
    assert isinstance(results[1], ValueError)
    assert len(locks) == 0
    assert locks._users == {}


def test_every_reason_to_end_has_an_answer_of_the_protocol() -> None:
    for reason in get_args(TerminalReason):
        assert to_stop_reason(reason) in get_args(StopReason)
