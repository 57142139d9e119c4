"""Open documents: our copy of what the editor holds.

Owns: applying the editor's changes as LSP means them. pygls takes a form feed, a vertical tab or a
Unicode separator for the end of a line, and moves a position behind the end of a line one character
too far to the left: from then on its copy is not what the editor holds.
Does not own: what is done with documents (``edges.lsp.editor``, ``edges.lsp.code_features``).
"""

from urllib.parse import unquote

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from pilotfish.edges.lsp.line_blocks import LineBlocks
from pilotfish.util.text_span import place_in_line


class SyncedText:
    """A text that changes by ranges."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = LineBlocks(text)

    def replace(self, changed: types.Range, new_text: str) -> None:
        """Replace a range; one whose end comes first is turned round."""
        start, end = sorted((self.offset(changed.start), self.offset(changed.end)))
        self.text = self.text[:start] + new_text + self.text[end:]
        self._lines.replaced(self.text, start, end, len(new_text))

    def offset(self, position: types.Position) -> int:
        """Return the character offset of a position; one behind a line's text is that text's end."""
        start = self._lines.line_start(self.text, position.line)
        if start is None:
            return len(self.text)
        after = self._lines.line_start(self.text, position.line + 1)
        line = self.text[start : len(self.text) if after is None else after]
        return start + place_in_line(line.rstrip("\r\n"), position.character)


class SyncedDocument(TextDocument):
    """pygls's document with our way of applying changes."""

    _synced: SyncedText | None = None

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Apply one change of the editor."""
        if not isinstance(change, types.TextDocumentContentChangePartial):
            self._synced = None
            self._source = change.text
            return
        if self._synced is None:
            self._synced = SyncedText(self.source)
        self._synced.replace(change.range, change.text)
        self._source = self._synced.text


class SyncedWorkspace(Workspace):
    """pygls's workspace with our documents."""

    @classmethod
    def instead_of(cls, workspace: Workspace) -> "SyncedWorkspace":
        """Take the place of a workspace in which nothing is open yet."""
        return cls(
            workspace.root_uri,
            workspace_folders=list(workspace.folders.values()),
            position_encoding=workspace.position_encoding,
        )

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> TextDocument:
        return SyncedDocument(
            doc_uri,
            source=source,
            version=version,
            language_id=language_id,
            sync_kind=types.TextDocumentSyncKind.Incremental,
            position_codec=self.position_codec,
        )


def open_document(workspace: Workspace, uri: str) -> TextDocument | None:
    """Return an open document by its address as the editor writes it, or None.

    pygls files documents by their decoded address, so a name with a space would not be found.
    """
    return workspace.text_documents.get(unquote(uri))


def open_notebook(workspace: Workspace, uri: str) -> types.NotebookDocument | None:
    """Return an open notebook by its address as the editor writes it, or None."""
    return workspace.notebook_documents.get(unquote(uri))
