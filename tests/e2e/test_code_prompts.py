"""Prompts that begin in the editor: the light bulb and code lenses, over the wire."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.stage import Stage
from tests.support.wire_client import Json

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHOP = (
    "class Cart:\n    def total(self):\n        return sum(self.items)\n\n"
    "    def empty(self):\n        self.items = []\n\n\n"
    "def main():\n    def helper():\n        pass\n    print(Cart().total())\n"
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with Stage.open(tmp_path_factory.mktemp("prompts")) as stage:
        yield stage


@pytest_asyncio.fixture(loop_scope="session")
async def stage(shared: Stage, tmp_path: Path) -> AsyncIterator[Stage]:
    shared.project = tmp_path / "project"
    shared.project.mkdir()
    shared.client.answerers["workspace/codeLens/refresh"] = lambda _: None
    yield shared
    await shared.clear()


def between(line: int, start: int, end_line: int, end: int) -> Json:
    return {
        "start": {"line": line, "character": start},
        "end": {"line": end_line, "character": end},
    }


async def actions(stage: Stage, path: Path, where: Json, *diagnostics: Json) -> list[Json]:
    params = {
        "textDocument": {"uri": path.as_uri()},
        "range": where,
        "context": {"diagnostics": list(diagnostics)},
    }
    found: list[Json] = await stage.client.request("textDocument/codeAction", params)
    return found


def argument(action: Json) -> Json:
    command = action["command"]
    assert command["command"] == "pilotfish.startPrompt"
    (given,) = command["arguments"]
    return given


async def test_a_fix_knows_the_symbol_and_what_belongs_to_the_problem(stage: Stage) -> None:
    path = stage.write("shop.py", SHOP)
    stage.editor.open(path)
    related = {
        "location": {"uri": (stage.project / "base.py").as_uri(), "range": between(6, 0, 6, 4)},
        "message": "items is declared here",
    }
    problem = {
        "range": between(2, 19, 2, 29),
        "severity": 1,
        "message": "Cannot access attribute items",
        "source": "Pylance",
        "code": "reportAttributeAccessIssue",
        "relatedInformation": [related],
    }
    (fix,) = await actions(stage, path, between(2, 20, 2, 20), problem)
    assert fix["title"] == "Fix with Pilotfish"
    given = argument(fix)
    assert given["prompt"] == (
        "Fix this diagnostic and check that nothing else breaks:\n"
        f"- {path}:3 (in method `Cart.total`, lines 2-3): "
        "[Pylance reportAttributeAccessIssue] Cannot access attribute items\n"
        f"  see {stage.project / 'base.py'}:7: items is declared here"
    )
    assert given["send"] is True
    # The client shows the whole method to the model.
    assert (given["range"]["start"]["line"], given["range"]["end"]["line"]) == (1, 2)


async def test_the_symbol_is_the_one_of_the_text_as_it_is_now(stage: Stage) -> None:
    path = stage.write("shop.py", SHOP)
    stage.editor.open(path)
    problem = {"range": between(2, 8, 2, 9), "message": "m"}
    await actions(stage, path, between(2, 8, 2, 8), problem)
    stage.editor.type_over(path, "def total", "def sum_up")
    (fix,) = await actions(stage, path, between(2, 8, 2, 8), problem)
    assert "`Cart.sum_up`" in argument(fix)["prompt"]


async def test_a_flood_of_diagnostics_is_cut(stage: Stage) -> None:
    path = stage.write("shop.py", SHOP)
    problem = {"range": between(2, 8, 2, 9), "message": "x" * 50_000}
    (fix,) = await actions(stage, path, between(2, 8, 2, 8), *[problem] * 50)
    assert len(argument(fix)["prompt"]) < 12_000
    assert argument(fix)["prompt"].count("\n- ") == 10


async def test_five_things_can_be_done_with_a_selection(stage: Stage) -> None:
    path = stage.write("shop.py", SHOP)
    stage.editor.open(path)
    found = await actions(stage, path, between(1, 0, 3, 0))
    assert [one["title"].split()[0] for one in found] == [
        "Ask",
        "Edit",
        "Explain",
        "Document",
        "Test",
    ]
    ask, edit, *others = (argument(one) for one in found)
    place = f"{path}:2-3"
    assert ask["prompt"].startswith(place)
    assert edit["prompt"].startswith(f"Change {place}")
    assert (ask["send"], edit["send"]) == (False, False)
    for each in others:
        assert place in each["prompt"]
        assert each["send"] is True


async def test_code_actions_can_be_switched_off_and_on(stage: Stage) -> None:
    path = stage.write("shop.py", SHOP)
    stage.editor.open(path)
    problem = {"range": between(2, 8, 2, 9), "message": "wrong"}
    configure(stage, codeActions={"enabled": False})
    await stage.client.settle()
    assert await actions(stage, path, between(1, 0, 3, 0), problem) == []
    configure(stage, codeActions={"enabled": True})
    await stage.client.settle()
    assert len(await actions(stage, path, between(1, 0, 3, 0), problem)) == 6
    # What is no switch leaves them on.
    configure(stage, codeActions={"enabled": "no"})
    await stage.client.settle()
    assert len(await actions(stage, path, between(1, 0, 3, 0), problem)) == 6


async def lenses(stage: Stage, path: Path) -> list[Json]:
    params = {"textDocument": {"uri": path.as_uri()}}
    found: list[Json] = await stage.client.request("textDocument/codeLens", params)
    return found


def configure(stage: Stage, **settings: Any) -> None:
    ours = {"pilotfish": settings}
    stage.client.notify("workspace/didChangeConfiguration", {"settings": ours})


async def test_code_lenses_are_off_until_they_are_switched_on(stage: Stage) -> None:
    path = stage.write("shop.py", SHOP)
    stage.editor.open(path)
    assert await lenses(stage, path) == []
    configure(stage, codeLens={"enabled": True})
    await stage.client.wait_for("workspace/codeLens/refresh")
    found = await lenses(stage, path)
    over = [(one["range"]["start"]["line"], one["command"]["title"]) for one in found]
    assert over == [
        (line, title)
        for line in (0, 1, 4, 8)
        for title in ("Ask Pilotfish", "Edit", "Explain", "Document", "Test")
    ]
    ask, edit, explain, document, test = (argument(one) for one in found[5:10])
    assert ask["prompt"] == f"method `Cart.total`, lines 2-3 of {path}: "
    assert edit["prompt"] == f"Change method `Cart.total`, lines 2-3 of {path}: "
    assert explain["prompt"].startswith(f"Explain method `Cart.total`, lines 2-3 of {path}: ")
    assert f"method `Cart.total`, lines 2-3 of {path}, in the style" in document["prompt"]
    sent = [each["send"] for each in (ask, edit, explain, document, test)]
    assert sent == [False, False, True, True, True]
    configure(stage, codeLens={"enabled": False})
    await stage.client.settle()
    assert await lenses(stage, path) == []


async def test_what_has_no_symbols_has_no_lenses(stage: Stage) -> None:
    configure(stage, codeLens={"enabled": True})
    closed = stage.write("closed.py", SHOP)
    assert await lenses(stage, closed) == []
    text = stage.write("notes.txt", "def total(): pass\n")
    stage.editor.open(text)
    assert await lenses(stage, text) == []
    configure(stage, codeLens={"enabled": "yes"})
    await stage.client.settle()


async def test_an_editor_without_the_command_is_offered_no_entries_that_would_fail(
    tmp_path: Path,
) -> None:
    async with Stage.open(tmp_path, editor={"save": True}) as plain:
        assert "codeLensProvider" not in plain.initialized["capabilities"]
        path = plain.write("shop.py", SHOP)
        plain.editor.open(path)
        problem = {"range": between(2, 8, 2, 9), "message": "m"}
        assert await actions(plain, path, between(1, 0, 3, 0), problem) == []
        configure(plain, codeLens={"enabled": True}, codeActions={"enabled": True})
        assert await lenses(plain, path) == []
        assert await actions(plain, path, between(1, 0, 3, 0), problem) == []
