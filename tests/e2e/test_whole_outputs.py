"""Outputs that are too long for their cards: all of them can be had, over the wire."""

import asyncio
import os
from typing import Any

import pytest

from tests.support.chat import Chat
from tests.support.stage import Stage
from tests.support.wire_client import Json, WireError
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


LONG_AGENT = ToolUse(
    "Agent",
    {
        "description": "Say much",
        "prompt": "Say all of it.",
        "subagent_type": "general-purpose",
        "run_in_background": False,
    },
    id="toolu_long",
)


async def run(stage: Stage, tool: str, **given: Any) -> Chat:
    stage.play([Turn([ToolUse(tool, given, id="toolu_long")]), "Done."])
    chat = await stage.chat()
    chat.agree()
    assert await chat.ask("Go") == "end_turn"
    return chat


async def finished(chat: Chat) -> tuple[str, bool]:
    """Return what the card of the call shows at its end, and whether that is a part."""
    found = [one for one in (await chat.snapshot())["updates"] if _is_end(one)]
    (update,) = found
    text = update["update"]["content"][0]["content"]["text"]
    return text, update["_meta"]["pilotfish"].get("outputCut", False)


def _is_end(params: Json) -> bool:
    return params["update"].get("status") in {"completed", "failed"}


async def whole(stage: Stage, session: str, call: str = "toolu_long") -> Json:
    params = {"sessionId": session, "toolCallId": call}
    return await stage.client.request("_pilotfish/session/output", params)


async def test_all_that_a_command_wrote_can_be_had_without_its_colours(stage: Stage) -> None:
    stage.write(
        "run.sh", "for i in $(seq 1 9000); do printf '\\033[32mline\\033[0m %s\\n' $i; done\n"
    )
    chat = await run(stage, "Bash", command="bash run.sh")
    shown, is_cut = await finished(chat)
    assert is_cut
    assert len(shown) < 40_000
    found = await whole(stage, chat.id)
    lines = found["text"].splitlines()
    assert len(lines) == 9000
    assert (lines[0], lines[4999], lines[-1]) == ("line 1", "line 5000", "line 9000")
    # It is the same after the chat was closed, for a tab that the editor brings back.
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    assert await whole(stage, chat.id) == found


async def test_all_that_a_search_found_can_be_had(stage: Stage) -> None:
    stage.write("big.txt", "".join(f"needle {number}\n" for number in range(2000)))
    chat = await run(stage, "Grep", pattern="needle", output_mode="content", head_limit=0)
    shown, is_cut = await finished(chat)
    assert is_cut
    # People see hits, not the words for the model.
    assert all(line.startswith("big.txt:") for line in shown.splitlines())
    text = (await whole(stage, chat.id))["text"]
    assert text.splitlines()[-1] == "big.txt:2000:needle 1999"


async def test_a_short_output_is_no_part_and_is_the_same_in_full(stage: Stage) -> None:
    chat = await run(stage, "Bash", command="echo all of it")
    assert await finished(chat) == ("all of it", False)
    assert (await whole(stage, chat.id))["text"] == "all of it"


async def test_what_is_too_long_for_a_card_alone_can_be_had(stage: Stage) -> None:
    """Nothing is too long for the model here, so no file holds it; a card shows 100,000 characters."""
    words = "word " * 30_000 + "END"
    stage.play([Turn([LONG_AGENT]), words, "Done."])
    chat = await stage.chat()
    assert await chat.ask("Go") == "end_turn"
    shown, is_cut = await finished(chat)
    assert (len(shown) > 150_000, is_cut) == (True, False)
    assert (await whole(stage, chat.id))["text"] == shown


async def test_what_an_agent_has_run_can_be_had_too(stage: Stage) -> None:
    inner = ToolUse("Bash", {"command": "echo inner"}, id="toolu_inner")
    stage.play([Turn([LONG_AGENT]), Turn([inner]), "It is done.", "Done."])
    chat = await stage.chat()
    chat.agree()
    assert await chat.ask("Go") == "end_turn"
    assert (await whole(stage, chat.id, "toolu_inner"))["text"] == "inner"


async def test_what_no_message_can_hold_is_named_with_its_file(stage: Stage) -> None:
    chat = await run(stage, "Bash", command="head -c 5000000 /dev/zero | tr '\\0' 'x'")
    found = await whole(stage, chat.id)
    assert found["text"] is None
    assert found["bytes"] == 5_000_000
    assert await asyncio.to_thread(os.path.getsize, found["path"]) == 5_000_000


async def test_nothing_outside_of_the_results_is_read(stage: Stage) -> None:
    chat = await run(stage, "Bash", command="echo x")
    with pytest.raises(WireError, match="no session"):
        await whole(stage, "../projects")
    with pytest.raises(WireError, match="is not kept any more"):
        await whole(stage, chat.id, "../../settings.json")
