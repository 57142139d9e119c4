"""What an editor hears about code, in eight languages, through the real server.

The expected results are written from the texts by hand: lines from 1, columns in UTF-16 units from 0.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.support.lsp_client import start_client
from tests.support.stage import environment
from tests.support.waiting import until, until_answer
from tests.support.wire_client import WireClient
from tests.support.wire_editor import WireEditor

pytestmark = pytest.mark.asyncio(loop_scope="session")

GRIN = "\N{GRINNING FACE}"


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A text and what is to be said of it."""

    name: str
    language_id: str
    text: str
    symbols: list[str]
    """Indented by depth: kind, name, lines, column of the name."""
    folds: list[tuple[int, int]]
    broken: str
    """A text that does not parse."""
    problem: tuple[str, int, int, int]
    """What is said of it first: message, line, columns where it begins and ends."""
    selections: list[tuple[int, int, int, int]]
    """From a name or number outwards, among others: from line and column to line and column."""


PYTHON = Sample(
    name="shapes.py",
    language_id="python",
    text=f'LIMIT = "{GRIN}"; other = 1\r\n\r\n\r\nclass A:\r\n    def f(self):\r\n        return 1\r\n',
    symbols=[
        "Constant LIMIT 1-1 0",
        "Variable other 1-1 14",
        "Class A 4-6 6",
        "  Method f 5-6 8",
    ],
    folds=[(4, 6), (5, 6)],
    broken="def f(a\r\n    return 1\r\n",
    problem=("the code from `def f(a` on does not parse", 1, 0, 7),
    selections=[(6, 15, 6, 16), (6, 8, 6, 16), (5, 4, 6, 16), (4, 0, 6, 16)],
)
TYPESCRIPT = Sample(
    name="shapes.ts",
    language_id="typescript",
    text=f"/* {GRIN} */ export class A {{\n  x = 1;\n  f(): number {{\n    return 1;\n  }}\n}}\n",
    symbols=["Class A 1-6 22", "  Field x 2-2 2", "  Method f 3-5 2"],
    folds=[(1, 5), (3, 4)],
    broken=f"/* {GRIN} */ class A {{\n  x = 1;\n  f(: number {{\n    return 1;\n  }}\n}}\n",
    problem=("the code from `f(: number {` on does not parse", 3, 2, 14),
    selections=[(4, 11, 4, 12), (4, 4, 4, 13), (3, 2, 5, 3), (1, 16, 6, 1)],
)
GO = Sample(
    name="shapes.go",
    language_id="go",
    text=f'package main\n\nfunc main() {{\n\tprint("{GRIN}", f(1))\n}}\n\nfunc f(a int) int {{ return a }}\n',
    symbols=["Function main 3-5 5", "Function f 7-7 5"],
    folds=[(3, 4)],
    broken=f'package main\n\nfunc main() {{\n\tprint("{GRIN}", f(1)\n}}\n',
    problem=("`)` is missing", 4, 17, 17),
    selections=[(4, 15, 4, 16), (4, 13, 4, 17), (4, 1, 4, 18), (3, 0, 5, 1)],
)
RUST = Sample(
    name="shapes.rs",
    language_id="rust",
    text="struct A {\n    b: u8,\n}\n\nimpl A {\n    fn f(&self) -> u8 {\n        self.b\n    }\n}\n",
    symbols=[
        "Struct A 1-3 7",
        "  Field b 2-2 4",
        "Object impl A 5-9 5",
        "  Method f 6-8 7",
    ],
    folds=[(1, 2), (5, 8), (6, 7)],
    broken="fn f() -> u8 {\n    let x = ;\n}\n",
    problem=("unexpected `=`", 2, 10, 11),
    selections=[(7, 13, 7, 14), (7, 8, 7, 14), (6, 4, 8, 5), (5, 0, 9, 1)],
)
JAVA = Sample(
    name="A.java",
    language_id="java",
    text="class A {\n  int b = 1;\n  int f() {\n    return b;\n  }\n}\n",
    symbols=["Class A 1-6 6", "  Field b 2-2 6", "  Method f 3-5 6"],
    folds=[(1, 5), (3, 4)],
    broken="class A {\n  int f() {\n    return b\n  }\n}\n",
    problem=("`;` is missing", 3, 12, 12),
    selections=[(4, 11, 4, 12), (4, 4, 4, 13), (3, 2, 5, 3), (1, 0, 6, 1)],
)
C = Sample(
    name="shapes.c",
    language_id="c",
    text="struct p {\n  int x;\n};\n\nint f(struct p *a) {\n  return a->x;\n}\n",
    symbols=["Struct p 1-3 7", "  Field x 2-2 6", "Function f 5-7 4"],
    folds=[(1, 2), (5, 6)],
    broken="int f(int a) {\n  return a\n}\n",
    problem=("`;` is missing", 2, 10, 10),
    selections=[(6, 12, 6, 13), (6, 9, 6, 13), (6, 2, 6, 14), (5, 0, 7, 1)],
)
RUBY = Sample(
    name="shapes.rb",
    language_id="ruby",
    text=f"class A\n  # {GRIN}\n  def f\n    1\n  end\nend\n",
    symbols=["Class A 1-6 6", "  Method f 3-5 6"],
    folds=[(1, 5), (3, 4)],
    broken="class A\n  def f\n    x = (1\n  end\nend\n",
    problem=("`)` is missing", 3, 10, 10),
    selections=[(4, 4, 4, 5), (3, 2, 5, 5), (1, 0, 6, 3)],
)
LUA = Sample(
    name="shapes.lua",
    language_id="lua",
    text="local M = {}\n\nfunction M.f(a)\n  return a\nend\n",
    symbols=["Variable M 1-1 6", "Function f 3-5 11"],
    folds=[(3, 4)],
    broken="local M = {\n\nfunction f(a)\n  return a\nend\n",
    problem=("unexpected `f`", 3, 9, 10),
    selections=[(4, 9, 4, 10), (4, 2, 4, 10), (3, 0, 5, 3)],
)
SAMPLES = [PYTHON, TYPESCRIPT, GO, RUST, JAVA, C, RUBY, LUA]
ids = [sample.language_id for sample in SAMPLES]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LanguageClient]:
    """An editor that knows forests of symbols and pulls diagnostics."""
    found = await start_client(
        tmp_path_factory.mktemp("code"),
        types.ClientCapabilities(
            text_document=types.TextDocumentClientCapabilities(
                document_symbol=types.DocumentSymbolClientCapabilities(
                    hierarchical_document_symbol_support=True
                ),
                diagnostic=types.DiagnosticClientCapabilities(),
            )
        ),
    )
    yield found
    await found.shutdown_session()
    await found.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def plain(tmp_path: Path) -> AsyncIterator[LanguageClient]:
    """An editor without either."""
    found = await start_client(tmp_path, types.ClientCapabilities())
    yield found
    await found.shutdown_session()
    await found.stop()


