"""A person at a terminal, when questions come and go."""

import asyncio
import io
import os
import pty
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import pytest
from pilotfish.core.ids import MAIN_AGENT, RequestId, SessionId, ToolUseId
from pilotfish.core.permission import PermissionAnswer, PermissionQuestion
from pilotfish.edges.headless.terminal import TerminalAsker

from tests.support.waiting import until

WAIT_S = 60
HINT = "[y] once"


@dataclass
class Person:
    """Somebody at a pseudo-terminal."""

    asker: TerminalAsker
    screen: io.StringIO
    fd: int

    def ask(self, command: str) -> asyncio.Task[object]:
        """Put a question."""
        return asyncio.create_task(self.asker.ask(question(command)))

    async def sees(self, text: str, count: int = 1) -> None:
        """Wait until a text stands on the screen so many times."""
        await until(lambda: self.screen.getvalue().count(text) == count)

    def types(self, line: str) -> None:
        """Type a line."""
        os.write(self.fd, f"{line}\n".encode())


@pytest.fixture
def person() -> Iterator[Person]:
    ours, theirs = pty.openpty()
    screen = io.StringIO()
    with os.fdopen(theirs, encoding="utf-8") as stdin:
        yield Person(TerminalAsker(stdin, screen), screen, ours)
        with suppress(OSError):
            os.write(ours, b"\n" * len(readers()))
        for reader in readers():
            reader.join(WAIT_S)
        os.close(ours)


def readers() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "terminal-reader"]


def question(command: str) -> PermissionQuestion:
    return PermissionQuestion(
        request_id=RequestId(f"ask {command}"),
        session_id=SessionId("s"),
        agent_id=MAIN_AGENT,
        tool_use_id=ToolUseId(command),
        tool="Bash",
        title=command,
        input={"command": command},
        reason="It may change files.",
        risk="normal",
        suggestions=(),
        hide_always=False,
    )


async def withdraw(task: asyncio.Task[object]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_line_answers_the_question_that_stands_there(person: Person) -> None:
    first = person.ask("make one")
    await person.sees(HINT)
    await withdraw(first)
    assert person.screen.getvalue().endswith("\n  (no answer is needed any more)\n")
    second = person.ask("make two")
    await person.sees(HINT, 2)
    assert len(readers()) == 1
    person.types("y")
    async with asyncio.timeout(WAIT_S):
        assert await second == PermissionAnswer(kind="allow_once")


async def test_a_line_typed_between_two_questions_answers_neither(person: Person) -> None:
    first = person.ask("make one")
    await person.sees(HINT)
    await withdraw(first)
    person.types("y")
    await until(lambda: readers() == [])
    second = person.ask("make two")
    await person.sees(HINT, 2)
    await until(lambda: len(readers()) == 1)
    assert not second.done()
    person.types("n")
    async with asyncio.timeout(WAIT_S):
        assert await second == PermissionAnswer(kind="reject")


async def test_a_question_that_is_withdrawn_before_its_turn_is_never_shown(person: Person) -> None:
    first, second = person.ask("make one"), person.ask("make two")
    await person.sees(HINT)
    await withdraw(second)
    person.types("y")
    async with asyncio.timeout(WAIT_S):
        assert await first == PermissionAnswer(kind="allow_once")
    assert "make two" not in person.screen.getvalue()
    assert "no answer is needed" not in person.screen.getvalue()
