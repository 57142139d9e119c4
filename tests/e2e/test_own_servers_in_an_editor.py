"""Language servers of our own beside an editor that says which files its own servers look at."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.chat import Chat
from tests.support.stage import Stage, all_text, path_with_own_programs
from tests.support.waiting import until_answer
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

SERVES = "_pilotfish/editor/serves"
DIAGNOSTICS = "_pilotfish/editor/diagnostics"
ABILITIES = {"save": True, "diagnostics": True, "serves": True}

READ = ToolUse("Read", {"file_path": "lib.py"})
BREAK = ToolUse(
    "Edit",
    {"file_path": "lib.py", "old_string": "name: str", "new_string": "name: str, loud: bool"},
)
ASK = ToolUse("LSP", {"operation": "diagnostics", "file_path": "main.py"})

TRIES = 20

BROKEN_CALLER = "main.py:3: No argument provided for required parameter `loud`"


SETTINGS: dict[str, Any] = {"preflightWaitMs": 60_000, "diagnosticsWaitMs": 30_000}
"""Long waits: what is told must not depend on how busy the machine is."""


@asynccontextmanager
async def opened(folder: Path, **more: Any) -> AsyncGenerator[Stage]:
    """A project in an editor, with more settings of the user's."""
    settings = folder / "home" / ".pilotfish" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"codeIntelligence": SETTINGS | more}))
    variables = {"PATH": path_with_own_programs()}
    async with Stage.open(folder, variables=variables, editor=ABILITIES) as stage:
        stage.write("lib.py", 'def greet(name: str) -> str:\n    return "hello " + name\n')
        stage.write("main.py", 'from lib import greet\n\ngreet("x")\n')
        yield stage
        assert stage.fake.problems == []


@pytest_asyncio.fixture(loop_scope="session")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with opened(tmp_path) as stage:
        yield stage


def the_editor(stage: Stage, *, serves: bool, watched: bool | None = None) -> list[dict[str, Any]]:
    """Have the editor answer; returns what it is asked about diagnostics."""
    asked: list[dict[str, Any]] = []

    def diagnostics(params: dict[str, Any]) -> dict[str, Any]:
        asked.append(params)
        state: dict[str, Any] = {
            "published": watched is not False,
            "watched": watched,
            "diagnostics": [],
        }
        files: list[dict[str, Any]] = [{"uri": uri, **state} for uri in params["uris"]]
        return {"revision": len(asked), "files": files}

    stage.client.answerers[SERVES] = lambda _: {"served": serves}
    stage.client.answerers[DIAGNOSTICS] = diagnostics
    return asked


async def servers(stage: Stage) -> list[str]:
    found = [one for one in await stage.children() if one["purpose"] == "language_server"]
    return sorted(one["label"] for one in found)


async def read_first(stage: Stage, chat: Chat) -> None:
    """Have the file read: the server starts in the background and looks at it."""
    assert await chat.ask("Read it") == "end_turn"

    async def is_there() -> bool:
        return "ty" in await servers(stage)

    await until_answer(is_there)


async def test_the_dialog_and_the_note_come_from_ours_where_the_editor_has_nobody(
    stage: Stage,
) -> None:
    asked = the_editor(stage, serves=False)
    stage.play([Turn([READ]), "Read.", Turn([BREAK]), "I see."])
    chat = await stage.chat()
    await read_first(stage, chat)
    prompt = chat.send("Change it")
    question = await chat.question()
    told = question.meta["preflight"]
    assert [line[: len(BROKEN_CALLER)] for line in told] == [BROKEN_CALLER]
    assert (question.meta["preflightAdded"], question.meta["preflightFixed"]) == (1, 0)
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert "(fresh, from ty)" in all_text(stage.body())
    assert all(not params["uris"] for params in asked)