def open_text(client: LanguageClient, path: Path, language_id: str, text: str) -> str:
    item = types.TextDocumentItem(uri=path.as_uri(), language_id=language_id, version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    return item.uri


def named(uri: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri=uri)


def at(line: int, character: int) -> types.Position:
    return types.Position(line=line, character=character)


def outline(symbols: list[types.DocumentSymbol], depth: int = 0) -> list[str]:
    lines: list[str] = []
    for one in symbols:
        name = one.selection_range.start
        lines.append(
            f"{'  ' * depth}{one.kind.name} {one.name}"
            f" {one.range.start.line + 1}-{one.range.end.line + 1} {name.character}"
        )
        lines += outline([*(one.children or [])], depth + 1)
    return lines


async def symbols_of(client: LanguageClient, uri: str) -> list[types.DocumentSymbol]:
    found = await client.text_document_document_symbol_async(
        types.DocumentSymbolParams(text_document=named(uri))
    )
    return cast("list[types.DocumentSymbol]", list(found or []))


async def pulled(
    client: LanguageClient, uri: str, previous: str | None = None
) -> types.DocumentDiagnosticReport:
    return await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(text_document=named(uri), previous_result_id=previous)
    )


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
async def test_an_outline_shows_what_the_text_defines(
    client: LanguageClient, tmp_path: Path, sample: Sample
) -> None:
    uri = open_text(client, tmp_path / sample.name, sample.language_id, sample.text)
    assert outline(await symbols_of(client, uri)) == sample.symbols


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
async def test_blocks_fold(client: LanguageClient, tmp_path: Path, sample: Sample) -> None:
    uri = open_text(client, tmp_path / sample.name, sample.language_id, sample.text)
    found = await client.text_document_folding_range_async(
        types.FoldingRangeParams(text_document=named(uri))
    )
    assert [(one.start_line + 1, one.end_line + 1) for one in found or []] == sample.folds


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
async def test_what_does_not_parse_is_told_when_asked_for(
    client: LanguageClient, tmp_path: Path, sample: Sample
) -> None:
    uri = open_text(client, tmp_path / sample.name, sample.language_id, sample.text)
    good = await pulled(client, uri)
    assert isinstance(good, types.RelatedFullDocumentDiagnosticReport)
    assert list(good.items) == []
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=2),
            content_changes=[types.TextDocumentContentChangeWholeDocument(text=sample.broken)],
        )
    )
    bad = await pulled(client, uri, good.result_id)
    assert isinstance(bad, types.RelatedFullDocumentDiagnosticReport)
    first = bad.items[0]
    told, line, start, end = sample.problem
    assert (first.message, first.source) == (f"syntax error: {told}", "pilotfish")
    assert first.range == types.Range(start=at(line - 1, start), end=at(line - 1, end))
    assert first.severity == types.DiagnosticSeverity.Error
    again = await pulled(client, uri, bad.result_id)
    assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)


