"""The user presses Stop: everything ends at once and nothing is lost."""

import asyncio
from pathlib import Path

import psutil
import pytest

from tests.support.chat import Chat
from tests.support.stage import Stage, alive, assert_paired, text_of
from tests.support.waiting import WAIT_S, until
from tests.support.wire_client import WireError
from tools.fake_model import Pace, Scenario, Stall, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


def slow(text: str, after_events: int) -> Turn:
    return Turn(text, faults=[Stall(after_events=after_events)], pace=Pace(chunk_chars=10))


async def stopped_in_time(chat: Chat, answer: "asyncio.Future[object]") -> None:
    chat.stop()
    result = await asyncio.wait_for(asyncio.shield(answer), WAIT_S)
    assert result == {"stopReason": "cancelled"}


async def test_a_stop_while_the_model_speaks_keeps_what_it_said(stage: Stage) -> None:
    stage.play([slow("The first part. And a second part.", 4), "Again from there."])
    chat = await stage.chat()
    prompt = chat.send("Tell me")
    await chat.wait_for_text("The first part. And ")

    await stopped_in_time(chat, prompt.answer)

    assert chat.turns()[-1]["reason"] == "aborted_streaming"
    assert await chat.ask("Go on") == "end_turn"
    spoken = [one for one in stage.body()["messages"] if one["role"] == "assistant"]
    assert [text_of(one["content"][0]) for one in spoken] == ["The first part. And "]
    await until(lambda: stage.fake.requests[0].outcome == "client_left")


async def test_a_stop_before_the_model_answers_ends_the_turn(stage: Stage) -> None:
    stage.play([Turn("x", faults=[Stall(before_headers=True)]), "Hello."])
    chat = await stage.chat()
    prompt = chat.send("Hi")
    await stage.stalled()

    await stopped_in_time(chat, prompt.answer)

    assert await chat.ask("Hi again") == "end_turn"


async def test_a_stop_ends_a_running_command_and_all_its_children(stage: Stage) -> None:
    command = "(sleep 1000 & echo $! > inner.pid); echo $$ > outer.pid; sleep 1001"
    call = ToolUse("Bash", {"command": command}, id="toolu_long")
    stage.play([Turn(["I run it.", call]), "Stopped."])
    chat = await stage.chat(allowedTools=["Bash"])
    prompt = chat.send("Run it")
    pid_file = stage.project / "outer.pid"
    await until(lambda: pid_file.exists() and _sleeps(pid_file.read_text()))
    pids = {int((stage.project / name).read_text()) for name in ("inner.pid", "outer.pid")}

    await stopped_in_time(chat, prompt.answer)

    await until(lambda: not alive(pids))
    assert chat.turns()[-1]["reason"] == "aborted_tools"
    assert chat.tool_updates("toolu_long")[-1]["meta"]["toolStatus"] == "interrupted"
    assert await chat.ask("Go on") == "end_turn"
    assert_paired(stage.body())
    assert "stopped the turn" in text_of(stage.results()[0])


def _sleeps(pid: str) -> bool:
    """Tell whether the last command of the shell has begun."""
    if not pid.strip():
        return False
    children = psutil.Process(int(pid)).children()
    return any("1001" in child.cmdline() for child in children)


async def test_a_stop_during_a_question_withdraws_it(stage: Stage) -> None:
    write = ToolUse("Write", {"file_path": "a.txt", "content": "x"}, id="toolu_write")
    read = ToolUse("Read", {"file_path": "b.txt"}, id="toolu_read")
    stage.write("b.txt", "b\n")
    stage.play([Turn([write, read]), "As you like."])
    chat = await stage.chat()
    prompt = chat.send("Write a.txt")
    question = await chat.question()
    await chat.wait_for_state("requires_action")

    await stopped_in_time(chat, prompt.answer)

    await question.withdrawn()
    assert (await chat.snapshot())["questions"] == []
    question.answer("allow_once")
    await chat.client.settle()
    assert not (stage.project / "a.txt").exists()
    assert await chat.ask("Go on") == "end_turn"
    assert_paired(stage.body())
    assert [one["is_error"] for one in stage.results()] == [True, True]


async def test_cancelling_the_request_itself_stops_the_turn_too(stage: Stage) -> None:
    write = ToolUse("Write", {"file_path": "a.txt", "content": "x"})
    stage.play([Turn(["I write it.", write]), "As you like."])
    chat = await stage.chat()
    prompt = chat.send("Write a.txt")
    question = await chat.question()

    chat.client.notify("$/cancelRequest", {"id": prompt.request_id})

    with pytest.raises(WireError) as failure:
        await prompt.stop_reason()
    assert failure.value.code == -32800
    await question.withdrawn()
    await chat.wait_for_state("idle")
    assert chat.turns()[-1]["reason"] == "aborted_tools"
    assert await chat.ask("Go on") == "end_turn"
    assert_paired(stage.body())


async def test_a_stop_drops_the_prompts_that_wait(stage: Stage) -> None:
    stage.play([slow("Working on it now.", 3), "Fresh start."])
    chat = await stage.chat()
    first = chat.send("One")
    await stage.stalled()
    second = chat.send("Two")
    await chat.client.wait_until(lambda: chat.facts("queued") or None, "queued prompt")

    await stopped_in_time(chat, first.answer)

    assert await second.stop_reason() == "cancelled"
    assert chat.facts("discarded")
    assert await chat.ask("Three") == "end_turn"
    said = str(stage.body()["messages"])
    assert "Three" in said
    assert "Two" not in said


async def test_a_stop_without_a_turn_is_harmless(stage: Stage) -> None:
    stage.play(Scenario(["Still here."]))
    chat = await stage.chat()
    chat.stop()
    chat.client.notify("session/cancel", {"sessionId": "00000000-no-such-session"})
    chat.client.notify("$/cancelRequest", {"id": 99_999})
    assert await chat.ask("Hi") == "end_turn"


async def test_a_stop_leaves_other_sessions_alone(stage: Stage, tmp_path: Path) -> None:
    stage.play([slow("A long answer.", 3), slow("Another answer.", 3)])
    one = await stage.chat()
    first = one.send("One")
    await stage.stalled(count=1)
    two = await stage.chat()
    second = two.send("Two")
    await stage.stalled(count=2)

    await stopped_in_time(one, first.answer)
    stage.fake.release(count=2)

    assert await second.stop_reason() == "end_turn"
    assert two.text() == "Another answer."
