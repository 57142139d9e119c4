"""What an editor shows of a file that another program has written."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from lsprotocol import types
from pilotfish.edges.lsp import editor as lsp_editor
from pilotfish.edges.lsp.documents import SyncedWorkspace
from pilotfish.edges.lsp.editor import EditorServers, LspEditor
from pilotfish.edges.peer import Peer
from pilotfish.ports.editor import OpenDocument
from pygls.lsp.server import LanguageServer
from pygls.workspace import Workspace

PATH = Path("/project/a.py")
URI = PATH.as_uri()
WAIT_S = 20.0


def no_peer() -> Peer:
    raise AssertionError("nothing is asked here")


class _Opened:
    """An editor in which the file is open."""

    def __init__(self) -> None:
        self.workspace = SyncedWorkspace.instead_of(Workspace(None))
        servers = EditorServers(diagnostics=None, code=None, cover=None)
        self.editor = LspEditor(
            cast("LanguageServer", self),
            no_peer,
            can_save=True,
            can_edit_cells=True,
            servers=servers,
        )
        self.version = 1
        item = types.TextDocumentItem(uri=URI, language_id="python", version=1, text="one\n")
        self.workspace.put_text_document(item)
        self.editor.opened(URI)

    @property
    def document(self) -> OpenDocument:
        found = self.editor.document(PATH)
        assert found is not None
        return found

    def change(self, text: str) -> None:
        self.version += 1
        identifier = types.VersionedTextDocumentIdentifier(uri=URI, version=self.version)
        change = types.TextDocumentContentChangeWholeDocument(text=text)
        self.workspace.update_text_document(identifier, change)
        self.editor.changed()


async def follows(opened: _Opened, text: str, news: Callable[[], None]) -> bool:
    """Wait for a text, of which there is news as soon as somebody waits."""

    async def tell() -> None:
        news()

    found, _ = await asyncio.gather(opened.editor.follows(opened.document, text), tell())
    return found


async def test_a_document_that_nobody_changed_is_waited_for() -> None:
    opened = _Opened()

    def news() -> None:
        opened.change("one\ntwo\n")
        opened.change("one\ntwo\nthree\n")  # whatever comes behind it

    assert await follows(opened, "one\r\ntwo\r\n", news)


async def test_a_document_that_was_typed_in_is_not() -> None:
    opened = _Opened()
    opened.change("typed\n")
    assert not await follows(opened, "two\n", lambda: opened.change("two\n"))
    opened.change("typed again\n")
    opened.editor.saved(URI)
    assert await follows(opened, "three\n", lambda: opened.change("three\n"))


async def test_one_that_does_not_follow_is_waited_for_only_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lsp_editor, "FOLLOW_TIMEOUT_S", 0.01)
    opened = _Opened()
    assert not await opened.editor.follows(opened.document, "two\n")
    monkeypatch.setattr(lsp_editor, "FOLLOW_TIMEOUT_S", 3600)
    assert not await opened.editor.follows(opened.document, "two\n")
    opened.editor.in_step(opened.document)
    assert await follows(opened, "two\n", lambda: opened.change("two\n"))


async def test_what_it_has_told_meanwhile_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lsp_editor, "FOLLOW_TIMEOUT_S", 3600)
    opened = _Opened()
    loaded = opened.document
    opened.change("two\n")  # while the disk was read
    assert await asyncio.wait_for(opened.editor.follows(loaded, "two\n"), WAIT_S)


async def test_one_that_closes_is_loaded_from_the_disk() -> None:
    opened = _Opened()

    def news() -> None:
        opened.workspace.remove_text_document(URI)
        opened.editor.closed(URI)

    assert await follows(opened, "two\n", news)
    assert opened.editor.document(PATH) is None
