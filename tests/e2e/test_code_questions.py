"""Questions about code: the model asks, the editor's language servers answer."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.code_editor import CodeEditor, changes, place, span, symbol
from tests.support.stage import Stage, text_of
from tests.support.waiting import WAIT_S
from tests.support.wire_client import NO_ANSWER
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHOP = "def total(cart):\n    return sum(cart)\n\n\nprint(total([1]))\n"
MAIN = "# 🐟 uses the shop\nfrom shop import total\n\n'🐟', total([2]), total([3])\n"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    folder = tmp_path_factory.mktemp("questions")
    async with Stage.open(folder, editor={"save": True, "code": True}) as stage:
        yield stage


@pytest_asyncio.fixture(loop_scope="session")
async def stage(shared: Stage, tmp_path: Path) -> AsyncIterator[Stage]:
    shared.project = tmp_path / "project"
    shared.project.mkdir()
    yield shared
    await shared.clear()
    assert shared.fake.problems == []
    assert shared.fake.unused_turns == []


@pytest.fixture
def code(stage: Stage) -> CodeEditor:
    return CodeEditor(stage.client)


async def ask(stage: Stage, **arguments: Any) -> str:
    """Let the model ask; returns what it gets."""
    stage.play([Turn([ToolUse("LSP", arguments)]), "Done."])
    chat = await stage.chat()
    assert await chat.ask("Look") == "end_turn"
    assert chat.questions() == []
    (result,) = stage.results()
    return text_of(result)


async def test_references_are_lines_with_their_text(stage: Stage, code: CodeEditor) -> None:
    shop, main = stage.write("shop.py", SHOP), stage.write("src/main.py", MAIN)
    found = [place(shop, 0, 4, 9), place(main, 3, 6, 11), place(shop, 4, 6, 11)]
    found.append(place(main, 3, 18, 23))
    code.answers["locate"] = {"known": True, "locations": found}
    text = await ask(
        stage, operation="references", file_path="src/main.py", line=4, symbol="total", occurrence=2
    )
    assert text == (
        "shop.py:1: def total(cart):\n"
        "shop.py:5: print(total([1]))\n"
        "src/main.py:4: '🐟', total([2]), total([3]) (×2)\n"
        "(From the editor's language servers.)"
    )
    asked = code.params("locate")
    # The fish counts twice.
    assert (asked["kind"], asked["line"], asked["character"]) == ("references", 3, 18)
    assert asked["uri"] == main.as_uri()


@pytest.mark.parametrize("operation", ["definition", "implementation", "type_definition"])
async def test_the_other_places(stage: Stage, code: CodeEditor, operation: str) -> None:
    shop = stage.write("shop.py", SHOP)
    code.answers["locate"] = {"known": True, "locations": [place(shop, 0, 4, 9)]}
    text = await ask(stage, operation=operation, file_path="shop.py", line=5, symbol="total")
    assert text.startswith("shop.py:1: def total(cart):\n")
    assert code.params("locate")["kind"] == operation


async def test_hover(stage: Stage, code: CodeEditor) -> None:
    stage.write("shop.py", SHOP)
    code.answers["hover"] = {"known": True, "text": "`def total(cart) -> int`"}
    text = await ask(stage, operation="hover", file_path="shop.py", line=5, symbol="total")
    assert text == "`def total(cart) -> int`\n(From the editor's language servers.)"


async def test_the_outline_of_a_file(stage: Stage, code: CodeEditor) -> None:
    shop = stage.write("shop.py", SHOP)
    whole = symbol(shop, "Cart", 0, kind=5, range=span(0, 0, 1) | {"endLine": 3})
    part = symbol(shop, "total", 1, kind=6, detail="(self) -> int", depth=1)
    code.answers["symbols"] = {"known": True, "symbols": [whole, part, symbol(shop, "main", 4)]}
    text = await ask(stage, operation="document_symbols", file_path="shop.py")
    assert text == (
        "1-4: class Cart\n  2: method total — (self) -> int\n5: function main\n"
        "(From the editor's language servers.)"
    )


async def test_an_outline_needs_no_language_server(stage: Stage, code: CodeEditor) -> None:
    path = stage.write("shop.py", SHOP)
    text = await ask(stage, operation="document_symbols", file_path="shop.py")
    assert text.startswith("1-2: function total")
    assert text.endswith("(From the file's syntax.)")
    # The editor was asked first, and what it holds counts.
    assert [name for name, _ in code.asked] == ["symbols"]
    stage.editor.open(path)
    stage.editor.type_over(path, "def total", "def sum_up")
    text = await ask(stage, operation="document_symbols", file_path="shop.py")
    assert text.startswith("1-2: function sum_up")


async def test_symbols_of_the_project(stage: Stage, code: CodeEditor) -> None:
    shop = stage.write("shop.py", SHOP)
    found = [symbol(shop, "total", 0, container="shop")]
    code.answers["symbols"] = {"known": True, "symbols": found}
    text = await ask(stage, operation="workspace_symbols", query="tot")
    assert text.startswith("shop.py:1: function total in shop\n")
    assert code.params("symbols")["query"] == "tot"


@pytest.mark.parametrize(
    ("operation", "direction"), [("incoming_calls", "incoming"), ("outgoing_calls", "outgoing")]
)
async def test_calls(stage: Stage, code: CodeEditor, operation: str, direction: str) -> None:
    shop = stage.write("shop.py", SHOP)
    call = {"symbol": symbol(shop, "main", 4), "sites": [span(4, 6, 11), span(6, 6, 11)]}
    code.answers["hierarchy"] = {"known": True, "calls": [call]}
    text = await ask(stage, operation=operation, file_path="shop.py", line=1, symbol="total")
    assert text.startswith("shop.py:5: function main (called in line 5, 7)\n")
    assert code.params("hierarchy")["direction"] == direction


async def test_a_line_that_is_off_is_told(stage: Stage, code: CodeEditor) -> None:
    shop = stage.write("shop.py", SHOP)
    code.answers["locate"] = {"known": True, "locations": [place(shop, 0, 4, 9)]}
    text = await ask(stage, operation="definition", file_path="shop.py", line=3, symbol="sum")
    assert "`sum` is not in line 3; line 2 is meant." in text
    assert code.params("locate")["line"] == 1


async def test_a_symbol_that_is_elsewhere_is_an_error_with_a_way_out(
    stage: Stage, code: CodeEditor
) -> None:
    stage.write("shop.py", SHOP + "\n" * 60 + "tail = 1\n")
    text = await ask(stage, operation="definition", file_path="shop.py", line=66, symbol="total")
    assert "It stands in the lines 1, 5; name one of them." in text
    text = await ask(stage, operation="hover", file_path="shop.py", line=1, symbol="price")
    assert "`price` is nowhere in shop.py." in text
    assert code.asked == []


async def test_hidden_files_are_left_out(stage: Stage, code: CodeEditor) -> None:
    shop, secret = stage.write("shop.py", SHOP), stage.write("keys/secret.py", SHOP)
    stage.settings(deny=["Read(./keys/**)"])
    found = [place(shop, 0, 4, 9), place(secret, 4, 6, 11)]
    code.answers["locate"] = {"known": True, "locations": found}
    text = await ask(stage, operation="references", file_path="shop.py", line=1, symbol="total")
    assert "secret" not in text
    assert "(1 file is left out: a deny rule for Read hides it.)" in text
    call: dict[str, Any] = {"symbol": symbol(secret, "main", 4), "sites": []}
    code.answers["hierarchy"] = {"known": True, "calls": [call]}
    text = await ask(stage, operation="incoming_calls", file_path="shop.py", symbol="total")
    assert "secret" not in text
    code.answers["symbols"] = {"known": True, "symbols": [symbol(secret, "total", 0)]}
    text = await ask(stage, operation="workspace_symbols", query="total")
    assert "secret" not in text


async def test_a_hidden_file_cannot_be_asked_about(stage: Stage, code: CodeEditor) -> None:
    stage.write("keys/secret.py", SHOP)
    stage.settings(deny=["Read(./keys/**)"])
    text = await ask(stage, operation="hover", file_path="keys/secret.py", line=1, symbol="total")
    assert "deny" in text or "refuses" in text
    assert code.asked == []


async def test_where_the_editor_does_not_know_the_index_answers(
    stage: Stage, code: CodeEditor
) -> None:
    stage.write("shop.py", SHOP)
    where: dict[str, Any] = {"file_path": "shop.py", "line": 5, "symbol": "total"}
    async with asyncio.timeout(WAIT_S):  # the index is being made
        while "the workspace index" not in (
            text := await ask(stage, operation="definition", **where)
        ):
            pass
    assert text.startswith("shop.py:1: def total(cart):\n")
    assert code.params("locate")["kind"] == "definition"
    code.answers["locate"] = {"known": True, "locations": []}
    text = await ask(stage, operation="definition", **where)
    assert "Nothing found: no definition of `total`." in text


async def test_our_own_answers_are_not_taken_for_those_of_others(
    stage: Stage, code: CodeEditor
) -> None:
    path = stage.write("shop.py", SHOP)
    stage.editor.open(path)
    at = {"textDocument": {"uri": path.as_uri()}, "position": {"line": 4, "character": 6}}
    heard: list[Any] = []

    async def ask_all(_: Any) -> Any:
        """Do what VS Code does: ask everybody who provides something, this server included."""
        heard.append(await stage.client.request("textDocument/hover", at))
        return {"known": False}

    stage.client.answerers["_pilotfish/editor/hover"] = ask_all
    await ask(stage, operation="hover", file_path="shop.py", line=5, symbol="total")
    assert heard == [None]


async def test_nobody_knows(stage: Stage, code: CodeEditor) -> None:
    stage.write("notes.weird", "alpha beta\n")
    text = await ask(stage, operation="definition", file_path="notes.weird", line=1, symbol="beta")
    assert "Use Grep instead." in text
    assert [name for name, _ in code.asked] == ["locate"]


HOSTILE: list[Any] = [
    NO_ANSWER,
    None,
    [],
    {"known": "maybe"},
    {"known": True, "locations": "all"},
    {"known": True, "locations": [{"uri": 7, "range": {}}]},
    {"known": True, "locations": [{"uri": "file:///x", "range": span(0, 0, 1) | {"endLine": "x"}}]},
]


@pytest.mark.parametrize("answer", HOSTILE)
async def test_nonsense_counts_as_not_knowing(stage: Stage, code: CodeEditor, answer: Any) -> None:
    stage.write("shop.weird", SHOP)
    code.answers["locate"] = answer
    text = await ask(stage, operation="references", file_path="shop.weird", line=1, symbol="total")
    assert "Use Grep instead." in text


async def test_places_that_cannot_be_are_shown_as_far_as_they_can(
    stage: Stage, code: CodeEditor, tmp_path: Path
) -> None:
    shop = stage.write("shop.py", SHOP)
    outside = tmp_path / "outside.py"
    outside.write_text("SECRET = 1\n")
    gone = stage.project / "gone.py"
    found = [
        place(shop, 900, 4, 9),
        place(shop, -3, -4, 9),
        place(outside, 0, 0, 6),
        place(gone, 1, 0, 1),
        {"uri": "untitled:Untitled-1", "range": span(0, 0, 1)},
        {"uri": "file://", "range": span(0, 0, 1)},
        {"uri": "file:///etc/%00passwd", "range": span(0, 0, 1)},
    ]
    code.answers["locate"] = {"known": True, "locations": found}
    text = await ask(stage, operation="references", file_path="shop.py", line=1, symbol="total")
    # What lies outside the project is named, and not read.
    assert text.splitlines()[:4] == [
        "shop.py:1: def total(cart):",
        "shop.py:901",
        f"{outside}:1",
        "gone.py:2",
    ]
    assert "SECRET" not in text


async def test_a_flood_is_cut(stage: Stage, code: CodeEditor) -> None:
    shop = stage.write("shop.py", SHOP)
    found = [place(shop, line, 0, 1) for line in range(30_000)]
    code.answers["locate"] = {"known": True, "locations": found}
    text = await ask(stage, operation="references", file_path="shop.py", line=1, symbol="total")
    assert "The first 100 of 1000 or more places are shown." in text
    assert len(text) < 5_000
    code.answers["locate"] = {"known": True, "locations": found * 8}  # no message is that long
    text = await ask(stage, operation="definition", file_path="shop.py", line=1, symbol="total")
    assert "editor's language servers" not in text


async def test_questions_run_side_by_side(stage: Stage, code: CodeEditor) -> None:
    stage.write("shop.py", SHOP)
    code.answers["hover"] = {"known": True, "text": "int"}
    calls = [
        ToolUse("LSP", {"operation": "hover", "file_path": "shop.py", "symbol": name})
        for name in ("total", "cart", "sum")
    ]
    stage.play([Turn([*calls]), "Done."])
    chat = await stage.chat(permissionMode="plan")
    assert await chat.ask("Look") == "end_turn"
    assert [text_of(one).splitlines()[0] for one in stage.results()] == ["int"] * 3


MISSING = [
    ({"operation": "definition"}, "needs file_path and symbol"),
    ({"operation": "workspace_symbols"}, "needs query"),
    ({"operation": "rename", "file_path": "shop.py", "symbol": "total"}, "needs new_name"),
    ({"operation": "definition", "file_path": "none.py", "symbol": "x"}, "none.py does not exist"),
    ({"operation": "document_symbols", "file_path": "."}, "is a folder"),
]


@pytest.mark.parametrize(("arguments", "problem"), MISSING)
async def test_what_is_missing_is_named(
    stage: Stage, code: CodeEditor, arguments: dict[str, Any], problem: str
) -> None:
    stage.write("shop.py", SHOP)
    assert problem in await ask(stage, **arguments)
    assert code.asked == []


async def test_diagnostics_without_anybody_are_those_of_the_syntax(
    stage: Stage, code: CodeEditor
) -> None:
    stage.write("broken.py", "def broken(:\n")
    text = await ask(stage, operation="diagnostics", file_path="broken.py")
    assert "broken.py:1:" in text
    assert "(From the syntax alone.)" in text


# --- rename ---

RENAME = ToolUse(
    "LSP",
    {
        "operation": "rename",
        "file_path": "shop.py",
        "line": 1,
        "symbol": "total",
        "new_name": "sum_up",
    },
)
NEW_SHOP = SHOP.replace("total", "sum_up")
NEW_MAIN = MAIN.replace("total", "sum_up")


def project(stage: Stage, code: CodeEditor) -> tuple[Path, Path]:
    shop, main = stage.write("shop.py", SHOP), stage.write("src/main.py", MAIN)
    in_main = (span(1, 17, 22), span(3, 6, 11), span(3, 18, 23))
    code.answers["rename"] = {
        "known": True,
        "documents": [
            changes(main, "sum_up", *in_main),
            changes(shop, "sum_up", span(4, 6, 11), span(0, 4, 9)),
        ],
    }
    return shop, main


async def test_a_rename_is_one_question_with_all_files(stage: Stage, code: CodeEditor) -> None:
    shop, main = project(stage, code)
    stage.play([Turn([RENAME]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("Rename it")
    question = await chat.question()
    assert question.call["title"] == "Rename total to sum_up in 2 files"
    assert question.call["kind"] == "edit"
    assert question.meta["reason"] == "It changes 2 files of the project."
    diffs = question.call["content"]
    assert [(one["path"], one["newText"]) for one in diffs] == [
        (str(shop), NEW_SHOP),
        (str(main), NEW_MAIN),
    ]
    assert shop.read_text() == SHOP
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert (shop.read_text(), main.read_text()) == (NEW_SHOP, NEW_MAIN)
    assert len(chat.questions()) == 1
    (result,) = stage.results()
    assert text_of(result) == (
        "Renamed in 5 places of 2 files (worked out by the editor's language servers):\n"
        "shop.py: 2\nsrc/main.py: 3\n"
        "Texts and comments may still hold the old name: look with Grep if that matters."
    )
    assert code.params("rename")["newName"] == "sum_up"


async def test_a_rename_can_be_reviewed_and_taken_back(stage: Stage, code: CodeEditor) -> None:
    shop, main = project(stage, code)
    stage.play([Turn([RENAME]), "Done."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Rename it")
    found = await stage.client.request("_pilotfish/edits/changes", {"sessionId": chat.id})
    assert sorted(Path(one["path"]).name for one in found["files"]) == ["main.py", "shop.py"]
    marks = await stage.client.request("_pilotfish/edits/checkpoints", {"sessionId": chat.id})
    turn = marks["turns"][0]["turnId"]
    await stage.client.request(
        "_pilotfish/edits/rewind",
        {"sessionId": chat.id, "turnId": turn, "what": "files"},
    )
    assert (shop.read_text(), main.read_text()) == (SHOP, MAIN)


async def test_a_refused_rename_changes_nothing(stage: Stage, code: CodeEditor) -> None:
    shop, main = project(stage, code)
    stage.play([Turn([RENAME])])
    chat = await stage.chat()
    prompt = chat.send("Rename it")
    (await chat.question()).answer("reject_once")
    await prompt.stop_reason()
    assert (shop.read_text(), main.read_text()) == (SHOP, MAIN)


async def test_a_file_that_changes_while_the_user_thinks_stops_the_whole_rename(
    stage: Stage, code: CodeEditor
) -> None:
    shop, main = project(stage, code)
    stage.play([Turn([RENAME]), "I see."])
    chat = await stage.chat()
    prompt = chat.send("Rename it")
    question = await chat.question()
    main.write_text(MAIN + "# the user was here\n")
    question.answer("allow_once")
    await prompt.stop_reason()
    assert shop.read_text() == SHOP
    assert main.read_text() == MAIN + "# the user was here\n"
    (result,) = stage.results()
    assert f"{main} changed since the edit was worked out; nothing was written." in text_of(result)


async def test_a_clash_in_the_second_file_puts_the_first_one_back(
    stage: Stage, code: CodeEditor
) -> None:
    shop, main = project(stage, code)
    stage.editor.open(main)

    def type_faster() -> None:
        stage.editor.before_apply = None
        assert shop.read_text() == NEW_SHOP
        stage.editor.type_over(main, "# 🐟 uses the shop", "# mine")

    stage.editor.before_apply = type_faster
    stage.play([Turn([RENAME]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Rename it")
    assert shop.read_text() == SHOP
    assert "total" in stage.editor.text(main)
    assert "sum_up" not in stage.editor.text(main)
    (result,) = stage.results()
    assert "The files that were written before it are as they were." in text_of(result)
    found = await stage.client.request("_pilotfish/edits/changes", {"sessionId": chat.id})
    assert found["files"] == []
    assert chat.facts("file_changed") == []


async def test_open_documents_are_changed_in_the_editor(stage: Stage, code: CodeEditor) -> None:
    shop, main = project(stage, code)
    stage.editor.open(main)
    stage.play([Turn([RENAME]), "Done."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Rename it")
    assert stage.editor.text(main) == NEW_MAIN
    assert (shop.read_text(), main.read_text()) == (NEW_SHOP, NEW_MAIN)


async def test_a_rule_for_one_file_stops_the_whole_rename(stage: Stage, code: CodeEditor) -> None:
    shop, main = project(stage, code)
    stage.settings(deny=["Edit(./src/**)"])
    stage.play([Turn([RENAME]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Rename it")
    assert (shop.read_text(), main.read_text()) == (SHOP, MAIN)
    (result,) = stage.results()
    assert "Edit(./src/**)" in text_of(result)


async def test_plan_mode_renames_nothing(stage: Stage, code: CodeEditor) -> None:
    shop, _ = project(stage, code)
    stage.play([Turn([RENAME]), "I see."])
    chat = await stage.chat(permissionMode="plan")
    await chat.ask("Rename it")
    assert shop.read_text() == SHOP


async def rename_result(stage: Stage) -> str:
    stage.play([Turn([RENAME]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Rename it")
    assert chat.questions() == []
    (result,) = stage.results()
    return text_of(result)


async def test_renames_that_cannot_be(stage: Stage, code: CodeEditor, tmp_path: Path) -> None:
    shop, main = project(stage, code)
    outside = tmp_path / "outside.py"
    outside.write_text("total = 1\n")
    good = changes(shop, "sum_up", span(0, 4, 9))

    async def answer(*documents: Any, **more: Any) -> str:
        code.answers["rename"] = {"known": True, "documents": list(documents), **more}
        return await rename_result(stage)

    assert "outside the project" in await answer(good, changes(outside, "sum_up", span(0, 0, 5)))
    assert "overlap" in await answer(good, changes(shop, "x", span(0, 6, 12)))
    assert "not in the file" in await answer(changes(shop, "x", span(90, 0, 5)))
    gone = stage.project / "gone.py"
    assert "does not exist" in await answer(good, changes(gone, "x", span(0, 0, 5)))
    assert "cannot be renamed there" in await answer()
    assert "has this name already" in await answer(changes(shop, "total", span(0, 4, 9)))
    assert "Nobody here can rename" in await answer(
        good, other_operations=True, otherOperations=True
    )
    untitled = changes(shop, "x", span(0, 4, 9)) | {"uri": "untitled:a"}
    assert "Nobody here can rename" in await answer(good, untitled)
    many = [changes(stage.project / f"{n}.py", "x", span(0, 0, 1)) for n in range(300)]
    assert "too much for one rename" in await answer(*many)
    assert (shop.read_text(), main.read_text()) == (SHOP, MAIN)
    assert outside.read_text() == "total = 1\n"


async def test_a_rename_keeps_every_other_byte(stage: Stage, code: CodeEditor) -> None:
    path = stage.project / "shop.py"
    before = (
        b"\xef\xbb\xbfdef total():\r\n    '\xf0\x9f\x90\x9f'; total()\n\tend = 'caf\xc3\xa9'\r\n"
    )
    path.write_bytes(before)
    ranges = (span(0, 4, 9), span(1, 10, 15))
    code.answers["rename"] = {"known": True, "documents": [changes(path, "sum_up", *ranges)]}
    await rename_result(stage)
    assert path.read_bytes() == before.replace(b"total", b"sum_up")


async def test_a_renamed_file_must_still_be_read_before_it_is_edited(
    stage: Stage, code: CodeEditor
) -> None:
    _, main = project(stage, code)
    edit = {"file_path": "src/main.py", "old_string": "sum_up([2])", "new_string": "1"}
    stage.play([Turn([RENAME]), Turn([ToolUse("Edit", edit)]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Rename it")
    (result,) = stage.results()
    assert "was not read yet" in text_of(result)
    assert main.read_text() == NEW_MAIN
