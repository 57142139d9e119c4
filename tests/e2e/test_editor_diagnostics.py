"""What the editor's language servers find of an edit reaches the model with its next call."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from tests.support.stage import Stage, all_text
from tests.support.wire_client import NO_ANSWER
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

METHOD = "_pilotfish/editor/diagnostics"
EDIT = ToolUse("Write", {"file_path": "a.ts", "content": "let x: Y = 1;\n"})


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def diagnosing(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    folder = tmp_path_factory.mktemp("diagnosing")
    abilities = {"save": True, "diagnostics": True}
    async with Stage.open(folder, editor=abilities) as stage:
        yield stage


@pytest_asyncio.fixture(loop_scope="session")
async def stage(diagnosing: Stage, tmp_path: Any) -> AsyncIterator[Stage]:
    diagnosing.project = tmp_path / "project"
    diagnosing.project.mkdir()
    yield diagnosing
    diagnosing.client.answerers.pop(METHOD, None)
    await diagnosing.clear()
    assert diagnosing.fake.problems == []
    assert diagnosing.fake.unused_turns == []


def found(stage: Stage, *, published: bool) -> dict[str, Any]:
    entry = {
        "severity": "error",
        "line": 0,
        "character": 7,
        "message": "Cannot find name 'Y'.",
        "source": "ts",
        "code": "2304",
    }
    uri = (stage.project / "a.ts").as_uri()
    return {"uri": uri, "published": published, "diagnostics": [entry]}


async def test_a_new_problem_is_told_with_the_next_call(stage: Stage) -> None:
    asked: list[dict[str, Any]] = []

    def answer(params: dict[str, Any]) -> dict[str, Any]:
        asked.append(params)
        if params["since"] is None:
            return {"revision": 4, "files": []}
        return {"revision": 5, "files": [found(stage, published=True)]}

    stage.client.answerers[METHOD] = answer
    stage.play([Turn([EDIT]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Write it") == "end_turn"
    assert "a.ts:1:8: error: Cannot find name 'Y'. [ts 2304]" in all_text(stage.body())
    assert "(fresh, from the editor's language servers)" in all_text(stage.body())
    before, after, once_more = asked
    assert (once_more["since"], once_more["limitMs"]) == (4, 0)
    assert (before["uris"], before["since"]) == ([], None)
    assert after["uris"] == [(stage.project / "a.ts").as_uri()]
    assert after["since"] == 4
    assert after["limitMs"] == 2000
    assert [one["note"] for one in chat.facts("note")]


async def test_news_that_come_while_the_model_speaks_make_it_go_on(stage: Stage) -> None:
    answers: list[dict[str, Any]] = [
        {"revision": 1, "files": []},
        {"revision": 2, "files": []},
        {"revision": 3, "files": [found(stage, published=False)]},
        {"revision": 3, "files": [found(stage, published=False)]},
    ]
    stage.client.answerers[METHOD] = lambda _: answers.pop(0)
    stage.play([Turn([EDIT]), "Done, I think.", "Not yet done, I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Write it") == "end_turn"
    assert "Cannot find name 'Y'." in all_text(stage.body())
    assert chat.text() == "Done, I think.Not yet done, I see."
    assert answers == []


async def test_what_the_user_breaks_between_turns_is_not_the_models_news(stage: Stage) -> None:
    known: list[dict[str, Any]] = []
    stage.client.answerers[METHOD] = lambda _: {"revision": 1, "files": known}
    stage.play([Turn([EDIT]), "Done.", Turn([ToolUse("Read", {"file_path": "a.ts"})]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Write it")
    known.append(found(stage, published=False))
    await chat.ask("Look at it")
    assert "diagnostics are new" not in all_text(stage.body())


def complaint(line: int, message: str) -> dict[str, Any]:
    return {"severity": "error", "line": line, "character": 0, "message": message, "source": "ts"}


async def told_after_an_edit(
    stage: Stage, answer: Callable[[dict[str, Any]], dict[str, Any]]
) -> str:
    """Let the model edit ``shop.ts``; returns all that it is told, given the editor's answers."""
    stage.client.answerers[METHOD] = answer
    edit = ToolUse("Edit", {"file_path": "shop.ts", "old_string": "one", "new_string": "1"})
    stage.play([Turn([ToolUse("Read", {"file_path": "shop.ts"})]), Turn([edit]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Edit it") == "end_turn"
    return all_text(stage.body())


async def test_old_problems_of_files_that_were_closed_are_no_news(stage: Stage) -> None:
    """Who opens a closed file has the editor judge it, and its old problems come up with that."""
    shop, other = stage.write("shop.ts", "one\ntwo\nthree\n"), stage.write("other.ts", "old\n")
    old = complaint(2, "An old problem.")

    def answer(params: dict[str, Any]) -> dict[str, Any]:
        if params["since"] is None:
            return {"revision": 4, "files": []}
        found = [old, complaint(0, "A problem of the edit.")]
        opened = {"uri": shop.as_uri(), "published": True, "unseen": True, "diagnostics": found}
        more = {"uri": other.as_uri(), "unseen": True, "diagnostics": [old]}
        return {"revision": 9, "files": [opened, more]}

    text = await told_after_an_edit(stage, answer)
    assert "these diagnostics are new (partial, from the editor's language servers)" in text
    assert "shop.ts:1:1: error: A problem of the edit. [ts]" in text
    assert "An old problem." not in text
    assert "(1 more in shop.ts, not on lines of the edit: they may be older" in text


async def test_what_slides_in_and_out_of_a_list_that_is_cut_is_no_news(stage: Stage) -> None:
    """A project with more problems than are told: only what was told before and after is compared."""
    shop, slides, stays = (stage.project / name for name in ("shop.ts", "slides.ts", "stays.ts"))
    shop.write_text("one\ntwo\nthree\n")
    old = complaint(2, "An old problem.")
    before = {"uri": stays.as_uri(), "diagnostics": [old]}
    gone = {"uri": (stage.project / "gone.ts").as_uri(), "diagnostics": [old]}
    broken = {"uri": stays.as_uri(), "diagnostics": [old, complaint(3, "A caller is broken.")]}

    def answer(params: dict[str, Any]) -> dict[str, Any]:
        if params["since"] is None:
            return {"revision": 4, "files": [before, gone], "cut": True}
        found = [old, complaint(0, "A problem of the edit.")]
        edited = {"uri": shop.as_uri(), "published": True, "diagnostics": found}
        slid = {"uri": slides.as_uri(), "diagnostics": [old]}
        return {"revision": 9, "files": [edited, broken, slid], "cut": True}

    text = await told_after_an_edit(stage, answer)
    assert "these diagnostics are new (partial, from the editor's language servers)" in text
    assert "shop.ts:1:1: error: A problem of the edit. [ts]" in text
    assert "stays.ts:4:1: error: A caller is broken. [ts]" in text
    assert "An old problem." not in text
    assert "earlier diagnostics are gone" not in text


async def test_a_clean_edit_does_not_stop_the_editor_from_being_waited_for(stage: Stage) -> None:
    """Some servers say nothing of a file without problems; that is no reason to give up on them."""
    waits: list[int] = []

    def answer(params: dict[str, Any]) -> dict[str, Any]:
        if params["limitMs"]:
            waits.append(params["limitMs"])
        files: list[dict[str, Any]] = [
            {"uri": uri, "watched": True, "diagnostics": []} for uri in params["uris"]
        ]
        if len(waits) == 3:
            files = [{**found(stage, published=True), "watched": True}]
        return {"revision": 4, "files": files}

    stage.client.answerers[METHOD] = answer
    edits = [
        ToolUse("Write", {"file_path": "a.ts", "content": f"let x = {number};\n"})
        for number in range(3)
    ]
    stage.play([*(Turn([edit]) for edit in edits), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Write it") == "end_turn"
    assert waits == [2000, 2000, 2000]
    assert "(fresh, from the editor's language servers)" in all_text(stage.body())


async def test_a_new_file_is_news_as_a_whole(stage: Stage) -> None:
    def answer(params: dict[str, Any]) -> dict[str, Any]:
        if params["since"] is None:
            return {"revision": 4, "files": []}
        return {"revision": 5, "files": [{**found(stage, published=True), "unseen": True}]}

    stage.client.answerers[METHOD] = answer
    stage.play([Turn([EDIT]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Write it") == "end_turn"
    assert "a.ts:1:8: error: Cannot find name 'Y'. [ts 2304]" in all_text(stage.body())
    assert "(fresh, from the editor's language servers)" in all_text(stage.body())


NONSENSE: list[Any] = [NO_ANSWER, {"files": "no"}, {"revision": 1, "files": [{}]}]


@pytest.mark.parametrize("answer", NONSENSE)
async def test_an_editor_that_talks_nonsense_holds_nothing_up(stage: Stage, answer: Any) -> None:
    stage.client.answerers[METHOD] = lambda _: answer
    stage.play([Turn([EDIT]), "Done."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Write it") == "end_turn"
    assert (stage.project / "a.ts").is_file()
    assert "diagnostics are new" not in all_text(stage.body())


async def test_stop_ends_the_wait(stage: Stage) -> None:
    def answer(params: dict[str, Any]) -> Any:
        return {"revision": 1, "files": []} if params["since"] is None else NO_ANSWER

    stage.client.answerers[METHOD] = answer
    stage.play([Turn([EDIT])])
    chat = await stage.chat(permissionMode="acceptEdits")
    prompt = chat.send("Write it")
    await stage.client.wait_until(
        lambda: (
            [
                one
                for one in stage.client.requests
                if one["method"] == METHOD
                and one["params"]["since"] is not None
                and (stage.project / "a.ts").as_uri() in one["params"]["uris"]
            ]
            or None
        ),
        "the wait for the editor",
    )
    chat.stop()
    assert await prompt.stop_reason() == "cancelled"
