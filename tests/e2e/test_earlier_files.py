"""Files as they were before a turn: to be compared with what they are now, and to go back to."""

from pathlib import Path

import pytest

from tests.e2e.test_edit_review import TEXT, Review, edit, read, working, write
from tests.support.agent_scripts import agent, cast
from tests.support.stage import Stage, names_in
from tests.support.wire_client import Json, WireError
from tools.fake_model import Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def earlier(review: Review, turn: int, path: Path | None = None) -> list[Json]:
    wish = {} if path is None else {"path": str(path)}
    found = await review.call("compare", turnId=await review.turn(turn), texts=True, **wish)
    return found["files"]


async def three_turns(stage: Stage) -> tuple[Review, Path]:
    path = stage.write("a.txt", TEXT)
    _, review = await working(
        stage,
        Turn([read("a.txt"), edit("a.txt", "two", "TWO")]),
        Turn([edit("a.txt", "five", "FIVE"), write("new.txt", "n\n")]),
        Turn([edit("a.txt", "six", "SIX")]),
    )
    return review, path


async def test_a_file_is_shown_as_it_was_before_each_turn(stage: Stage) -> None:
    review, path = await three_turns(stage)
    path.write_text("all of it by hand\n")
    texts = [(await earlier(review, turn, path))[0]["text"] for turn in range(3)]
    two = TEXT.replace("two", "TWO")
    assert texts == [TEXT, two, two.replace("five", "FIVE")]
    assert path.read_text() == "all of it by hand\n"


async def test_all_files_that_were_written_since_are_listed_once(stage: Stage) -> None:
    review, path = await three_turns(stage)
    new = stage.project / "new.txt"
    new.unlink()
    assert await earlier(review, 1) == [
        {"path": str(path), "existed": True, "exists": True, "text": TEXT.replace("two", "TWO")},
        {"path": str(new), "existed": False, "exists": False, "text": None},
    ]
    assert [Path(one["path"]).name for one in await earlier(review, 2)] == ["a.txt"]


async def test_what_was_accepted_or_taken_back_can_still_be_compared(stage: Stage) -> None:
    review, path = await three_turns(stage)
    await review.call("accept", path=str(path))
    await review.call("reject")
    assert names_in(stage.project) == ["a.txt"]
    assert (await earlier(review, 0, path))[0]["text"] == TEXT


async def test_a_link_leads_to_the_file_that_was_written(stage: Stage) -> None:
    review, path = await three_turns(stage)
    link = stage.project / "link.txt"
    link.symlink_to(path)
    assert (await earlier(review, 0, link))[0]["path"] == str(path)


async def test_what_cannot_be_compared_is_refused_with_the_reason(stage: Stage) -> None:
    review, _ = await three_turns(stage)
    with pytest.raises(WireError, match="was not changed since that message"):
        await earlier(review, 2, stage.project / "new.txt")
    with pytest.raises(WireError, match="not part of the conversation"):
        await review.call("compare", turnId="turn_x")
    with pytest.raises(WireError, match="is not an absolute path"):
        await review.call("compare", turnId=await review.turn(0), path="a.txt")
    for blob in (stage.home / ".pilotfish" / "file-history").rglob("blobs/*"):
        blob.unlink()
    with pytest.raises(WireError, match="missing from the file history"):
        await earlier(review, 0, stage.project / "a.txt")


async def test_what_an_agent_wrote_belongs_to_the_turn_that_started_it(stage: Stage) -> None:
    path = stage.write("a.txt", TEXT)
    edits = Turn([read("a.txt"), edit("a.txt", "two", "TWO"), write("new.txt", "n\n")])
    stage.play(
        cast(
            ["Hello.", Turn([agent("alpha: change it")]), "Changed.", "Bye."], alpha=[edits, "Did."]
        )
    )
    chat = await stage.chat(permissionMode="acceptEdits", allowedTools=["Agent"])
    for prompt in ("Hello", "Let it be changed", "Goodbye"):
        assert await chat.ask(prompt) == "end_turn"
    review = Review(chat)
    turns = (await review.call("checkpoints"))["turns"]
    new = stage.project / "new.txt"
    assert [turn["paths"] for turn in turns] == [[], [str(path), str(new)], []]
    assert (await earlier(review, 1, path))[0]["text"] == TEXT
    assert await earlier(review, 2) == []
    done = await review.call("rewind", turnId=turns[1]["turnId"])
    assert done["changed"] == [str(path), str(new)]
    assert path.read_text() == TEXT
    assert names_in(stage.project) == ["a.txt"]
