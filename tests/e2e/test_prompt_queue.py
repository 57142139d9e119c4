"""Prompts that wait for the running turn: looked at, changed, taken back, reordered, sent now."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.chat import Chat, Prompt
from tests.support.stage import Stage, all_text
from tests.support.wire_client import WireError
from tools.fake_model import Stall, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


async def queue(chat: Chat, change: str = "list", **more: Any) -> Any:
    """Ask for the queue or change it; message ids and words go along as they are."""
    return await chat.client.request(
        "_pilotfish/session/queue", {"sessionId": chat.id, "change": change, **more}
    )


async def listed(chat: Chat) -> list[Any]:
    """Return what waits."""
    return (await queue(chat))["items"]


@asynccontextmanager
async def busy(tmp_path: Path, *then: Any) -> AsyncGenerator[tuple[Stage, Chat, Prompt]]:
    """A chat whose first turn does not end by itself."""
    async with Stage.open(tmp_path) as stage:
        stage.play([Turn("Busy.", faults=[Stall(after_events=2)]), *then])
        chat = await stage.chat()
        first = chat.send("First")
        await stage.stalled()
        yield stage, chat, first


async def wait_for_queued(chat: Chat, count: int) -> list[Any]:
    """Wait until so many prompts wait, and return them."""
    await chat.client.wait_until(
        lambda: len({one["messageId"] for one in chat.facts("queued")}) >= count or None,
        "queued prompts",
    )
    return await listed(chat)


async def test_what_waits_is_changed_taken_back_and_reordered(tmp_path: Path) -> None:
    async with busy(tmp_path, "All read.") as (stage, chat, first):
        sent = {text: chat.send(text) for text in ("Second", "Third", "Fourth")}
        items = await wait_for_queued(chat, 3)
        assert [one["text"] for one in items] == ["Second", "Third", "Fourth"]
        second, third, fourth = (one["messageId"] for one in items)

        changed = await queue(chat, "update", messageId=second, text="Second, better", revision=0)
        assert changed["outcome"] == "done"
        # Whoever has the older words on the screen is told, and sees what is there.
        late = await queue(chat, "update", messageId=second, text="Mine", revision=0)
        assert late["outcome"] == "changed"
        assert [(one["text"], one["revision"]) for one in late["items"]] == [("Second, better", 1)]
        assert (await queue(chat, "remove", messageId=third))["outcome"] == "done"
        assert await sent["Third"].stop_reason() == "cancelled"
        assert (await queue(chat, "move", messageId=fourth, before=second))["outcome"] == "done"
        assert (await queue(chat, "move", messageId=third))["outcome"] == "gone"
        with pytest.raises(WireError, match="empty"):
            await queue(chat, "update", messageId=second, text=" ", revision=1)

        snapshot = await chat.snapshot()
        assert [one["text"] for one in snapshot["queue"]] == ["Fourth", "Second, better"]
        changes = [one["queue"] for one in chat.facts("queue")]
        assert changes == [
            {"messageId": second, "change": "revised", "text": "Second, better", "revision": 1},
            {"messageId": fourth, "change": "moved", "before": second},
        ]
        assert [one["dropped"] for one in chat.facts("discarded")] == ["removed"]

        stage.fake.release()
        assert await first.stop_reason() == "end_turn"
        assert await sent["Second"].stop_reason() == "end_turn"
        said = all_text(stage.body())
        assert said.index("Fourth") < said.index("Second, better")
        assert "Third" not in said
        # Too late: the model has it.
        gone = await queue(chat, "update", messageId=second, text="Later", revision=1)
        assert gone == {"outcome": "gone", "items": [], "leftOff": 0}
        assert await listed(chat) == []


async def test_one_that_waits_is_sent_now_and_the_others_follow_it(tmp_path: Path) -> None:
    async with busy(tmp_path, Turn("At once.", faults=[Stall(after_events=2)]), "The rest.") as (
        stage,
        chat,
        first,
    ):
        second, third = chat.send("Second"), chat.send("Third")
        items = await wait_for_queued(chat, 2)
        sent = await queue(chat, "send_now", messageId=items[1]["messageId"])
        assert sent["outcome"] == "done"
        assert await first.stop_reason() == "cancelled"
        await stage.fake.wait_for_request(2)
        await stage.stalled()
        assert "Third" in all_text(stage.body())
        assert "Second" not in all_text(stage.body())
        assert [one["text"] for one in await listed(chat)] == ["Second"]
        stage.fake.release()
        assert await third.stop_reason() == "end_turn"
        assert await second.stop_reason() == "end_turn"
        assert "Second" in all_text(stage.body())


async def test_attachments_stay_with_a_prompt_that_gets_other_words(tmp_path: Path) -> None:
    async with busy(tmp_path, "Seen.") as (stage, chat, first):
        blocks = [
            {"type": "text", "text": "What is this?"},
            {"type": "image", "mimeType": "image/png", "data": PNG},
            {"type": "resource", "resource": {"uri": "file:///notes.txt", "text": "the notes"}},
        ]
        params = {"sessionId": chat.id, "prompt": blocks}
        _, answered = chat.client.send_request("session/prompt", params)
        items = await wait_for_queued(chat, 1)
        assert items[0]["attachments"] == ["[image]", "@notes.txt"]
        update = {"messageId": items[0]["messageId"], "text": "And who?", "revision": 0}
        await queue(chat, "update", **update)
        stage.fake.release()
        assert await first.stop_reason() == "end_turn"
        assert (await answered)["stopReason"] == "end_turn"
        said = stage.body()["messages"][-1]["content"]
        assert [one["type"] for one in said if one["type"] == "image"] == ["image"]
        assert "And who?" in all_text(stage.body())
        assert "What is this?" not in all_text(stage.body())
        assert "the notes" in all_text(stage.body())


async def test_a_thousand_wait_in_the_order_that_they_were_given(tmp_path: Path) -> None:
    async with busy(tmp_path, "All read.") as (stage, chat, _):
        for number in range(1_000):
            chat.send(f"Prompt {number}")
        items = await wait_for_queued(chat, 1_000)
        last, first = items[-1]["messageId"], items[0]["messageId"]
        assert (await queue(chat, "move", messageId=last, before=first))["outcome"] == "done"
        many = (queue(chat, "remove", messageId=one["messageId"]) for one in items[1:-1])
        assert {one["outcome"] for one in await asyncio.gather(*many)} == {"done"}
        assert [one["text"] for one in await listed(chat)] == ["Prompt 999", "Prompt 0"]
        stage.fake.release()
        await chat.client.wait_until(lambda: chat.turns() or None, "the end")
        said = all_text(stage.body())
        assert said.index("Prompt 999") < said.index("Prompt 0")
        assert "Prompt 500" not in said


async def test_changes_that_race_with_the_turn_lose_nothing(tmp_path: Path) -> None:
    """Whatever the model takes meanwhile: a change is in what it reads, or is refused."""
    async with busy(tmp_path, "All read.", "More.", "And more.") as (stage, chat, first):
        for number in range(20):
            chat.send(f"Prompt {number}.")
        items = await wait_for_queued(chat, 20)
        changes = [
            asyncio.ensure_future(
                queue(chat, "update", messageId=one["messageId"], text=f"New {at}.", revision=0)
            )
            for at, one in enumerate(items)
        ]
        stage.fake.release()
        outcomes = [(await one)["outcome"] for one in changes]
        await first.stop_reason()
        await chat.wait_for_state("idle")
        said = all_text(stage.body())
        for number, outcome in enumerate(outcomes):
            kept = f"New {number}." if outcome == "done" else f"Prompt {number}."
            assert kept in said, (number, outcome)