async def test_typing_moves_what_is_known(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(client, tmp_path / "a.py", "python", f"x = '{GRIN}'\r\ny = 2\r\n")
    await symbols_of(client, uri)
    for version, (line, start, end, text) in enumerate(
        [(0, 7, 7, f"{GRIN}'; z = '"), (1, 0, 1, "other"), (0, 0, 0, "\r\n")], start=2
    ):
        change = types.TextDocumentContentChangePartial(
            range=types.Range(start=at(line, start), end=at(line, end)), text=text
        )
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=version),
                content_changes=[change],
            )
        )
    assert outline(await symbols_of(client, uri)) == [
        "Variable x 2-2 0",
        "Variable z 2-2 12",
        "Variable other 3-3 0",
    ]


async def selections_at(
    client: LanguageClient, uri: str, place: types.Position
) -> list[tuple[int, int, int, int]]:
    """Return what a selection at a place grows to, step by step, as ``Sample.selections`` has it."""
    (step,) = (
        await client.text_document_selection_range_async(
            types.SelectionRangeParams(text_document=named(uri), positions=[place])
        )
        or []
    )
    found: list[tuple[int, int, int, int]] = []
    while step is not None:
        start, end = step.range.start, step.range.end
        found.append((start.line + 1, start.character, end.line + 1, end.character))
        step = step.parent
    return found


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.language_id)
async def test_a_selection_grows_by_what_belongs_together(
    client: LanguageClient, tmp_path: Path, sample: Sample
) -> None:
    uri = open_text(client, tmp_path / sample.name, sample.language_id, sample.text)
    line, column, *_ = sample.selections[0]
    found = await selections_at(client, uri, at(line - 1, column))
    assert found[0] == sample.selections[0]
    assert [one for one in found if one in sample.selections] == sample.selections


async def test_a_selection_grows_in_utf16_units(client: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(client, tmp_path / "a.py", "python", f"'{GRIN}'; call(name)\r\n")
    found = await selections_at(client, uri, at(0, 13))
    assert found[:3] == [(1, 11, 1, 15), (1, 10, 1, 16), (1, 6, 1, 16)]


async def test_an_editor_that_does_not_ask_is_told(plain: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(plain, tmp_path / "a.py", "python", "x = (\n")
    await until(lambda: bool(plain.diagnostics.get(uri)))
    assert [one.message for one in plain.diagnostics[uri]] == ["syntax error: unexpected `x = (`"]
    plain.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=2),
            content_changes=[types.TextDocumentContentChangeWholeDocument(text="x = ()\n")],
        )
    )
    await until(lambda: not plain.diagnostics[uri])


async def test_an_editor_without_forests_gets_a_list(plain: LanguageClient, tmp_path: Path) -> None:
    uri = open_text(plain, tmp_path / "a.py", "python", "class A:\n    def f(self): pass\n")
    found = await plain.text_document_document_symbol_async(
        types.DocumentSymbolParams(text_document=named(uri))
    )
    listed = cast("list[types.SymbolInformation]", list(found or []))
    assert [(one.name, one.container_name) for one in listed] == [("A", None), ("f", "A")]
    assert {one.location.uri for one in listed} == {uri}


async def test_off_means_silence(tmp_path: Path) -> None:
    off = await start_client(tmp_path, types.ClientCapabilities(), editorFeatures="off")
    try:
        uri = open_text(off, tmp_path / "a.py", "python", "class A: pass\n")

        async def is_silent() -> bool:
            return not await symbols_of(off, uri)

        await until_answer(is_silent)
    finally:
        await off.shutdown_session()
        await off.stop()


async def test_an_editor_that_tells_who_serves_what_is_served_the_rest(tmp_path: Path) -> None:
    client = await WireClient.start(environment(tmp_path / "home"), cwd=tmp_path)
    client.answerers["client/registerCapability"] = lambda _: None
    client.answerers["client/unregisterCapability"] = lambda _: None
    answer = await client.initialize(tmp_path, editor={"save": True, "languages": True})
    assert "documentSymbolProvider" not in answer["capabilities"]
    editor = WireEditor(client)
    path = tmp_path / "a.lua"
    path.write_text("local M = {}\n")
    editor.open(path, "lua")
    other = tmp_path / "a.py"
    other.write_text("x = 1\n")
    editor.open(other)

    async def names(path: Path) -> list[str]:
        params = {"textDocument": {"uri": path.as_uri()}}
        found: list[Any] = await client.request("textDocument/documentSymbol", params) or []
        return [one["name"] for one in found]

    assert await names(path) == []
    client.notify("_pilotfish/editor/languages", {"languages": ["lua"]})
    registered = (await client.wait_for("client/registerCapability"))["registrations"]
    assert {one["method"] for one in registered} == {
        "textDocument/documentSymbol",
        "textDocument/foldingRange",
        "textDocument/selectionRange",
        "textDocument/definition",
        "textDocument/references",
        "textDocument/prepareCallHierarchy",
        "textDocument/rename",
        "textDocument/diagnostic",
        "workspace/symbol",
    }
    selectors = [one["registerOptions"].get("documentSelector") for one in registered]
    assert [one for one in selectors if one] == [[{"language": "lua", "scheme": "file"}]] * 8
    assert await names(path) == ["M"]
    assert await names(other) == []
    client.notify("_pilotfish/editor/languages", {"languages": []})
    gone = (await client.wait_for("client/unregisterCapability"))["unregisterations"]
    assert {one["id"] for one in gone} == {one["id"] for one in registered}
    assert await client.stop() == 0


