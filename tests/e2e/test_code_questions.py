"""Questions about code: the model asks, the editor's language servers answer."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.support.code_editor import MAIN, SHOP, CodeEditor, place, span, symbol
from tests.support.stage import Stage, text_of
from tests.support.waiting import WAIT_S
from tests.support.wire_client import NO_ANSWER
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def shared_stage(shared_code_stage: Stage) -> Stage:
    return shared_code_stage


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
    shown = "```python\ndef total(cart) -> int\n```\n---\nSums up."
    code.answers["hover"] = {"known": True, "text": shown}
    text = await ask(stage, operation="hover", file_path="shop.py", line=5, symbol="total")
    assert text == f"{shown}\n(From the editor's language servers.)"


SPELLING = "`total`: Unknown word."


async def test_a_hover_that_shows_no_code_is_told_after_one_that_does(
    stage: Stage, code: CodeEditor
) -> None:
    stage.write("shop.py", SHOP)
    code.answers["hover"] = {"known": True, "text": SPELLING}
    where: dict[str, Any] = {"file_path": "shop.py", "line": 5, "symbol": "total"}
    async with asyncio.timeout(WAIT_S):  # the index is being made
        while "the workspace index" not in (text := await ask(stage, operation="hover", **where)):
            pass
    assert text == (
        f"```python\ndef total(cart)\n```\n\n*function* — `shop.py:1`\n\n{SPELLING}\n"
        "(From the workspace index and the editor's language servers.)"
    )


async def test_a_hover_without_code_counts_where_nobody_shows_any(
    stage: Stage, code: CodeEditor
) -> None:
    stage.write("notes.weird", "alpha total\n")
    code.answers["hover"] = {"known": True, "text": SPELLING}
    text = await ask(stage, operation="hover", file_path="notes.weird", line=1, symbol="total")
    assert text == f"{SPELLING}\n(From the editor's language servers.)"


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


async def test_uses_in_files_that_git_ignores_are_left_out(stage: Stage, code: CodeEditor) -> None:
    shop, built = stage.write("shop.py", SHOP), stage.write("build/shop.py", SHOP)
    (stage.project / ".git").mkdir()
    stage.write(".gitignore", "build/\n")
    found = [place(shop, 0, 4, 9), place(built, 0, 4, 9)]
    code.answers["locate"] = {"known": True, "locations": found}
    asked = {"file_path": "shop.py", "line": 1, "symbol": "total"}
    text = await ask(stage, operation="references", **asked)
    assert "build" not in text
    assert "(1 file that git ignores is left out.)" in text
    # Where something is defined may well be in what is ignored: a library, say.
    assert "build/shop.py:1" in await ask(stage, operation="definition", **asked)
    code.answers["symbols"] = {"known": True, "symbols": [symbol(built, "total", 0)]}
    assert "build" not in await ask(stage, operation="workspace_symbols", query="total")


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


async def test_symbols_of_the_project_are_counted_as_far_as_they_are_known(
    stage: Stage, code: CodeEditor
) -> None:
    shop, built = stage.write("shop.py", SHOP), stage.write("build/shop.py", SHOP)
    (stage.project / ".git").mkdir()
    stage.write(".gitignore", "build/\n")

    async def told_of(count: int, ignored: int) -> str:
        paths = [built] * ignored + [shop] * count
        found = [symbol(path, f"total{at}", at) for at, path in enumerate(paths)]
        code.answers["symbols"] = {"known": True, "symbols": found}
        return await ask(stage, operation="workspace_symbols", query="total")

    assert "are shown" not in await told_of(100, 0)
    assert "(The first 100 of 101 symbols are shown." in await told_of(101, 0)
    assert "(The first 100 of 150 symbols are shown." in await told_of(150, 20)
    assert "(The first 100 of 290 or more symbols are shown." in await told_of(290, 10)
    assert code.params("symbols")["limit"] == 300


async def test_questions_run_side_by_side(stage: Stage, code: CodeEditor) -> None:
    stage.write("shop.py", SHOP)
    code.answers["hover"] = {"known": True, "text": "```python\nint\n```"}
    calls = [
        ToolUse("LSP", {"operation": "hover", "file_path": "shop.py", "symbol": name})
        for name in ("total", "cart", "sum")
    ]
    stage.play([Turn([*calls]), "Done."])
    chat = await stage.chat(permissionMode="plan")
    assert await chat.ask("Look") == "end_turn"
    assert [text_of(one).splitlines()[1] for one in stage.results()] == ["int"] * 3


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
