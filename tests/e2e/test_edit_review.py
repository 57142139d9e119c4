"""What the agent changed: looked at by hunk, taken back, rewound; nothing of the user's is lost."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.chat import Chat
from tests.support.stage import Stage, all_text, assert_paired, names_in
from tests.support.wire_client import WireError
from tools.fake_model import Stall, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n"


def read(name: str) -> ToolUse:
    return ToolUse("Read", {"file_path": name})


def edit(name: str, old: str, new: str) -> ToolUse:
    return ToolUse("Edit", {"file_path": name, "old_string": old, "new_string": new})


def write(name: str, text: str) -> ToolUse:
    return ToolUse("Write", {"file_path": name, "content": text})


class Review:
    """The review methods of one chat."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat

    async def call(self, method: str, **params: Any) -> Any:
        params = {"sessionId": self.chat.id, **params}
        return await self.chat.client.request(f"_pilotfish/edits/{method}", params)

    async def files(self, **params: Any) -> list[dict[str, Any]]:
        return (await self.call("changes", **params))["files"]

    async def hunks(self, path: Path) -> list[dict[str, Any]]:
        (file,) = await self.files(path=str(path))
        return file["hunks"]

    async def turn(self, number: int) -> str:
        """Return the id of a turn, from 0."""
        return (await self.call("checkpoints"))["turns"][number]["turnId"]


async def working(stage: Stage, *turns: Turn, mode: str = "acceptEdits") -> tuple[Chat, Review]:
    """Let the agent work through turns, one prompt each; every turn's reply is followed by a word."""
    stage.play([one for turn in turns for one in (turn, "Done.")])
    chat = await stage.chat(permissionMode=mode)
    for number in range(len(turns)):
        assert await chat.ask(f"Prompt {number + 1}") == "end_turn"
    return chat, Review(chat)


async def two_hunks(stage: Stage) -> tuple[Chat, Review, Path]:
    path = stage.write("a.txt", TEXT)
    calls = [read("a.txt"), edit("a.txt", "two", "TWO"), edit("a.txt", "five", "FIVE")]
    chat, review = await working(stage, Turn(calls))
    return chat, review, path


async def test_unasked_edits_wait_by_hunk(stage: Stage) -> None:
    chat, review, path = await two_hunks(stage)
    (file,) = await review.files(texts=True)
    assert (file["path"], file["status"]) == (str(path), "modified")
    assert [(one["oldLines"], one["newLines"]) for one in file["hunks"]] == [
        (["two\n"], ["TWO\n"]),
        (["five\n"], ["FIVE\n"]),
    ]
    assert file["baseline"] == TEXT
    assert file["current"] == path.read_text()
    assert all(len(one["toolCallIds"]) == 1 for one in file["hunks"])
    changed = [
        one["params"]
        for one in chat.client.notifications
        if one["method"] == "_pilotfish/edits/changed" and one["params"]["sessionId"] == chat.id
    ]
    assert [one["paths"] for one in changed] == [[str(path)], [str(path)]]


async def test_an_edit_that_the_user_agreed_to_waits_for_nobody(stage: Stage) -> None:
    stage.write("a.txt", TEXT)
    stage.play([Turn([read("a.txt"), edit("a.txt", "two", "TWO")]), "Done."])
    chat = await stage.chat()
    chat.agree()
    await chat.ask("Change it")
    assert await Review(chat).files() == []


async def test_one_hunk_is_rejected_one_accepted(stage: Stage) -> None:
    chat, review, path = await two_hunks(stage)
    first, second = await review.hunks(path)
    taken = await review.call("reject", path=str(path), hunkIds=[first["id"]])
    assert taken == {"changed": [str(path)], "refused": []}
    assert path.read_text() == TEXT.replace("five", "FIVE")
    assert [one["id"] for one in await review.hunks(path)] == [second["id"]]
    await review.call("accept", path=str(path), hunkIds=[second["id"]])
    assert await review.files() == []
    (settled,) = await review.files(path=str(path))
    assert settled["status"] == "settled"
    # The model hears of it, and must read the file again before it edits it.
    stage.play([Turn([edit("a.txt", "six", "SIX")]), "I see."])
    await chat.ask("Go on")
    assert "The user rejected changes that you made in" in all_text(stage.body())
    assert "not read yet" in all_text(stage.body())
    assert_paired(stage.body())