async def test_on_serves_all_languages_whoever_else_does(tmp_path: Path) -> None:
    """Also in an editor that tells which languages nobody else serves: the user wants ours beside them."""
    settings = tmp_path / "home" / ".pilotfish" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"codeIntelligence": {"editorFeatures": "on"}}')
    client = await WireClient.start(environment(tmp_path / "home"), cwd=tmp_path)
    client.answerers["client/registerCapability"] = lambda _: None
    client.answerers["client/unregisterCapability"] = lambda _: None
    await client.initialize(tmp_path, editor={"save": True, "languages": True})
    registered = (await client.wait_for("client/registerCapability"))["registrations"]
    selectors = [one["registerOptions"].get("documentSelector") for one in registered]
    assert [one for one in selectors if one] == [[{"scheme": "file"}]] * 8
    path = tmp_path / "a.py"
    path.write_text("class A: pass\n")
    WireEditor(client).open(path)
    client.notify("_pilotfish/editor/languages", {"languages": []})
    params = {"textDocument": {"uri": path.as_uri()}}
    found = await client.request("textDocument/documentSymbol", params)
    assert [one["name"] for one in found] == ["A"]
    assert await client.stop() == 0


async def test_a_name_is_followed_through_the_project(tmp_path: Path) -> None:
    caller, callee = tmp_path / "a.py", tmp_path / "b.py"
    caller.write_text(f"from b import helper\n\n\ndef caller():\n    return '{GRIN}', helper(1)\n")
    callee.write_text('def helper(x):\n    """Helps."""\n    return x\n')
    client = await WireClient.start(environment(tmp_path / "home"), cwd=tmp_path)
    await client.initialize(tmp_path)
    editor = WireEditor(client)
    editor.open(caller)
    editor.open(callee)
    use = {
        "textDocument": {"uri": caller.as_uri()},
        "position": {"line": 4, "character": 18},
    }

    async def is_ready() -> bool:
        return bool(await client.request("workspace/symbol", {"query": "helper"}))

    await until_answer(is_ready)
    (symbol,) = await client.request("workspace/symbol", {"query": "helper"})
    name = {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 10}}
    declared = {"uri": callee.as_uri(), "range": name}
    assert (symbol["name"], symbol["location"]) == ("helper", declared)
    assert await client.request("textDocument/definition", use) == [declared]
    found = await client.request(
        "textDocument/references", use | {"context": {"includeDeclaration": False}}
    )
    assert [(one["uri"], one["range"]["start"]) for one in found] == [
        (caller.as_uri(), {"line": 0, "character": 14}),
        (caller.as_uri(), {"line": 4, "character": 17}),
    ]
    hover = (await client.request("textDocument/hover", use))["contents"]["value"]
    assert "def helper(x)" in hover
    assert "Helps." in hover
    (item,) = await client.request("textDocument/prepareCallHierarchy", use)
    assert item["selectionRange"] == name
    (call,) = await client.request("callHierarchy/incomingCalls", {"item": item})
    assert call["from"]["name"] == "caller"
    assert call["fromRanges"] == [
        {"start": {"line": 4, "character": 17}, "end": {"line": 4, "character": 23}}
    ]
    # And the other way: what the caller calls, with the places in the caller's own text.
    at_caller = {
        "textDocument": {"uri": caller.as_uri()},
        "position": {"line": 3, "character": 5},
    }
    (item,) = await client.request("textDocument/prepareCallHierarchy", at_caller)
    assert item["name"] == "caller"
    (call,) = await client.request("callHierarchy/outgoingCalls", {"item": item})
    assert (call["to"]["name"], call["to"]["uri"]) == ("helper", callee.as_uri())
    assert call["to"]["selectionRange"] == name
    assert call["fromRanges"] == [
        {"start": {"line": 4, "character": 17}, "end": {"line": 4, "character": 23}}
    ]
    assert await client.stop() == 0
