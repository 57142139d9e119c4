"""What users of agents have reported about edits, where it takes the whole server to see it."""

import hashlib
from pathlib import Path

import pytest

from tests.support.stage import Stage, text_of
from tests.support.wire_client import Json
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINES = "".join(f"line {number}\n" for number in range(200))


def read(name: str) -> ToolUse:
    return ToolUse("Read", {"file_path": name})


def edit(name: str, old: str, new: str) -> ToolUse:
    return ToolUse("Edit", {"file_path": name, "old_string": old, "new_string": new})


def results_in(body: Json, text: str) -> list[Json]:
    """Return the results with a text of all messages."""
    blocks: list[Json] = [block for message in body["messages"] for block in message["content"]]
    return [block for block in blocks if text in str(block.get("content"))]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


async def test_fe21_the_same_stale_edit_fails_each_time_and_the_third_brings_a_reminder(
    stage: Stage,
) -> None:
    path = stage.write("f.py", "a=1\n")
    stage.play([Turn([read("f.py")]), "Read."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Read it") == "end_turn"
    path.write_text("a = 1\n")
    stage.play([*[Turn([edit("f.py", "a=1", "a=2")]) for _ in range(3)], "I see."])
    assert await chat.ask("Edit it") == "end_turn"
    for at in (1, 2, 3):
        told = text_of(stage.results(at)[0])
        assert "changed since you read it; nothing was written" in told
        assert "     1\ta = 1" in told
    assert path.read_text() == "a = 1\n"
    last = str(stage.body()["messages"][-1]["content"])
    assert "You have called Edit 3 times with the same input and got the same result" in last
    assert "You have called Edit" not in str(stage.body(-2)["messages"][-1]["content"])


async def test_fe27_a_refused_proposal_leaves_file_and_document_as_they_were(stage: Stage) -> None:
    path = stage.write("a.txt", "one\n")
    stage.editor.open(path)
    stage.editor.applied.clear()
    before = digest(path)
    stage.play([Turn([read("a.txt")]), Turn([edit("a.txt", "one", "two")]), "What now?"])
    chat = await stage.chat()
    prompt = chat.send("Edit it")
    (await chat.question()).answer("reject_once")
    assert await prompt.stop_reason() == "cancelled"
    assert digest(path) == before
    assert (stage.editor.text(path), stage.editor.applied) == ("one\n", [])
    assert await chat.ask("Go on") == "end_turn"
    (result,) = results_in(stage.body(), "refused this call")
    assert result["is_error"]


async def test_fe28_closing_the_dialog_changes_nothing_and_an_accepted_edit_is_one_step(
    stage: Stage,
) -> None:
    path = stage.write("a.txt", LINES)
    stage.editor.open(path)
    stage.editor.applied.clear()
    new = LINES.replace("line", "LINE")
    write = ToolUse("Write", {"file_path": "a.txt", "content": new})
    stage.play([Turn([read("a.txt")]), Turn([write])])
    chat = await stage.chat()
    prompt = chat.send("Change all lines")
    question = await chat.question()
    chat.client.reply(question.id, {"outcome": {"outcome": "cancelled"}})
    assert await prompt.stop_reason() == "cancelled"
    assert (stage.editor.text(path), path.read_text()) == (LINES, LINES)
    assert stage.editor.applied == []

    stage.play([Turn([write]), "Done."])
    prompt = chat.send("Do it after all")
    (await chat.question(2)).answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert len(stage.editor.applied) == 1
    assert stage.editor.text(path) == path.read_text() == new


async def test_fe29_a_new_chat_reverts_nothing(stage: Stage) -> None:
    path = stage.write("a.txt", "one\n")
    stage.play([Turn([read("a.txt")]), Turn([edit("a.txt", "one", "two")]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("Edit it")
    (await chat.question()).answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    path.write_text(path.read_text() + "mine\n")
    stage.play(["Hello."])
    other = await stage.chat()
    assert await other.ask("Hello") == "end_turn"
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    assert path.read_text() == "two\nmine\n"


async def test_fe39_a_sibling_with_a_like_name_is_outside_and_another_root_is_inside(
    stage: Stage,
) -> None:
    sibling = stage.project.with_name(stage.project.name + "-x")
    sibling.mkdir()
    outside = sibling / "a.md"
    stage.play([Turn([ToolUse("Write", {"file_path": str(outside), "content": "x\n"})]), "Done."])
    chat = await stage.chat(permissionMode="acceptEdits")
    prompt = chat.send("Write it")
    question = await chat.question()
    assert question.call["title"] == str(outside)
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert outside.read_text() == "x\n"
    assert not (stage.project / "-x").exists()
    # The workspace is the stage's own folder, in which the project of this session lies.
    stage.play([Turn([ToolUse("Write", {"file_path": "a.md", "content": "y\n"})]), "Done."])
    assert await chat.ask("And here") == "end_turn"
    assert (stage.project / "a.md").read_text() == "y\n"
    assert len(chat.questions()) == 1