async def test_where_the_editor_looks_it_tells_of_edits_and_ours_look_ahead(stage: Stage) -> None:
    asked = the_editor(stage, serves=True)
    stage.play([Turn([READ]), "Read.", Turn([BREAK]), "I see."])
    chat = await stage.chat()
    await read_first(stage, chat)
    prompt = chat.send("Change it")
    question = await chat.question()
    assert question.meta["preflight"][0].startswith(BROKEN_CALLER)
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert "from ty" not in all_text(stage.body())
    assert any((stage.project / "lib.py").as_uri() in params["uris"] for params in asked)


async def test_a_file_that_the_editor_does_not_look_at_is_judged_by_ours(stage: Stage) -> None:
    """The editor's servers look at files in tabs alone, or give outlines and no diagnostics."""
    asked = the_editor(stage, serves=True, watched=False)
    stage.play([Turn([READ]), Turn([BREAK]), Turn([ASK]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Change it") == "end_turn"
    text = all_text(stage.body())
    assert "(fresh, from ty)" in text
    assert "main.py:3:1: error: No argument provided for required parameter `loud`" in text
    assert "(From ty.)" in text
    assert all(params["since"] is None for params in asked)


async def test_a_file_in_a_tab_is_judged_by_the_editor_alone(stage: Stage) -> None:
    asked = the_editor(stage, serves=True, watched=True)
    stage.play([Turn([READ]), Turn([BREAK]), Turn([ASK]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Change it") == "end_turn"
    text = all_text(stage.body())
    assert "from ty" not in text
    assert "No errors and no warnings." in text
    assert "(From the editor's language servers.)" in text
    assert any(params["since"] is not None for params in asked)


async def test_we_are_not_meant_when_the_editor_finds_out_who_serves_a_file(
    tmp_path: Path,
) -> None:
    """With the editor features always on, the outline that it gets may be ours alone."""
    async with opened(tmp_path, editorFeatures="on") as stage:
        the_editor(stage, serves=False)
        path = stage.project / "lib.py"
        stage.editor.open(path)
        outline = {"textDocument": {"uri": path.as_uri()}}
        heard: list[Any] = []

        async def ask_all(_: Any) -> Any:
            """Do what VS Code does: ask everybody who gives outlines, this server included."""
            heard.append(await stage.client.request("textDocument/documentSymbol", outline))
            return {"served": bool(heard[-1])}

        stage.client.answerers[SERVES] = ask_all
        ask = ToolUse("LSP", {"operation": "diagnostics", "file_path": "lib.py"})
        stage.play([one for _ in range(TRIES) for one in (Turn([ask]), "Noted.")])
        chat = await stage.chat(permissionMode="acceptEdits")
        assert await stage.client.request("textDocument/documentSymbol", outline)
        tries = 0

        async def are_we_left_out() -> bool:
            # The question has a limit: on a busy machine it may be over before we are asked.
            nonlocal tries
            tries += 1
            assert tries <= TRIES
            assert await chat.ask("Look") == "end_turn"
            return None in heard

        await until_answer(are_we_left_out, limit_s=60.0)


async def test_a_linter_of_ours_tells_beside_the_editor_and_does_not_stand_for_it(
    tmp_path: Path,
) -> None:
    """Only ruff is there: it does not judge types, as the editor's server may in a while."""
    importing = {"file_path": "lib.py", "old_string": "def", "new_string": "import os\n\n\ndef"}
    async with opened(tmp_path, servers={"ty": False}) as stage:
        stage.write("pyproject.toml", '[tool.ruff.lint]\nselect = ["F"]\n')
        asked = the_editor(stage, serves=True, watched=False)
        stage.play([Turn([READ]), Turn([ToolUse("Edit", importing)]), Turn([ASK]), "I see."])
        chat = await stage.chat(permissionMode="acceptEdits")
        assert await chat.ask("Change it") == "end_turn"
        text = all_text(stage.body())
        assert await servers(stage) == ["ruff"]
    assert "lib.py:1:8: warning: `os` imported but unused" in text
    assert "(fresh, from ruff)" in text
    assert any(params["since"] is not None for params in asked)


async def test_a_server_that_the_user_has_described_tells_beside_the_editors(
    tmp_path: Path,
) -> None:
    mine = {"command": ["ty", "server"], "languages": {"py": "python"}}
    async with opened(tmp_path, servers={"mine": mine}) as stage:
        the_editor(stage, serves=True, watched=True)
        caller = ToolUse("Read", {"file_path": "main.py"})
        stage.play([Turn([READ, caller]), Turn([BREAK]), Turn([ASK]), "I see."])
        chat = await stage.chat(permissionMode="acceptEdits")
        assert await chat.ask("Change it") == "end_turn"
        text = all_text(stage.body())
    assert "(fresh, from mine)" in text
    assert "main.py:3:1: error: No argument provided for required parameter `loud`" in text
    assert "(From the editor's language servers, mine.)" in text


async def test_diagnostics_of_a_file_come_from_who_looks_at_it(stage: Stage) -> None:
    the_editor(stage, serves=False)
    stage.write("main.py", "from lib import greet\n\ngreet()\n")
    stage.play([Turn([ASK]), "I see."])
    chat = await stage.chat()
    assert await chat.ask("Look") == "end_turn"
    text = all_text(stage.body())
    assert "main.py:3:1: error: No argument provided for required parameter `name`" in text
    assert "(From ty.)" in text


async def test_an_editor_that_shows_nothing_does_not_speak_for_the_whole_project(
    stage: Stage,
) -> None:
    stage.client.answerers[SERVES] = lambda _: {"served": True}
    stage.client.answerers[DIAGNOSTICS] = lambda _: {"revision": 1, "files": []}
    stage.play([Turn([ToolUse("LSP", {"operation": "diagnostics"})]), "I see."])
    chat = await stage.chat()
    assert await chat.ask("Look") == "end_turn"
    text = all_text(stage.body())
    assert "(There may be more: not everything is judged yet.)" in text


async def test_an_editor_that_does_not_say_is_believed_to_look(stage: Stage) -> None:
    asked = the_editor(stage, serves=True)
    stage.client.answerers[SERVES] = lambda _: {"served": "perhaps"}
    stage.play([Turn([ASK]), "I see."])
    chat = await stage.chat()
    assert await chat.ask("Look") == "end_turn"
    assert "(From the editor's language servers.)" in all_text(stage.body())
    waited_for = [params["uris"] for params in asked if params["since"] is not None]
    assert waited_for == [[(stage.project / "main.py").as_uri()]]


@pytest.mark.parametrize("serves", [True, False], ids=["the editor looks", "ours look"])
async def test_a_language_can_be_kept_quiet(stage: Stage, *, serves: bool) -> None:
    asked = the_editor(stage, serves=serves)
    quiet = '{"codeIntelligence": {"quietLanguages": ["python"]}}'
    stage.write(".pilotfish/settings.json", quiet)
    broken = ToolUse("Edit", {"file_path": "lib.py", "old_string": "(name", "new_string": "((name"})
    stage.play([Turn([READ, broken]), "I see."])
    chat = await stage.chat()
    prompt = chat.send("Change it")
    question = await chat.question()
    # The syntax of what the user is to decide about is always looked at.
    assert question.meta["preflight"][0].startswith("lib.py:1: ")
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert "diagnostics are new" not in all_text(stage.body())
    assert asked == []


async def test_no_server_runs_where_the_user_wants_none(stage: Stage) -> None:
    the_editor(stage, serves=False)
    stage.write(".pilotfish/settings.json", '{"codeIntelligence": {"useServers": false}}')
    stage.play([Turn([READ, BREAK]), Turn([ASK]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Change it") == "end_turn"
    assert "(From the syntax alone.)" in all_text(stage.body())
    assert await servers(stage) == []


async def test_twenty_sessions_come_and_go_with_one_server_which_ends_with_us(stage: Stage) -> None:
    the_editor(stage, serves=False)
    stage.play([*[Turn([READ]), "Read."] * 20])
    for _ in range(20):
        chat = await stage.chat()
        await read_first(stage, chat)
        await stage.client.request("session/close", {"sessionId": chat.id})
        again, _ = await stage.reload(chat.id)
        await stage.client.request("session/close", {"sessionId": again.id})
        assert await servers(stage) == ["ty"]
    # Whoever opened the stage sees to it that nothing of all that is left.


async def test_a_caller_is_judged_as_the_user_has_it_open(stage: Stage) -> None:
    the_editor(stage, serves=False)
    main = stage.project / "main.py"
    stage.editor.open(main)
    stage.editor.type_over(main, 'greet("x")', '\n\nprint("😀", greet("x"))')
    stage.play([Turn([READ, BREAK]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Change it") == "end_turn"
    told = all_text(stage.body())
    assert "main.py:5:13: error: No argument provided for required parameter `loud`" in told
    assert "main.py:3:" not in told


RENAME = "textDocument/rename"


def renaming(path: Path, line: int, character: int, new_name: str) -> dict[str, Any]:
    place = {"line": line, "character": character}
    return {"textDocument": {"uri": path.as_uri()}, "position": place, "newName": new_name}


async def test_a_rename_that_the_editor_asks_for_finds_the_uses_as_they_are_now(
    stage: Stage,
) -> None:
    lib, main = stage.project / "lib.py", stage.project / "main.py"
    stage.editor.open(lib)
    stage.editor.open(main)
    stage.editor.type_over(lib, "def greet", "\ndef greet")
    stage.editor.type_over(main, 'greet("x")', 'print("😀", greet("x"))')
    edit = await stage.client.request(RENAME, renaming(lib, 1, 5, "salute"))
    found = {
        (uri, at["start"]["line"], at["start"]["character"], at["end"]["character"], one["newText"])
        for uri, changes in edit["changes"].items()
        for one in changes
        for at in [one["range"]]
    }
    assert found == {
        (lib.as_uri(), 1, 4, 9, "salute"),
        (main.as_uri(), 0, 16, 21, "salute"),
        (main.as_uri(), 2, 12, 17, "salute"),
    }
    assert "salute" not in lib.read_text() + main.read_text()


async def test_a_rename_is_left_to_others_where_no_server_may_run_or_knows(stage: Stage) -> None:
    lib, notes = stage.project / "lib.py", stage.write("notes.lua", "local a = 1\n")
    outside = stage.home / "lib.py"
    outside.write_text("def f(): ...\n")
    for path in (lib, notes, outside):
        stage.editor.open(path, "lua" if path == notes else "python")
    assert await stage.client.request(RENAME, renaming(notes, 0, 6, "b")) is None
    assert await stage.client.request(RENAME, renaming(outside, 0, 4, "g")) is None
    stage.write(".pilotfish/settings.json", '{"codeIntelligence": {"useServers": false}}')
    assert await stage.client.request(RENAME, renaming(lib, 0, 5, "salute")) is None
    assert await servers(stage) == []


async def test_a_rename_of_the_model_is_made_in_texts_that_are_not_saved(stage: Stage) -> None:
    the_editor(stage, serves=False)
    lib, main = stage.project / "lib.py", stage.project / "main.py"
    stage.editor.open(main)
    stage.editor.type_over(main, 'greet("x")', 'print("😀", greet("x"))')
    call = {"operation": "rename", "file_path": "lib.py", "symbol": "greet", "new_name": "salute"}
    stage.play([Turn([ToolUse("LSP", call)]), "Renamed."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Rename it") == "end_turn"
    assert "3 places of 2 files" in all_text(stage.body())
    assert stage.editor.documents[main].text == (
        'from lib import salute\n\nprint("😀", salute("x"))\n'
    )
    assert lib.read_text().startswith("def salute(")
