"""Questions are stored before they are shown, answered once, and always end."""

import asyncio

import pytest
from pilotfish.core.events import KeptEvent, QuestionAsked, QuestionResolved
from pilotfish.core.ids import MAIN_AGENT, RequestId, SessionId, ToolUseId
from pilotfish.core.permission import PermissionAnswer, PermissionQuestion
from pilotfish.session.inbox import Inbox

YES = PermissionAnswer(kind="allow_once")


def question(name: str = "q1") -> PermissionQuestion:
    return PermissionQuestion(
        request_id=RequestId(name),
        session_id=SessionId("s"),
        agent_id=MAIN_AGENT,
        tool_use_id=ToolUseId("t"),
        tool="Bash",
        title="make",
        input={},
        reason="",
        risk="normal",
        suggestions=(),
        hide_always=False,
    )


@pytest.fixture
def events() -> list[KeptEvent]:
    return []


@pytest.fixture
def inbox(events: list[KeptEvent]) -> Inbox:
    return Inbox(events.append, can_ask=lambda: True, can_ask_forms=lambda: True)


async def ask(inbox: Inbox) -> asyncio.Task[PermissionAnswer]:
    task = asyncio.get_running_loop().create_task(inbox.ask(question()))
    await asyncio.sleep(0)  # lets the task run up to its wait
    assert inbox.open_questions()
    return task


async def test_a_question_is_stored_then_open_then_resolved(
    inbox: Inbox, events: list[KeptEvent]
) -> None:
    task = await ask(inbox)
    assert events == [QuestionAsked(question=question())]
    assert inbox.answer(RequestId("q1"), YES)
    assert await task == YES
    assert inbox.open_questions() == ()
    assert events[-1] == QuestionResolved(request_id=RequestId("q1"), answer="allow_once")


async def test_the_second_answer_is_not_used(inbox: Inbox) -> None:
    task = await ask(inbox)
    assert inbox.answer(RequestId("q1"), YES)
    assert not inbox.answer(RequestId("q1"), PermissionAnswer(kind="reject"))
    assert (await task).kind == "allow_once"
    assert not inbox.answer(RequestId("q1"), YES)


async def test_cancelling_the_wait_withdraws_the_question(
    inbox: Inbox, events: list[KeptEvent]
) -> None:
    task = await ask(inbox)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert inbox.open_questions() == ()
    assert events[-1] == QuestionResolved(request_id=RequestId("q1"), answer="withdrawn")


async def test_when_nobody_is_left_every_question_ends(inbox: Inbox) -> None:
    task = await ask(inbox)
    inbox.withdraw_all()
    assert (await task).kind == "withdrawn"


async def test_an_unknown_question_cannot_be_answered(inbox: Inbox) -> None:
    assert not inbox.answer(RequestId("nope"), YES)
