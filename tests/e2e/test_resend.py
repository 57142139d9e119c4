"""Asking once more: in other words, or the same after an error."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_prompt_queue import busy, listed, wait_for_queued
from tests.support.chat import Chat
from tests.support.stage import Stage, all_text, assert_paired
from tests.support.wire_client import WireError
from tools.fake_model import HttpError, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def resend(chat: Chat, message: str, **more: Any) -> str:
    """Send a prompt once more and wait for the end of its turn; returns the new one's id."""
    ended = len(chat.turns())
    answer = await chat.client.request(
        "_pilotfish/session/resend", {"sessionId": chat.id, "messageId": message, **more}
    )
    await chat.client.wait_until(lambda: len(chat.turns()) > ended or None, "the end of the turn")
    return answer["messageId"]


def prompts(chat: Chat) -> list[str]:
    """Return the ids of the user's messages."""
    return [one["messageId"] for one in chat.facts("prompt")]


async def test_a_message_is_edited_and_sent_again(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        read = ToolUse("Read", {"file_path": "a.txt"})
        stage.play([Turn([read]), "One.", "Two.", "Better."])
        stage.write("a.txt", "hello\n")
        chat = await stage.chat()
        await chat.ask("First")
        await chat.ask("Second")
        first, second = prompts(chat)
        again = await resend(chat, second, text="Second, in other words")
        said = all_text(stage.body())
        assert "First" in said
        assert "Second, in other words" in said
        assert '"Second"' not in said
        assert again not in (first, second)
        assert [one["messageId"] for one in chat.facts("rewound")] == [second]
        # The model no longer knows the message that was replaced.
        with pytest.raises(WireError, match="not part of the conversation"):
            await resend(chat, second)
        # After a restart it is the same: going back is in the transcript.
        await stage.client.request("session/close", {"sessionId": chat.id})
        loaded, _ = await stage.reload(chat.id)
        stage.play(["Three."])
        await loaded.ask("Third")
        assert '"Second"' not in all_text(stage.body())
        assert_paired(stage.body())


async def test_the_same_is_asked_again_after_an_error(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        stage.play(
            [Turn(error=HttpError(status=400, message="max_tokens: too large")), "Now it works."]
        )
        chat = await stage.chat()
        await chat.ask("Do it")
        assert chat.turns()[-1]["reason"] == "model_error"
        await resend(chat, prompts(chat)[-1])
        assert chat.turns()[-1]["reason"] == "completed"
        messages = stage.body()["messages"]
        assert len(messages) == 1
        assert "Do it" in all_text(stage.body())


async def test_a_running_turn_gives_way_and_what_waits_goes_on_waiting(tmp_path: Path) -> None:
    async with busy(tmp_path, "Instead.", "And then.") as (stage, chat, first):
        waiting = chat.send("Second")
        await wait_for_queued(chat, 1)
        await resend(chat, prompts(chat)[0], text="First, in other words")
        assert await first.stop_reason() == "cancelled"
        assert await waiting.stop_reason() == "end_turn"
        assert await listed(chat) == []
        said = all_text(stage.body())
        assert "First, in other words" in said
        assert '"First"' not in said
        assert "Second" in said


async def test_what_was_attached_goes_along_and_nothing_else_is_taken(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        stage.play(["Read.", "Read again."])
        chat = await stage.chat()
        blocks = [
            {"type": "text", "text": "What is this?"},
            {"type": "resource", "resource": {"uri": "file:///notes.txt", "text": "the notes"}},
        ]
        await stage.client.request("session/prompt", {"sessionId": chat.id, "prompt": blocks})
        sent = prompts(chat)[0]
        with pytest.raises(WireError, match="not part of the conversation"):
            await resend(chat, "nope")
        await resend(chat, sent, text="And that?")
        said = all_text(stage.body())
        assert "And that?" in said
        assert "What is this?" not in said
        assert said.count("the notes") == 1
        assert len(stage.body()["messages"]) == 1