async def test_a_hunk_that_is_gone_is_refused(stage: Stage) -> None:
    _, review, path = await two_hunks(stage)
    with pytest.raises(WireError, match="not there any more"):
        await review.call("reject", path=str(path), hunkIds=["0123456789abcdef"])
    with pytest.raises(WireError, match="path"):
        await review.call("accept", hunkIds=["0123456789abcdef"])
    with pytest.raises(WireError, match="was not changed in this session"):
        await review.call("accept", path=str(stage.project / "other.txt"))


async def test_the_users_own_edits_survive_a_rejection(stage: Stage) -> None:
    _, review, path = await two_hunks(stage)
    path.write_text(path.read_text().replace("six", "six and a half"))
    await review.call("reject")
    assert path.read_text() == TEXT.replace("six", "six and a half")


async def test_a_rejection_goes_through_the_open_document(stage: Stage) -> None:
    _, review, path = await two_hunks(stage)
    stage.editor.open(path)
    stage.editor.type_over(path, "six", "six!")
    first, _ = await review.hunks(path)
    await review.call("reject", path=str(path), hunkIds=[first["id"]])
    assert stage.editor.text(path) == TEXT.replace("five", "FIVE").replace("six", "six!")
    assert path.read_text() == TEXT.replace("two", "TWO").replace("five", "FIVE")


async def test_a_new_file_is_deleted_when_it_is_rejected(stage: Stage) -> None:
    _, review = await working(stage, Turn([write("new.txt", "n\n"), write("b.txt", "b\n")]))
    await review.call("accept", path=str(stage.project / "b.txt"))
    await review.call("reject")
    assert names_in(stage.project) == ["b.txt"]


async def test_what_was_reviewed_is_remembered_over_a_restart_of_the_session(stage: Stage) -> None:
    chat, review, path = await two_hunks(stage)
    first, second = await review.hunks(path)
    await review.call("accept", path=str(path), hunkIds=[first["id"]])
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    again, _ = await stage.reload(chat.id)
    assert [one["id"] for one in await Review(again).hunks(path)] == [second["id"]]


async def test_blame_names_turn_call_and_approval(stage: Stage) -> None:
    stage.write("a.txt", TEXT)
    chat, review = await working(
        stage,
        Turn([read("a.txt"), edit("a.txt", "two", "TWO")]),
        Turn([edit("a.txt", "five\n", "FIVE\nFIVE AND A HALF\n")]),
    )
    path = str(stage.project / "a.txt")
    runs = (await review.call("blame", path=path))["runs"]
    assert [(one["start"], one["end"], one["turnNumber"], one["prompt"]) for one in runs] == [
        (1, 2, 1, "Prompt 1"),
        (4, 6, 2, "Prompt 2"),
    ]
    assert all("acceptEdits" in one["approval"] for one in runs)
    assert all(one["waits"] for one in runs)
    assert (await review.call("blame", path=path, line=5))["runs"] == runs[1:]
    assert (await review.call("blame", path=path, line=0))["runs"] == []
    assert runs[0]["toolCallId"] in {one.get("toolCallId") for one in chat.updates()}


