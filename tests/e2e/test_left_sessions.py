"""Chats that nobody looks at any more: they end once nothing of them runs or waits."""

import asyncio

import pytest

from tests.e2e.test_background_agents import begun, held
from tests.e2e.test_background_commands import in_background, pid_of
from tests.support.agent_scripts import cast
from tests.support.chat import Chat
from tests.support.stage import Stage, alive, text_of
from tests.support.waiting import until, until_answer
from tests.support.wire_client import Json, WireError
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


def left(chat: Chat) -> Json:
    return {"sessionId": chat.id, "_meta": {"pilotfish": {"whenQuiet": True}}}


async def leave(chat: Chat) -> None:
    """Tell that nobody looks at the chat any more."""
    assert await chat.client.request("session/close", left(chat)) == {}


async def is_open(chat: Chat) -> bool:
    try:
        await chat.snapshot()
    except WireError:
        return False
    return True


async def closed(chat: Chat) -> None:
    async def is_closed() -> bool:
        return not await is_open(chat)

    await until_answer(is_closed)


async def test_a_quiet_chat_ends_and_comes_back_whole(stage: Stage) -> None:
    stage.play(["One.", "Two."])
    chat = await stage.chat()
    await chat.ask("First")
    await leave(chat)
    await closed(chat)
    await leave(chat)  # that it has ended already is no mistake
    again, _ = await stage.reload(chat.id)
    assert await again.ask("Second") == "end_turn"
    assert [text_of(one) for one in stage.body()["messages"][0]["content"]][-1] == "First"
    assert len(stage.body()["messages"]) == 3


async def test_a_turn_goes_on_to_its_end_first(stage: Stage) -> None:
    stage.play([held("The whole answer.")])
    chat = await stage.chat()
    prompt = chat.send("Tell me")
    await stage.stalled()
    await leave(chat)
    assert await is_open(chat)
    stage.fake.release()
    assert await prompt.stop_reason() == "end_turn"
    assert chat.text() == "The whole answer."
    await closed(chat)


async def test_a_prompt_that_was_sent_before_is_not_lost(stage: Stage) -> None:
    stage.play(["Done."])
    chat = await stage.chat()
    prompt = chat.send("Do it")
    chat.client.send_request("session/close", left(chat))
    assert await prompt.stop_reason() == "end_turn"
    assert chat.text() == "Done."
    await closed(chat)


async def test_its_question_stays_open_until_it_is_answered(stage: Stage) -> None:
    write = ToolUse("Write", {"file_path": "a.txt", "content": "a\n"}, id="toolu_write")
    stage.play([Turn([write]), "Written."])
    chat = await stage.chat()
    prompt = chat.send("Write a.txt")
    question = await chat.question()
    await leave(chat)
    assert await is_open(chat)
    assert not question.is_withdrawn
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert (stage.project / "a.txt").read_text() == "a\n"
    await closed(chat)


async def test_what_was_allowed_for_it_is_still_allowed_afterwards(stage: Stage) -> None:
    touch = [Turn([ToolUse("Bash", {"command": f"touch {name}"})]) for name in ("a", "b")]
    stage.play([touch[0], "One.", touch[1], "Two."])
    chat = await stage.chat()
    prompt = chat.send("Touch a")
    question = await chat.question()
    question.answer("allow_always", destination="session")
    assert await prompt.stop_reason() == "end_turn"
    await leave(chat)
    again, _ = await stage.reload(chat.id)
    assert await again.ask("Touch b") == "end_turn"
    assert (stage.project / "b").exists()


async def test_who_comes_back_in_time_finds_it_as_it_was(stage: Stage) -> None:
    stage.play([held("The first answer."), "The second."])
    chat = await stage.chat()
    prompt = chat.send("Tell me")
    await stage.stalled()
    await leave(chat)
    await stage.reload(chat.id, "resume")
    stage.fake.release()
    assert await prompt.stop_reason() == "end_turn"
    assert await chat.ask("And then?") == "end_turn"
    assert await is_open(chat)


async def test_leaving_and_coming_back_in_one_breath_leaves_it_open(stage: Stage) -> None:
    stage.play(["One.", "Two."])
    chat = await stage.chat()
    await chat.ask("First")
    back: Json = {"sessionId": chat.id, "cwd": str(stage.project), "mcpServers": []}
    waits = [
        chat.client.send_request(f"session/{what}", params)[1]
        for _ in range(10)
        for what, params in (("close", left(chat)), ("resume", back))
    ]
    await asyncio.gather(*waits)
    assert await chat.ask("Second") == "end_turn"
    assert len(stage.body()["messages"]) == 3


async def test_who_leaves_while_it_is_being_opened_leaves_it(stage: Stage) -> None:
    stage.play(["One."])
    chat = await stage.chat()
    await chat.ask("First")
    await leave(chat)
    await closed(chat)
    back: Json = {"sessionId": chat.id, "cwd": str(stage.project), "mcpServers": []}
    _, opened = chat.client.send_request("session/resume", back)
    chat.client.send_request("session/close", left(chat))
    await opened
    await closed(chat)


async def test_its_agents_go_on_and_it_hears_of_them_first(stage: Stage) -> None:
    stage.play(
        cast(
            [Turn(["I send it.", begun()]), "It looks.", "The scout found a pond."],
            scout=[held("There is a pond.")],
        )
    )
    chat = await stage.chat()
    await chat.ask("Look around")
    await stage.stalled()
    await leave(chat)
    assert await is_open(chat)
    stage.fake.release()
    await closed(chat)
    assert chat.text().endswith("The scout found a pond.")


async def test_a_command_in_the_background_keeps_it_open_unless_it_may_outlive_it(
    stage: Stage,
) -> None:
    stage.play([Turn([in_background()]), "It goes on.", "It has finished."])
    chat = await stage.chat(allowedTools=["Bash"])
    await chat.ask("Build it")
    await until((stage.project / "pid").exists)
    await leave(chat)
    assert await is_open(chat)
    wish = {"sessionId": chat.id, "taskId": "bash_1", "keep": True}
    assert await stage.client.request("_pilotfish/tasks/keep", wish) == {"taken": True}
    await closed(chat)
    assert alive({await pid_of(stage)})
    again, _ = await stage.reload(chat.id)
    (stage.project / "go").touch()
    await until(lambda: again.text().endswith("It has finished."))


async def test_twenty_that_were_left_leave_nothing_behind(stage: Stage) -> None:
    stage.play(["Ready."] * 20 + ["Again."] * 20)
    before: Json = await stage.client.request("_pilotfish/testing/stats", {})
    chats = [await stage.chat() for _ in range(20)]
    for chat in chats:
        await chat.ask("Begin")
        await leave(chat)
    for chat in chats:
        await closed(chat)
        again, _ = await stage.reload(chat.id)
        await again.ask("Go on")
        await leave(chat)
    for chat in chats:
        await closed(chat)

    async def is_as_before() -> bool:
        now: Json = await stage.client.request("_pilotfish/testing/stats", {})
        same = all(now[fact] == before[fact] for fact in ("sessions", "openDocuments"))
        return same and now["children"] == []

    await until_answer(is_as_before)
