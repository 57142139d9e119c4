"""What the editor's language servers find of an edit reaches the model with its next call."""

from collections.abc import AsyncIterator
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
    before, after = asked
    assert (before["uris"], before["since"]) == ([], None)
    assert after["uris"] == [(stage.project / "a.ts").as_uri()]
    assert after["since"] == 4
    assert after["limitMs"] == 2000
    assert [one["note"] for one in chat.facts("note")]


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
