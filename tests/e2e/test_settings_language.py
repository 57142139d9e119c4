"""Settings files in an ordinary language client: what the editor shows while they are written."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.support.stage import environment

pytestmark = pytest.mark.asyncio(loop_scope="session")

WAIT_S = 45.0
"""The first answer waits for the engine, which loads behind the handshake."""
GRIN = "\N{GRINNING FACE}"


class Writer:
    """Somebody with a project, who writes settings files in an editor."""

    def __init__(self, client: LanguageClient, folder: Path, home: Path) -> None:
        self.client = client
        self.folder = folder
        self.home = home
        self.diagnostics: dict[str, list[types.Diagnostic]] = {}
        self._versions: dict[str, int] = {}
        self._told = asyncio.Event()

        def published(params: types.PublishDiagnosticsParams) -> None:
            self.diagnostics[params.uri] = list(params.diagnostics)
            self._told.set()

        untyped: Any = client
        untyped.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)

    def file(self, name: str = "settings.json") -> Path:
        path = self.folder / ".pilotfish" / name
        path.parent.mkdir(exist_ok=True)
        return path

    def open(self, path: Path, text: str) -> str:
        uri = path.as_uri()
        self._versions[uri] = 1
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(
                text_document=types.TextDocumentItem(
                    uri=uri, language_id="jsonc", version=1, text=text
                )
            )
        )
        return uri

    def change(self, uri: str, text: str) -> int:
        self._versions[uri] += 1
        version = self._versions[uri]
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=version),
                content_changes=[types.TextDocumentContentChangeWholeDocument(text=text)],
            )
        )
        return version

    def save(self, uri: str) -> None:
        self.client.text_document_did_save(
            types.DidSaveTextDocumentParams(text_document=types.TextDocumentIdentifier(uri=uri))
        )

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(text_document=types.TextDocumentIdentifier(uri=uri))
        )

    async def sees(
        self, uri: str, fits: Callable[[list[types.Diagnostic]], bool]
    ) -> list[types.Diagnostic]:
        """Wait until the diagnostics of a document are such."""
        async with asyncio.timeout(WAIT_S):
            while True:
                if uri in self.diagnostics and fits(self.diagnostics[uri]):
                    return self.diagnostics[uri]
                self._told.clear()
                await self._told.wait()

    async def codes(self, uri: str, *expected: str) -> list[types.Diagnostic]:
        wanted = sorted(expected)
        return await self.sees(uri, lambda all_: sorted(str(one.code) for one in all_) == wanted)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def writer(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Writer]:
    folder = tmp_path_factory.mktemp("project")
    home = tmp_path_factory.mktemp("home")
    client = LanguageClient()
    await cast("Any", client).start_io(  # its extra arguments have no types
        sys.executable,
        "-m",
        "pilotfish",
        "serve",
        env=environment(home, PILOTFISH_HOME=str(home / "state")),
    )
    await client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(
                text_document=types.TextDocumentClientCapabilities(
                    completion=types.CompletionClientCapabilities(
                        completion_item=types.ClientCompletionItemOptions(snippet_support=True)
                    )
                )
            ),
            workspace_folders=[types.WorkspaceFolder(uri=folder.as_uri(), name="project")],
        )
    )
    yield Writer(client, folder, home)
    await client.shutdown_session()
    await client.stop()


def covered(text: str, where: types.Range) -> str:
    """Return what a range of one line covers, counted in UTF-16."""
    assert where.start.line == where.end.line
    line = text.split("\n")[where.start.line].encode("utf-16-le")
    return line[where.start.character * 2 : where.end.character * 2].decode("utf-16-le")


async def test_problems_show_up_as_they_are_typed_and_go_when_mended(writer: Writer) -> None:
    text = json.dumps(
        {"permissions": {"allow": [f"Bash(echo {GRIN})", "Bsh(git:*)"]}}, ensure_ascii=False
    )
    uri = writer.open(writer.file(), text)
    (found,) = await writer.codes(uri, "unknown-tool")
    assert covered(text, found.range) == '"Bsh(git:*)"'
    assert "did you mean Bash?" in found.message
    assert (found.severity, found.source) == (types.DiagnosticSeverity.Warning, "pilotfish")

    writer.change(uri, text.replace("Bsh", "Bash"))
    await writer.codes(uri)
    writer.change(uri, text.replace("Bsh", "Bash")[:-1])
    (broken,) = await writer.codes(uri, "broken-json")
    assert broken.severity == types.DiagnosticSeverity.Error

    writer.close(uri)
    await writer.codes(uri)


async def test_a_rule_is_judged_against_the_other_files(writer: Writer) -> None:
    own = writer.home / "state" / "settings.json"
    own.parent.mkdir(exist_ok=True)
    own.write_text('{"permissions": {"allow": [],\n"deny": ["Bash(rm:*)"]}}', encoding="utf-8")
    text = json.dumps({"permissions": {"allow": ["Bash(rm -r build)"]}})
    uri = writer.open(writer.file("settings.local.json"), text)

    (found,) = await writer.codes(uri, "shadowed-rule")

    assert found.severity == types.DiagnosticSeverity.Hint
    assert list(found.tags or ()) == [types.DiagnosticTag.Unnecessary]
    (related,) = list(found.related_information or ())
    assert related.location.uri == own.as_uri()
    assert related.location.range.start.line == 1

    own.write_text("{}", encoding="utf-8")
    own_uri = writer.open(own, "{}")
    writer.save(own_uri)
    await writer.codes(uri)
    writer.close(uri)
    writer.close(own_uri)


async def test_the_users_own_file_is_served_wherever_the_state_folder_is(writer: Writer) -> None:
    own = writer.home / "state" / "settings.json"
    uri = writer.open(own, '{"permisions": {}}')
    await writer.codes(uri, "unknown-key")
    writer.close(uri)


async def test_a_rule_is_explained_under_the_mouse(writer: Writer) -> None:
    text = json.dumps({"permissions": {"deny": [f"Bash({GRIN}:*)"]}}, ensure_ascii=False)
    uri = writer.open(writer.file(), text)
    hover = await writer.client.text_document_hover_async(
        types.HoverParams(
            text_document=types.TextDocumentIdentifier(uri=uri),
            position=types.Position(line=0, character=36),
        )
    )
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "Never runs" in hover.contents.value
    assert hover.range is not None
    assert covered(text, hover.range) == f'"Bash({GRIN}:*)"'
    writer.close(uri)


async def completions(writer: Writer, uri: str, character: int) -> list[types.CompletionItem]:
    answer = await writer.client.text_document_completion_async(
        types.CompletionParams(
            text_document=types.TextDocumentIdentifier(uri=uri),
            position=types.Position(line=0, character=character),
        )
    )
    return list(answer.items) if isinstance(answer, types.CompletionList) else []


async def test_rules_are_completed_in_text_that_does_not_parse_yet(writer: Writer) -> None:
    text = '{"permissions": {"allow": ["Ba'
    uri = writer.open(writer.file(), text)

    found = {item.label: item for item in await completions(writer, uri, len(text))}

    form = found["Bash(command:*)"]
    assert form.insert_text_format == types.InsertTextFormat.Snippet
    assert isinstance(form.text_edit, types.TextEdit)
    assert form.text_edit.new_text == "Bash(${1:command}:*)"
    assert covered(text, form.text_edit.range) == "Ba"
    assert "Read" in found
    writer.close(uri)


async def fixes(writer: Writer, uri: str, where: types.Range) -> list[types.CodeAction]:
    answer = await writer.client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=uri),
            range=where,
            context=types.CodeActionContext(diagnostics=[]),
        )
    )
    return [one for one in answer or () if isinstance(one, types.CodeAction) and one.edit]


async def test_a_misspelt_name_is_mended_with_one_click(writer: Writer) -> None:
    uri = writer.open(writer.file(), '{"permissions": {"alow": []}}')
    (found,) = await writer.codes(uri, "unknown-key")

    (fix,) = await fixes(writer, uri, found.range)

    assert fix.title == "Change to `allow`"
    assert fix.edit is not None
    (change,) = list(fix.edit.document_changes or ())
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == 1
    (edit,) = change.edits
    assert isinstance(edit, types.TextEdit)
    assert (edit.range, edit.new_text) == (found.range, '"allow"')
    writer.close(uri)


async def test_other_json_files_are_left_to_others(writer: Writer) -> None:
    path = writer.folder / "settings.json"
    uri = writer.open(path, '{"permisions": {')
    assert await completions(writer, uri, 10) == []
    assert await fixes(writer, uri, types.Range(types.Position(0, 0), types.Position(0, 9))) == []
    assert uri not in writer.diagnostics
    writer.close(uri)


async def test_fast_typing_ends_with_the_last_text(writer: Writer) -> None:
    uri = writer.open(writer.file(), "{")
    for number in range(60):
        writer.change(uri, json.dumps({"maxTurns": str(number)}))
    writer.change(uri, '{"maxTurn": 3}')
    await writer.codes(uri, "unknown-key")
    writer.close(uri)
    await writer.codes(uri)


async def test_a_huge_file_is_refused_and_the_next_one_served(writer: Writer) -> None:
    uri = writer.open(writer.file(), json.dumps({"a": "x" * 1_100_000}))
    (found,) = await writer.codes(uri, "too-large")
    assert "1,048,576" in found.message
    writer.change(uri, '{"maxTurn": 3}')
    await writer.codes(uri, "unknown-key")
    writer.close(uri)
