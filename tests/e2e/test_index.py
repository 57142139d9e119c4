"""The workspace index through the real server: what the model can ask, and what it is shown."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pilotfish.codeintel.index.layout import index_file

from tests.support.command_line import pilotfish
from tests.support.stage import Stage, environment, text_of
from tests.support.waiting import WAIT_S, until_answer
from tests.support.wire_client import WireClient
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHAPES = 'class Shape:\n    def area(self):\n        """Square metres."""\n        return 1\n'
USER = "from shapes import Shape\n\n\ndef report():\n    return Shape().area()\n"


def project(stage: Stage) -> None:
    stage.write("shapes.py", SHAPES)
    for number in range(4):
        stage.write(f"user{number}.py", USER.replace("report", f"report{number}"))


async def ask_lsp(stage: Stage, **arguments: Any) -> str:
    """Have the model ask one question; returns what it is told when nobody is still loading."""
    async with asyncio.timeout(WAIT_S):
        while "still loading" in (text := await ask_once(stage, arguments)):
            pass
    return text


async def ask_once(stage: Stage, arguments: dict[str, Any]) -> str:
    stage.play([Turn([ToolUse("LSP", arguments)]), "done"])
    chat = await stage.chat()
    await chat.ask("go")
    (result,) = stage.results()
    return text_of(result)


async def system_of(stage: Stage) -> list[str]:
    """Have a session say something; returns the blocks of its system prompt."""
    stage.play(["done", "done"])
    chat = await stage.chat()
    await chat.ask("one")
    first = [block["text"] for block in stage.body()["system"]]
    await chat.ask("two")
    assert [block["text"] for block in stage.body()["system"]] == first
    return first


async def test_the_model_asks_by_name_without_a_language_server(stage: Stage) -> None:
    project(stage)
    text = await ask_lsp(stage, operation="workspace_symbols", query="shap")
    assert "Shape" in text
    assert "shapes.py:1" in text
    where = {"file_path": "user1.py", "line": 5}
    text = await ask_lsp(stage, operation="definition", symbol="Shape", **where)
    assert "shapes.py:1" in text
    assert "the workspace index" in text
    text = await ask_lsp(stage, operation="hover", symbol="area", **where)
    assert "def area(self)" in text
    assert "Square metres." in text
    text = await ask_lsp(stage, operation="references", symbol="area", **where)
    assert all(f"user{number}.py" in text for number in range(4))
    assert "shapes.py" in text
    text = await ask_lsp(
        stage, operation="incoming_calls", symbol="area", file_path="shapes.py", line=2
    )
    assert all(f"report{number}" in text for number in range(4))


async def test_an_index_that_failed_says_why_at_once(tmp_path: Path) -> None:
    state = tmp_path / "home" / ".pilotfish"
    state.mkdir(parents=True)
    (state / "index").write_text("no folder")
    async with Stage.open(tmp_path) as stage:
        project(stage)
        question = Turn([ToolUse("LSP", {"operation": "workspace_symbols", "query": "shap"})])
        place = {"file_path": "shapes.py", "line": 2, "symbol": "area"}
        other = Turn([ToolUse("LSP", {"operation": "implementation", **place})])
        stage.play([question, question, other, "done"])
        chat = await stage.chat()
        await chat.ask("go")
        *answers, of_others = [text_of(one) for one in stage.results()]
    why = "Nobody here can tell the workspace symbols: the workspace index has failed: it cannot be"
    assert all(text.startswith(why) for text in answers), answers
    assert all(text.endswith(". Use Grep instead.") for text in answers)
    assert "no language server answers for this" in of_others, "the index never answers that"
    assert "has failed" not in of_others


async def test_an_answer_without_the_folder_whose_index_failed_says_so(
    stage: Stage, tmp_path: Path
) -> None:
    project(stage)
    await ask_lsp(stage, operation="workspace_symbols", query="Shape")
    first, stage.project = stage.project, tmp_path / "other"
    stage.write("other.py", "def missed(): ...\n")
    index_file(stage.home / ".pilotfish", stage.project).with_suffix(".lock").mkdir()
    await ask_lsp(stage, operation="workspace_symbols", query="missed")
    stage.project = first
    text = await ask_lsp(stage, operation="workspace_symbols", query="missed")
    assert text.startswith("Nothing found: no workspace symbols of `missed`.\n(From")
    assert "\n(the workspace index of other has failed: it cannot be kept: " in text
    assert text.endswith(". So this may be out of date or not all: check with Grep.)")


async def test_what_the_model_wrote_can_be_asked_for(stage: Stage) -> None:
    project(stage)
    text = await ask_lsp(stage, operation="workspace_symbols", query="nowhere_yet")
    assert "new.py" not in text
    stage.write("new.py", "def nowhere_yet(): ...\n")
    async with asyncio.timeout(WAIT_S):
        while "new.py:1" not in await ask_lsp(
            stage, operation="workspace_symbols", query="nowhere_yet"
        ):
            pass


async def test_the_prompt_holds_a_map_and_stays_the_same(stage: Stage) -> None:
    project(stage)
    await ask_lsp(stage, operation="workspace_symbols", query="Shape")
    async with asyncio.timeout(WAIT_S):
        while not any("# Repository map" in block for block in await system_of(stage)):
            pass
    blocks = await system_of(stage)
    (found,) = [block for block in blocks if "# Repository map" in block]
    assert "shapes.py:\n  class Shape\n    def area(self)" in found


async def test_files_that_may_not_be_read_are_not_in_the_map(stage: Stage) -> None:
    project(stage)
    stage.settings(deny=["Read(shapes.py)"])
    await ask_lsp(stage, operation="workspace_symbols", query="report")
    async with asyncio.timeout(WAIT_S):
        while not any("# Repository map" in block for block in await system_of(stage)):
            pass
    (found,) = [block for block in await system_of(stage) if "# Repository map" in block]
    assert "shapes.py" not in found
    assert "user0.py" in found


async def test_the_map_and_the_index_can_be_switched_off(stage: Stage) -> None:
    project(stage)
    settings = {"codeIntelligence": {"index": {"enabled": False}}}
    stage.write(".pilotfish/settings.json", json.dumps(settings))
    text = await ask_lsp(stage, operation="workspace_symbols", query="Shape")
    assert "shapes.py" not in text
    assert not any("# Repository map" in block for block in await system_of(stage))


async def test_closing_the_session_ends_the_watching(stage: Stage) -> None:
    project(stage)
    await ask_lsp(stage, operation="workspace_symbols", query="Shape")
    await stage.clear()

    async def is_nobody_left() -> bool:
        return await stage.children() == []

    await until_answer(is_nobody_left)


async def test_the_editor_shows_the_first_index_and_the_user_may_stop_it(tmp_path: Path) -> None:
    root = tmp_path / "many"
    root.mkdir()
    for number in range(1_500):
        body = "".join(f"def f{number}_{at}(a, b): return a + b * {at}\n" for at in range(40))
        (root / f"m{number}.py").write_text(body)
    client = await WireClient.start(environment(tmp_path / "home"), cwd=tmp_path)
    client.answerers["window/workDoneProgress/create"] = lambda _: None
    try:
        params = {
            "processId": None,
            "rootUri": root.as_uri(),
            "workspaceFolders": [{"uri": root.as_uri(), "name": "many"}],
            "capabilities": {"window": {"workDoneProgress": True}},
        }
        await client.request("initialize", params)
        client.notify("initialized", {})
        begun = await client.wait_for("$/progress", lambda one: one["value"]["kind"] == "begin")
        assert begun["value"]["title"] == "Pilotfish: index of many"
        token = begun["token"]
        client.notify("window/workDoneProgress/cancel", {"token": token})
        await client.wait_for("$/progress", lambda one: one["value"]["kind"] == "end")
        async with asyncio.timeout(WAIT_S):
            while (await client.request("_pilotfish/testing/stats", {}))["children"]:
                pass
    finally:
        assert await client.stop() == 0


async def test_doctor_tells_of_the_index(stage: Stage) -> None:
    async def index_of() -> str:
        seen = await pilotfish("doctor", "--json", env=environment(stage.home), cwd=stage.project)
        return json.loads(seen.stdout)["checks"]["index"]

    project(stage)
    assert await index_of() == "none yet; the next session makes it"
    await ask_lsp(stage, operation="workspace_symbols", query="Shape")
    assert (await index_of()).startswith("5 files, ")
