"""Heavy language servers: none of ours beside the editor's, one where the editor has none."""

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.code_editor import OPERATIONS as CODE_OPERATIONS
from tests.support.code_editor import CodeEditor, place
from tests.support.servers import FakeScript
from tests.support.stage import Stage, text_of, usual_path
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

ABILITIES = {"save": True, "code": True, "diagnostics": True, "serves": True}
SERVES = "_pilotfish/editor/serves"

LIB = "fn total(x: u32) -> u32 {\n    x\n}\n\nfn main() {\n    total(1);\n}\n"
WHERE = {"file_path": "lib.rs", "line": 6, "symbol": "total"}


@pytest.fixture
def analyzer(tmp_path: Path) -> FakeScript:
    """A program named ``rust-analyzer`` that does what the script says."""
    script = FakeScript(tmp_path / "script")
    _, *arguments = script.definition.argv
    program = tmp_path / "bin" / "rust-analyzer"
    program.parent.mkdir()
    words = " ".join(f"'{word}'" for word in (sys.executable, *arguments))
    program.write_text(f"#!/bin/sh\nexec {words}\n")
    program.chmod(0o755)
    return script


@pytest_asyncio.fixture(loop_scope="session")
async def stage(tmp_path: Path, analyzer: FakeScript) -> AsyncIterator[Stage]:
    assert analyzer.folder.is_dir()
    path = os.pathsep.join([str(tmp_path / "bin"), usual_path()])
    async with Stage.open(tmp_path, variables={"PATH": path}, editor=ABILITIES) as stage:
        stage.write("Cargo.toml", '[package]\nname = "shop"\n')
        stage.write("lib.rs", LIB)
        yield stage
        assert stage.fake.problems == []


@pytest.fixture
def code(stage: Stage) -> CodeEditor:
    return CodeEditor(stage.client)


async def ask(stage: Stage, **arguments: Any) -> str:
    """Let the model ask; returns what it gets."""
    stage.play([Turn([ToolUse("LSP", arguments)]), "Done."])
    chat = await stage.chat()
    assert await chat.ask("Look") == "end_turn"
    (result,) = stage.results()
    return text_of(result)


OPERATIONS: list[dict[str, Any]] = [
    *({"operation": name} | WHERE for name in ("definition", "references", "hover")),
    *({"operation": name} | WHERE for name in ("implementation", "type_definition")),
    *({"operation": name} | WHERE for name in ("incoming_calls", "outgoing_calls")),
    {"operation": "document_symbols", "file_path": "lib.rs"},
    {"operation": "workspace_symbols", "query": "total"},
    {"operation": "diagnostics", "file_path": "lib.rs"},
    {"operation": "rename", "new_name": "sum"} | WHERE,
]


async def test_no_heavy_server_is_started_beside_the_editors(
    stage: Stage, code: CodeEditor, analyzer: FakeScript
) -> None:
    stage.client.answerers[SERVES] = lambda _: {"served": True}
    stage.play([Turn([ToolUse("LSP", one) for one in OPERATIONS]), "Done."])
    chat = await stage.chat()
    assert await chat.ask("Look") == "end_turn"
    told = [text_of(one) for one in stage.results()]
    assert len(told) == len(OPERATIONS)
    assert not any("(From language servers.)" in text for text in told)
    assert {name for name, _ in code.asked} == {*CODE_OPERATIONS}
    assert analyzer.messages() == []


async def test_what_the_editor_knows_of_nothing_is_told_by_syntax_and_index(
    stage: Stage, code: CodeEditor
) -> None:
    stage.client.answerers[SERVES] = lambda _: {"served": True}
    text = await ask(stage, operation="document_symbols", file_path="lib.rs")
    assert text.splitlines()[0] == "1-3: function total — fn total(x: u32) -> u32"
    assert text.endswith("(From the file's syntax.)")
    assert [name for name, _ in code.asked] == ["symbols"]


async def test_a_heavy_server_is_started_where_the_editor_looks_at_no_such_file(
    stage: Stage, code: CodeEditor, analyzer: FakeScript
) -> None:
    stage.client.answerers[SERVES] = lambda _: {"served": False}
    found = {
        "uri": (stage.project / "lib.rs").as_uri(),
        "range": {"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 8}},
    }
    analyzer.set(can={"definitionProvider": True}, answers={"textDocument/definition": found})
    text = await ask(stage, operation="definition", **WHERE)
    assert text.startswith("lib.rs:1: fn total(x: u32) -> u32 {\n")
    assert "(From language servers.)" in text
    assert [name for name, _ in code.asked] == ["locate"]


async def test_an_editor_that_answers_is_the_only_one_that_is_asked(
    stage: Stage, code: CodeEditor, analyzer: FakeScript
) -> None:
    stage.client.answerers[SERVES] = lambda _: {"served": False}
    code.answers["locate"] = {
        "known": True,
        "locations": [place(stage.project / "lib.rs", 0, 3, 8)],
    }
    text = await ask(stage, operation="definition", **WHERE)
    assert text.endswith("(From the editor's language servers.)")
    assert analyzer.messages() == []
    assert code.params("locate")["line"] == 5


async def test_a_server_that_still_loads_is_named_beside_what_the_index_knows(
    stage: Stage, code: CodeEditor, analyzer: FakeScript
) -> None:
    stage.client.answerers[SERVES] = lambda _: {"served": False}
    can = {"documentSymbolProvider": True, "implementationProvider": True, "renameProvider": True}
    methods = ("documentSymbol", "implementation", "rename")
    answers: dict[str, Any] = {f"textDocument/{name}": [] for name in methods}
    analyzer.set(can=can, answers=answers, loads="for good")
    calls = [
        {"operation": "document_symbols", "file_path": "lib.rs"},
        {"operation": "implementation"} | WHERE,
        {"operation": "rename", "new_name": "sum"} | WHERE,
    ]
    stage.play([Turn([ToolUse("LSP", one) for one in calls]), "Done."])
    chat = await stage.chat()
    assert await chat.ask("Look") == "end_turn"
    outline, implementation, rename = (text_of(one) for one in stage.results())
    later = "rust-analyzer is still loading the project and may know more: ask again in a while."
    assert outline.startswith("1-3: function total")
    assert outline.endswith(f"(From the file's syntax.)\n({later})")
    assert (
        implementation
        == f"Nobody here can tell the implementation yet. {later} Meanwhile use Grep."
    )
    assert rename == f"Nobody here can rename `total` yet. {later}"
    assert {name for name, _ in code.asked} == {"symbols", "locate", "rename"}
