"""The editor as the engine sees it: open documents, changes through the editor, saving.

Owns: ``ports.editor.EditorPort`` over pygls's document store and client requests; LSP positions.
Does not own: how an edit is made (``workspace.edit_pipeline``).
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from lsprotocol import types
from pydantic import ValidationError
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from pilotfish.core.errors import EditClash, WorkspaceError
from pilotfish.edges.attachment import Peer
from pilotfish.edges.channel import ChannelError, describe_invalid
from pilotfish.edges.lsp.documents import open_document
from pilotfish.ports.code import CodeSource
from pilotfish.ports.diagnostics import DiagnosticsSource
from pilotfish.ports.editor import OpenDocument, OpenNotebook
from pilotfish.util.text_span import changed_span
from pilotfish.wire import methods
from pilotfish.wire.editor import SaveParams, SaveResponse

APPLY_TIMEOUT_S = 10.0
"""How long the editor may take to apply an edit and report the change."""

SAVE_TIMEOUT_S = 15.0
"""How long a save may take; formatters run inside it."""

_LINE_END = re.compile(r"\r\n|\r|\n")


class LspEditor:
    """The connected editor."""

    def __init__(
        self,
        server: LanguageServer,
        peer: Callable[[], Peer],
        *,
        can_save: bool,
        diagnostics: DiagnosticsSource | None,
        code: CodeSource | None,
    ) -> None:
        self.diagnostics = diagnostics
        """What the editor's language servers find; None when it does not tell."""
        self.code = code
        """What they know of code; None when it does not tell."""
        self._server = server
        self._peer = peer
        self._can_save = can_save
        self._uris: dict[Path, str] = {}
        """Open documents by path, as named and with symlinks resolved."""
        self._changed = asyncio.Event()

    @property
    def open_count(self) -> int:
        """Number of open documents."""
        return len(self._server.workspace.text_documents)

    def opened(self, uri: str) -> None:
        """Take note of an opened document; documents without a file are not ours to edit."""
        for path in _paths_of(uri):
            self._uris[path] = uri

    def closed(self, uri: str) -> None:
        """Forget a closed document."""
        for path in [path for path, known in self._uris.items() if known == uri]:
            del self._uris[path]
        self._changed.set()

    def changed(self) -> None:
        """Wake whoever waits for a change to arrive."""
        self._changed.set()

    def document(self, path: Path) -> OpenDocument | None:
        """Return the open document of a path, or None."""
        uri = self._uris.get(path)
        document = open_document(self._server.workspace, uri) if uri is not None else None
        if document is None or document.version is None:
            return None
        return OpenDocument(path=path, version=document.version, text=document.source)

    def open_paths(self) -> Sequence[Path]:
        """Return the paths of the open documents, as named and with symlinks resolved."""
        return tuple(self._uris)

    def notebook(self, path: Path) -> OpenNotebook | None:
        """Return the notebook of a path if it is open in an editor of cells, or None."""
        workspace = self._server.workspace
        for uri, notebook in workspace.notebook_documents.items():
            if path not in _paths_of(uri):
                continue
            cells = (open_document(workspace, cell.document) for cell in notebook.cells)
            sources = tuple("" if cell is None else cell.source for cell in cells)
            return OpenNotebook(path=path, sources=sources)
        return None

    async def apply_text(self, document: OpenDocument, new_text: str, label: str) -> OpenDocument:
        """Replace the document's text through ``workspace/applyEdit``."""
        uri = self._uris.get(document.path)
        if uri is None:
            raise EditClash(f"{document.path} was closed in the editor while it was being edited.")
        if document.text == new_text:
            return document
        params = types.ApplyWorkspaceEditParams(
            label=label, edit=_workspace_edit(uri, document, new_text)
        )
        try:
            async with asyncio.timeout(APPLY_TIMEOUT_S):
                result = await self._server.workspace_apply_edit_async(params)
                if not result.applied:
                    raise EditClash(
                        f"{document.path} changed in the editor; the edit was not applied.",
                        hint=f"Read it again. {result.failure_reason or ''}".strip(),
                    )
                return await self._wait_for(document, new_text)
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
        uri = self._uris.get(path)
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

    async def _wait_for(self, before: OpenDocument, new_text: str) -> OpenDocument:
        """Wait until the editor's change notification has brought the new text."""
        while True:
            self._changed.clear()
            now = self.document(before.path)
            if now is None:
                raise EditClash(f"{before.path} was closed in the editor during the edit.")
            if now.version != before.version and (
                now.text == new_text or _same_lines(now.text, new_text)
            ):
                return now
            await self._changed.wait()


def _same_lines(left: str, right: str) -> bool:
    """Compare texts apart from line ends, which an editor makes uniform."""
    return _LINE_END.sub("\n", left) == _LINE_END.sub("\n", right)


def _paths_of(uri: str) -> set[Path]:
    if not uri.startswith("file:"):
        return set()
    found = uris.to_fs_path(uri)
    if not found:
        return set()
    path = Path(found)
    try:
        return {path, path.resolve()}
    except OSError:
        return {path}


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


def position_at(text: str, offset: int) -> types.Position:
    """Return the LSP position (UTF-16) of a character offset."""
    line = 0
    line_start = 0
    for match in _LINE_END.finditer(text, 0, offset):
        line += 1
        line_start = match.end()
    units = len(text[line_start:offset].encode("utf-16-le", "surrogatepass")) // 2
    return types.Position(line=line, character=units)