async def test_rewinding_files_previews_and_puts_everything_back(stage: Stage) -> None:
    path = stage.write("a.txt", TEXT)
    chat, review = await working(
        stage,
        Turn([read("a.txt"), edit("a.txt", "two", "TWO")]),
        Turn([edit("a.txt", "five", "FIVE"), write("new.txt", "n\n")]),
    )
    second = await review.turn(1)
    preview = await review.call("rewind", turnId=second, dryRun=True)
    assert [(Path(one["path"]).name, one["action"]) for one in preview["files"]] == [
        ("a.txt", "restore"),
        ("new.txt", "delete"),
    ]
    assert (preview["files"][0]["addedLines"], preview["files"][0]["removedLines"]) == (1, 1)
    assert names_in(stage.project) == ["a.txt", "new.txt"]
    done = await review.call("rewind", turnId=second)
    assert len(done["changed"]) == 2
    assert done["note"]
    assert path.read_text() == TEXT.replace("two", "TWO")
    assert names_in(stage.project) == ["a.txt"]
    assert len(chat.facts("rewound")) == 0
    # All of it, in one go, though part of it was taken back before.
    await review.call("rewind", turnId=await review.turn(0))
    assert path.read_text() == TEXT


async def test_a_rewind_never_overwrites_what_others_changed(stage: Stage) -> None:
    same, other = stage.write("same.txt", TEXT), stage.write("other.txt", TEXT)
    calls = [
        *(read("same.txt"), edit("same.txt", "two", "TWO")),
        *(read("other.txt"), edit("other.txt", "two", "TWO")),
        write("mine.txt", "agent\n"),
    ]
    _, review = await working(stage, Turn(calls))
    same.write_text(same.read_text().replace("TWO", "two by hand"))
    other.write_text(other.read_text().replace("six", "six by hand"))
    mine = stage.project / "mine.txt"
    mine.write_text("agent\nand I\n")
    turn = await review.turn(0)
    done = await review.call("rewind", turnId=turn)
    actions = {Path(one["path"]).name: one["action"] for one in done["files"]}
    assert actions == {"same.txt": "conflict", "other.txt": "merge", "mine.txt": "conflict"}
    assert other.read_text() == TEXT.replace("six", "six by hand")
    assert "two by hand" in same.read_text()
    assert mine.read_text() == "agent\nand I\n"
    assert {Path(one["path"]).name for one in done["refused"]} == {"same.txt", "mine.txt"}
    assert all("changed since" in one["reason"] for one in done["refused"])
    forced = await review.call("rewind", turnId=turn, force=True)
    assert str(same) in forced["changed"]
    assert same.read_text() == TEXT
    assert not mine.exists()


async def test_a_files_that_the_agent_did_not_create_is_never_deleted(stage: Stage) -> None:
    chat, review = await working(stage, Turn([write("a.txt", "agent\n")]))
    path = stage.project / "a.txt"
    path.unlink()
    path.write_text("mine\n")
    done = await review.call("rewind", turnId=await review.turn(0), what="both")
    assert done["files"][0]["action"] == "conflict"
    assert path.read_text() == "mine\n"
    assert chat.facts("rewound")


async def test_rewinding_the_conversation_makes_the_model_forget(stage: Stage) -> None:
    chat, review = await working(
        stage, Turn([write("a.txt", "1\n")]), Turn([write("b.txt", "2\n")])
    )
    done = await review.call("rewind", turnId=await review.turn(1), what="both")
    assert done["prompt"] == "Prompt 2"
    assert names_in(stage.project) == ["a.txt"]
    stage.play(["Hello again."])
    assert await chat.ask("Another way") == "end_turn"
    said = all_text(stage.body())
    assert "Prompt 1" in said
    assert "Prompt 2" not in said
    assert "b.txt" not in said
    assert_paired(stage.body())
    assert len((await review.call("checkpoints"))["turns"]) == 2
    # The state is what the events say, also for the next process.
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    stage.play(["And again."])
    again, _ = await stage.reload(chat.id)
    await again.ask("Still there?")
    assert "Prompt 2" not in all_text(stage.body())
    assert len(stage.body()["messages"]) == 7


