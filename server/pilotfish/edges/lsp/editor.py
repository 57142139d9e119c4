"""The editor as the engine sees it: open documents, changes through the editor, saving.

Owns: ``ports.editor.EditorPort`` over pygls's document store and client requests.
Does not own: how an edit is made (``workspace.edit_pipeline``).
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pydantic import ValidationError
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from pilotfish.core.errors import DocumentClosed, EditClash, WorkspaceError
from pilotfish.edges.channel import ChannelError, describe_invalid
from pilotfish.edges.lsp.awaited_news import Awaited, AwaitedNews
from pilotfish.edges.lsp.documents import open_document, open_notebook
from pilotfish.edges.lsp.editor_cover import EditorCover
from pilotfish.edges.lsp.editor_diagnostics import EditorDiagnostics
from pilotfish.edges.lsp.open_cells import open_cell
from pilotfish.edges.lsp.open_names import OpenNames, uri_opened_by
from pilotfish.edges.lsp.positions import position_at
from pilotfish.edges.peer import Peer
from pilotfish.ports.code import CodeSource
from pilotfish.ports.diagnostics import DiagnosticsSource
from pilotfish.ports.editor import CellSplice, OpenDocument, OpenNotebook
from pilotfish.util.records import dataclass
from pilotfish.util.text_span import changed_span
from pilotfish.wire import methods
from pilotfish.wire.editor import (
    NotebookCellContent,
    NotebookEditParams,
    NotebookEditResponse,
    SaveParams,
    SaveResponse,
)

APPLY_TIMEOUT_S = 10.0
"""How long the editor may take to apply an edit and report the change."""

REOPEN_TIMEOUT_S = 1.0
"""How long an editor may take to show again what it closed just as it was asked to change it."""

FOLLOW_TIMEOUT_S = 2.0
"""How long an editor may take to show what another program wrote; its watchers tell of that in batches."""

SAVE_TIMEOUT_S = 15.0
"""How long a save may take; formatters run inside it."""

READ_ONLY = "read-only"
"""Why our client does not apply an edit: it could not be saved, nor would anybody see that it was made."""

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class EditorServers:
    """What the editor tells of its language servers; None for what it does not."""

    diagnostics: EditorDiagnostics | None
    code: CodeSource | None
    cover: EditorCover | None


class LspEditor:
    """The connected editor."""

    def __init__(
        self,
        server: LanguageServer,
        peer: Callable[[], Peer],
        *,
        can_save: bool,
        can_edit_cells: bool,
        servers: EditorServers,
    ) -> None:
        self.diagnostics: DiagnosticsSource | None = servers.diagnostics
        """What the editor's language servers find; None when it does not tell."""
        self.code = servers.code
        """What they know of code; None when it does not tell."""
        self._servers = servers
        self._server = server
        self._peer = peer
        self._can_save = can_save
        self._can_edit_cells = can_edit_cells
        self._in_step: dict[str, int] = {}
        """By address: the version of a document that was what its file held."""
        self._news = AwaitedNews()
        self._documents = OpenNames(self._news.tell)
        self._notebooks = OpenNames(self._news.tell)

    @property
    def open_count(self) -> int:
        """Number of open documents."""
        return len(self._server.workspace.text_documents)

    async def opens(self, message: Mapping[str, Any]) -> None:
        """Look for the paths of what a message opens, which is taken next: nothing is known of it before."""
        if uri := uri_opened_by(message):
            is_text = message.get("method") == types.TEXT_DOCUMENT_DID_OPEN
            await (self._documents if is_text else self._notebooks).look_up(uri)

    def opened(self, uri: str) -> None:
        """Take note of an opened document; documents without a file are not ours to edit."""
        self._note_step(uri)
        self._documents.opened(uri)

    def closed(self, uri: str) -> None:
        """Forget a closed document."""
        self._in_step.pop(uri, None)
        self._documents.closed(uri)

    def saved(self, uri: str) -> None:
        """Take note of a saved document."""
        self._note_step(uri)
        self._news.tell()

    def notebook_opened(self, uri: str) -> None:
        """Take note of an opened notebook."""
        self._notebooks.opened(uri)

    def notebook_closed(self, uri: str) -> None:
        """Forget a closed notebook."""
        self._notebooks.closed(uri)

    def changed(self) -> None:
        """Take note that documents or cells have changed."""
        self._news.tell()

    def document(self, path: Path) -> OpenDocument | None:
        """Return the open document of a path, or None."""
        uri = self._documents.uri_of(path)
        document = open_document(self._server.workspace, uri) if uri is not None else None
        if document is None or document.version is None:
            return None
        return OpenDocument(path=path, version=document.version, text=document.source)

    def in_step(self, document: OpenDocument) -> None:
        """Take note that a document holds what its file does."""
        uri = self._documents.uri_of(document.path)
        if uri is not None:
            self._in_step[uri] = document.version

    async def follows(self, document: OpenDocument, text: str) -> bool:
        """Wait for a document that nobody has changed to hold what its file does by now, or to close.

        Returns whether there is something else to be seen.
        """
        uri = self._documents.uri_of(document.path)
        if uri is None or self._in_step.get(uri) != document.version:
            return False
        find = partial(self.document, document.path)
        if (shown := find()) is None or shown.version != document.version:
            return True  # it has been told while the disk was read
        with self._news.awaiting(find, lambda now: _same_lines(now.text, text)) as awaited:
            try:
                async with asyncio.timeout(FOLLOW_TIMEOUT_S):
                    await awaited.wait(0)
            except TimeoutError:
                # It began with changes, or is read another way: one wait in vain is enough.
                self._in_step.pop(uri, None)
                now = find()
                return now is None or now.version != document.version
        return True

    def _note_step(self, uri: str) -> None:
        document = open_document(self._server.workspace, uri)
        if document is not None and document.version is not None:
            self._in_step[uri] = document.version

    def open_paths(self) -> Sequence[Path]:
        """Return the paths of the open documents, as named and with symlinks resolved."""
        return self._documents.paths()

    def notebook(self, path: Path) -> OpenNotebook | None:
        """Return the notebook of a path if it is open in an editor of cells, or None."""
        found = self._notebook_of(path)
        if found is None:
            return None
        cells = tuple(open_cell(self._server.workspace, cell) for cell in found.cells)
        return OpenNotebook(path=path, cells=cells, editable=self._can_edit_cells)

    def _notebook_of(self, path: Path) -> types.NotebookDocument | None:
        uri = self._notebooks.uri_of(path)
        return None if uri is None else open_notebook(self._server.workspace, uri)

    async def serves(self, path: Path) -> bool:
        """Tell whether language servers of the editor look at files like this one."""
        if self._servers.diagnostics is None:
            return False
        return self._servers.cover is None or await self._servers.cover.serves(path)

    async def judges(self, path: Path) -> bool:
        """Tell whether they look at this very file."""
        if self._servers.diagnostics is None:
            return False
        return self._servers.cover is None or await self._servers.diagnostics.judges(path)

    async def apply_cells(self, notebook: OpenNotebook, splice: CellSplice, label: str) -> None:
        """Change cells through ``_pilotfish/editor/cells``, and wait for the news of it."""
        found = self._notebook_of(notebook.path)
        if found is None:
            raise _closed(notebook.path)
        params = NotebookEditParams(
            uri=found.uri,
            expected=[cell.source for cell in notebook.cells],
            start=splice.start,
            deleted=splice.deleted,
            cells=[
                NotebookCellContent(kind=cell.kind, source=cell.source, id=cell.id)
                for cell in splice.cells
            ],
            language=splice.language,
            label=label,
        )
        try:
            with self._cells(notebook, splice) as change:
                async with asyncio.timeout(APPLY_TIMEOUT_S):
                    answer = await self._peer().ask(
                        methods.EDITOR_CELLS.name, params.model_dump(by_alias=True)
                    )
                    response = NotebookEditResponse.model_validate(answer)
                    if not response.applied:
                        if self.notebook(notebook.path) is None:
                            raise _closed(notebook.path)
                        raise EditClash(
                            f"{notebook.path} changed in the editor; the edit was not applied.",
                            hint=f"Read it again. {response.message}".strip(),
                        )
                    await _arrived(change, notebook.path)
        except TimeoutError:
            raise WorkspaceError(
                f"The editor did not confirm the edit of {notebook.path} "
                f"within {APPLY_TIMEOUT_S:.0f} seconds.",
                hint="Read the notebook to see what it holds now.",
            ) from None
        except ChannelError as error:
            raise WorkspaceError(f"The editor refused the edit: {error}") from error
        except ValidationError as error:
            problem = describe_invalid("the answer to an edit of cells", error)
            raise WorkspaceError(
                f"The editor may not have changed {notebook.path}. {problem}"
            ) from error

    def _cells(
        self, before: OpenNotebook, splice: CellSplice
    ) -> AbstractContextManager[Awaited[OpenNotebook]]:
        """Look out for the editor's change notification that brings the new cells."""
        rest = before.cells[splice.start + splice.deleted :]
        wanted = [*before.cells[: splice.start], *splice.cells, *rest]

        def is_there(now: OpenNotebook) -> bool:
            pairs = zip(now.cells, wanted, strict=False)
            return len(now.cells) == len(wanted) and all(
                one.kind == other.kind and _same_lines(one.source, other.source)
                for one, other in pairs
            )

        return self._news.awaiting(partial(self.notebook, before.path), is_there)

    async def apply_text(self, document: OpenDocument, new_text: str, label: str) -> OpenDocument:
        """Replace the document's text through ``workspace/applyEdit``."""
        uri = self._documents.uri_of(document.path)
        if uri is None:
            raise _closed(document.path)
        if document.text == new_text:
            return document
        params = types.ApplyWorkspaceEditParams(
            label=label, edit=_workspace_edit(uri, document, new_text)
        )
        try:
            with self._text(document, new_text) as change:
                async with asyncio.timeout(APPLY_TIMEOUT_S):
                    result = await self._server.workspace_apply_edit_async(params)
                    if not result.applied:
                        if result.failure_reason == READ_ONLY:
                            raise _read_only(document.path)
                        if self.document(document.path) is None:
                            raise _closed(document.path)
                        raise EditClash(
                            f"{document.path} changed in the editor; the edit was not applied.",
                            hint=f"Read it again. {result.failure_reason or ''}".strip(),
                        )
                    return await _arrived(change, document.path)
        except TimeoutError:
            raise WorkspaceError(
                f"The editor did not confirm the edit of {document.path} "
                f"within {APPLY_TIMEOUT_S:.0f} seconds.",
                hint="Read the file to see what it holds now.",
            ) from None
        except JsonRpcException as error:
            raise WorkspaceError(f"The editor refused the edit: {error}") from error

    async def save(self, path: Path) -> None:
        """Save through ``_pilotfish/editor/save``."""
        notebook = self._notebook_of(path)
        uri = self._documents.uri_of(path) if notebook is None else notebook.uri
        if uri is None:
            return
        if not self._can_save:
            raise WorkspaceError("The editor cannot save on request; the file is left unsaved.")
        params = SaveParams(uri=uri).model_dump(by_alias=True)
        try:
            async with asyncio.timeout(SAVE_TIMEOUT_S):
                answer = await self._peer().ask(methods.EDITOR_SAVE.name, params)
        except TimeoutError:
            raise WorkspaceError(f"The editor did not save {path} in time.") from None
        except ChannelError as error:
            raise WorkspaceError(f"The editor could not save {path}: {error}") from error
        try:
            response = SaveResponse.model_validate(answer)
        except ValidationError as error:
            problem = describe_invalid("the answer to a save", error)
            raise WorkspaceError(f"The editor may not have saved {path}. {problem}") from error
        if not response.saved:
            raise WorkspaceError(f"The editor could not save {path}. {response.message}".strip())

    def _text(
        self, before: OpenDocument, new_text: str
    ) -> AbstractContextManager[Awaited[OpenDocument]]:
        """Look out for the editor's change notification that brings the new text."""

        def is_there(now: OpenDocument) -> bool:
            is_other = now.text != before.text or now.version != before.version
            return is_other and (now.text == new_text or _same_lines(now.text, new_text))

        return self._news.awaiting(partial(self.document, before.path), is_there)


