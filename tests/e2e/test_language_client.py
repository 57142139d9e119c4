"""An ordinary language client, as another editor would have it: documents and code actions."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio
from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import LanguageClient

from tests.support.stage import Stage, body_of, environment, names_in, text_of
from tools.fake_model import FakeModel, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

GRIN = "\N{GRINNING FACE}"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def fake() -> AsyncIterator[FakeModel]:
    async with FakeModel() as model:
        yield model


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(
    fake: FakeModel, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[LanguageClient]:
    folder = tmp_path_factory.mktemp("editor")
    found = LanguageClient()
    await cast("Any", found).start_io(  # its extra arguments have no types
        sys.executable, "-m", "pilotfish", "serve", env=environment(folder / "home", fake.url)
    )
    await found.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(),
            workspace_folders=[types.WorkspaceFolder(uri=folder.as_uri(), name="editor")],
        )
    )
    yield found
    await found.shutdown_session()
    await found.stop()


def at(line: int, character: int) -> types.Position:
    return types.Position(line=line, character=character)


def span(first: types.Position, last: types.Position) -> types.Range:
    return types.Range(start=first, end=last)


def open_document(client: LanguageClient, path: Path, text: str) -> None:
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(
            text_document=types.TextDocumentItem(
                uri=path.as_uri(), language_id="python", version=1, text=text
            )
        )
    )


def change(client: LanguageClient, path: Path, version: int, where: types.Range, text: str) -> None:
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=path.as_uri(), version=version),
            content_changes=[types.TextDocumentContentChangePartial(range=where, text=text)],
        )
    )


async def run(client: LanguageClient, fake: FakeModel, call: ToolUse, cwd: Path) -> dict[str, Any]:
    """Let the model make a call; returns the result that it got."""
    fake.reset()
    fake.play([Turn([call]), "Done."])
    send: Any = client.protocol.send_request_async
    session = await send("session/new", {"cwd": str(cwd), "mcpServers": []})
    prompt = [{"type": "text", "text": "Do it"}]
    ended = await send("session/prompt", {"sessionId": session.sessionId, "prompt": prompt})
    assert ended.stopReason == "end_turn"
    assert fake.problems == []
    (result,) = body_of(fake)["messages"][-1]["content"]
    return result


async def read_by_the_model(client: LanguageClient, fake: FakeModel, path: Path, cwd: Path) -> str:
    """Let the model read a file; returns what it got to see."""
    return text_of(await run(client, fake, ToolUse("Read", {"file_path": str(path)}), cwd))


async def test_changes_beyond_the_basic_plane_land_where_the_editor_meant(
    client: LanguageClient, fake: FakeModel, tmp_path: Path
) -> None:
    path = tmp_path / "a.py"
    path.write_text("on disk\n")
    open_document(client, path, f"x = '{GRIN}b'  # {GRIN}{GRIN}\r\nsecond\n")
    change(client, path, 2, span(at(0, 7), at(0, 8)), "B")
    change(client, path, 3, span(at(0, 15), at(0, 17)), "!")
    change(client, path, 4, span(at(1, 0), at(1, 6)), f"{GRIN}nd")
    change(client, path, 5, span(at(1, 2), at(1, 2)), "-")

    seen = await read_by_the_model(client, fake, path, tmp_path)

    assert f"x = '{GRIN}B'  # {GRIN}!" in seen
    assert f"{GRIN}-nd" in seen
    assert path.read_text() == "on disk\n"


async def test_a_closed_document_is_read_from_disk_again(
    client: LanguageClient, fake: FakeModel, tmp_path: Path
) -> None:
    path = tmp_path / "a.py"
    path.write_text("on disk\n")
    open_document(client, path, "in the editor\n")
    assert "in the editor" in await read_by_the_model(client, fake, path, tmp_path)
    client.text_document_did_close(
        types.DidCloseTextDocumentParams(
            text_document=types.TextDocumentIdentifier(uri=path.as_uri())
        )
    )
    assert "on disk" in await read_by_the_model(client, fake, path, tmp_path)


async def test_an_added_workspace_folder_may_be_read_by_new_sessions(
    client: LanguageClient, fake: FakeModel, tmp_path: Path
) -> None:
    project, other = tmp_path / "project", tmp_path / "other"
    project.mkdir()
    other.mkdir()
    (other / "b.txt").write_text("from the other folder\n")
    # This client shows no questions, so what would have to be asked is refused.
    assert "other folder" not in await read_by_the_model(client, fake, other / "b.txt", project)
    client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(
            event=types.WorkspaceFoldersChangeEvent(
                added=[types.WorkspaceFolder(uri=other.as_uri(), name="other")], removed=[]
            )
        )
    )
    assert "other folder" in await read_by_the_model(client, fake, other / "b.txt", project)


async def test_a_client_without_dialogs_gets_a_refusal_instead_of_a_wait(
    client: LanguageClient, fake: FakeModel, tmp_path: Path
) -> None:
    write = ToolUse("Write", {"file_path": "a.txt", "content": "a"})
    result = await run(client, fake, write, tmp_path)
    assert result["is_error"] is True
    assert names_in(tmp_path) == []


async def actions(
    stage: Stage, where: types.Range, *diagnostics: types.Diagnostic
) -> list[types.CodeAction]:
    converter = get_converter()
    params = types.CodeActionParams(
        text_document=types.TextDocumentIdentifier(uri="file:///w/a%20b.py"),
        range=where,
        context=types.CodeActionContext(diagnostics=diagnostics),
    )
    found = await stage.client.request("textDocument/codeAction", converter.unstructure(params))
    # One by one, since the library takes every action that has a command for a command.
    return [converter.structure(one, types.CodeAction) for one in found]


def argument(action: types.CodeAction) -> dict[str, Any]:
    """Return what the client's command gets."""
    assert action.command is not None
    assert action.command.command == "pilotfish.startPrompt"
    given = list(action.command.arguments or ())
    assert len(given) == 1
    return cast("dict[str, Any]", given[0])


async def test_a_diagnostic_can_be_fixed_with_one_click(stage: Stage) -> None:
    where = span(at(4, 2), at(4, 2))
    problem = types.Diagnostic(
        range=where, message="undefined name 'x'", source="ruff", code="F821"
    )
    (fix,) = await actions(stage, where, problem)
    assert fix.title == "Fix with Pilotfish"
    assert fix.kind == types.CodeActionKind.QuickFix
    assert list(fix.diagnostics or ()) == [problem]
    given = argument(fix)
    assert given["send"] is True
    assert "/w/a b.py:5" in given["prompt"]
    assert "undefined name 'x'" in given["prompt"]
    assert "F821" in given["prompt"]


async def test_a_selection_can_be_asked_about_and_changed(stage: Stage) -> None:
    ask, edit, *_ = await actions(stage, span(at(0, 0), at(3, 0)))
    assert ask.title == "Ask Pilotfish about the selection"
    assert edit.title == "Edit the selection with Pilotfish"
    for action in (ask, edit):
        given = argument(action)
        assert given["send"] is False
        assert "/w/a b.py:1-3" in given["prompt"]


async def test_a_bare_cursor_gets_no_action(stage: Stage) -> None:
    assert await actions(stage, span(at(0, 0), at(0, 0))) == []