async def test_rewinding_to_a_prompt_after_a_stopped_turn_keeps_every_pair(stage: Stage) -> None:
    stage.play([Turn(["Hm.", ToolUse("Bash", {"command": "sleep 1000"})])])
    chat = await stage.chat(allowedTools=["Bash"])
    chat.agree()
    prompt = chat.send("Prompt 1")
    await chat.client.wait_until(
        lambda: chat.updates("tool_call_update") or None, "the running command"
    )
    chat.stop()
    assert await prompt.stop_reason() == "cancelled"
    stage.play(["One.", "Two."])
    await chat.ask("Prompt 2")
    review = Review(chat)
    await review.call("rewind", turnId=await review.turn(1), what="conversation")
    await chat.ask("Prompt 3")
    assert_paired(stage.body())
    assert "Prompt 2" not in all_text(stage.body())


async def test_one_turn_or_one_call_is_undone_and_later_ones_stay(stage: Stage) -> None:
    path = stage.write("a.txt", TEXT)
    call = ToolUse(
        "Edit", {"file_path": "a.txt", "old_string": "five", "new_string": "FIVE"}, id="toolu_five"
    )
    _, review = await working(
        stage,
        Turn([read("a.txt"), edit("a.txt", "two", "TWO")]),
        Turn([call, edit("a.txt", "six", "SIX")]),
    )
    await review.call("rewind", undoTurnId=await review.turn(0))
    assert path.read_text() == TEXT.replace("five", "FIVE").replace("six", "SIX")
    await review.call("rewind", undoToolCallId="toolu_five")
    assert path.read_text() == TEXT.replace("six", "SIX")
    with pytest.raises(WireError, match="exactly one"):
        await review.call("rewind", undoToolCallId="toolu_five", turnId="turn_x")
    with pytest.raises(WireError, match="not part of the conversation"):
        await review.call("rewind", turnId="turn_x")


async def test_nothing_is_taken_back_while_a_turn_runs(stage: Stage) -> None:
    chat, review, path = await two_hunks(stage)
    stage.play([Turn("Slowly spoken.", faults=[Stall(after_events=3)])])
    prompt = chat.send("Talk")
    await stage.stalled()
    for params in ({"path": str(path)}, {}):
        with pytest.raises(WireError, match="A turn is running"):
            await review.call("reject", **params)
    with pytest.raises(WireError, match="A turn is running"):
        await review.call("rewind", turnId=await review.turn(0), what="conversation")
    await review.call("accept")  # looking is always possible
    chat.stop()
    await prompt.stop_reason()
    assert path.read_text() == TEXT.replace("two", "TWO").replace("five", "FIVE")


async def test_deleting_a_chat_deletes_what_was_kept_of_its_files(stage: Stage) -> None:
    stage.write("a.txt", TEXT)
    chat, _ = await working(stage, Turn([read("a.txt"), edit("a.txt", "two", "TWO")]))
    state = stage.home / ".pilotfish"
    plan = state / "plans" / f"prompt-1.{chat.id}.md"
    plan.parent.mkdir(exist_ok=True)
    plan.write_text("# Plan\n")
    kept = state / "file-history" / chat.id
    assert kept.is_dir()
    stage.chats.remove(chat)
    await stage.client.request("session/delete", {"sessionId": chat.id})
    assert not kept.exists()
    assert not plan.exists()
    assert (stage.project / "a.txt").read_text() == TEXT.replace("two", "TWO")


async def test_a_plan_has_a_review_of_its_own(stage: Stage) -> None:
    chat = await stage.chat(permissionMode="plan")
    plan = stage.home / ".pilotfish" / "plans" / f"plan.{chat.id}.md"
    stage.play([Turn([write(str(plan), "# Plan\n")]), "Done."])
    await chat.ask("Plan")
    assert plan.read_text() == "# Plan\n"
    assert await Review(chat).files() == []