async def _arrived(change: Awaited[T], path: Path) -> T:
    """Wait for a change that was made. To change what is just being closed, an editor opens it again.

    Raises:
        DocumentClosed: It stays closed.
    """
    found = await change.wait(REOPEN_TIMEOUT_S)
    if found is None:
        raise _closed(path)
    return found


def _closed(path: Path) -> DocumentClosed:
    return DocumentClosed(f"{path} was closed in the editor while it was being edited.")


def _read_only(path: Path) -> WorkspaceError:
    return WorkspaceError(
        f"{path} is read-only in the editor; nothing was written.",
        hint="Ask the user to make it writable there.",
    )


def _same_lines(left: str, right: str) -> bool:
    """Compare texts apart from line ends, which an editor makes uniform."""
    return _unified(left) == _unified(right)


def _unified(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _workspace_edit(uri: str, document: OpenDocument, new_text: str) -> types.WorkspaceEdit:
    """Build an edit of the smallest range that differs, tied to the document's version."""
    old = document.text
    start, old_end, new_end = changed_span(old, new_text)
    edit = types.TextEdit(
        range=types.Range(start=position_at(old, start), end=position_at(old, old_end)),
        new_text=new_text[start:new_end],
    )
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=document.version)
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(text_document=identifier, edits=[edit])]
    )
