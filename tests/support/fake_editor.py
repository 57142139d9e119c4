"""An editor in memory: versioned buffers over real files.

Implements ``ports.editor.EditorPort``. Behaves as VS Code does where it matters: a change at an old
version is refused, a change is one undo step, saving writes UTF-8 (keeping a byte order mark) and may
run a formatter first, a clean document takes over what others write to its file only when told so.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pilotfish.core.errors import DocumentClosed, EditClash, WorkspaceError
from pilotfish.ports.code import CodeSource
from pilotfish.ports.diagnostics import DiagnosticsSource
from pilotfish.ports.editor import CellSplice, OpenDocument, OpenNotebook
from pilotfish.workspace.live_cells import text_with_cells

_BOM = b"\xef\xbb\xbf"


class FakeEditor:
    diagnostics: DiagnosticsSource | None = None
    code: CodeSource | None = None

    def __init__(self) -> None:
        self._documents: dict[Path, OpenDocument] = {}
        self.notebooks: dict[Path, OpenNotebook] = {}
        """Notebooks that are open in an editor of cells."""
        self.undo_steps: dict[Path, list[str]] = {}
        self.labels: list[str] = []
        self.saved: list[Path] = []
        self.formatter: Callable[[str], str] | None = None
        """Changes the text while saving."""
        self.before_apply: Callable[[], None] | None = None
        """Runs just before a change is looked at: the user is faster."""
        self.save_error: str | None = None
        self.catches_up = False
        """Whether a document in step takes over what others write to its file when that is waited for."""
        self._in_step: dict[Path, int] = {}
        self.hold: asyncio.Event | None = None
        """When set, changes wait for it."""
        self.waiting = 0
        """Changes that wait now."""

    def open(self, path: Path, text: str | None = None) -> OpenDocument:
        if text is None:
            text = path.read_bytes().removeprefix(_BOM).decode()
        document = OpenDocument(path=path, version=1, text=text)
        self._documents[path] = document
        self.undo_steps[path] = []
        self.in_step(document)
        return document

    def type(self, path: Path, text: str) -> OpenDocument:
        """The user changes the buffer; nothing is saved."""
        return self._change(self._documents[path], text)

    def close(self, path: Path) -> None:
        del self._documents[path]

    def text(self, path: Path) -> str:
        return self._documents[path].text

    def document(self, path: Path) -> OpenDocument | None:
        return self._documents.get(path)

    def open_paths(self) -> Sequence[Path]:
        return tuple(self._documents)

    def in_step(self, document: OpenDocument) -> None:
        self._in_step[document.path] = document.version

    async def follows(self, document: OpenDocument, text: str) -> bool:
        if not self.catches_up or self._in_step.get(document.path) != document.version:
            return False
        self._change(document, text)
        return True

    def notebook(self, path: Path) -> OpenNotebook | None:
        return self.notebooks.get(path)

    async def apply_text(self, document: OpenDocument, new_text: str, label: str) -> OpenDocument:
        await asyncio.sleep(0)
        if self.hold is not None:
            self.waiting += 1
            await self.hold.wait()
            self.waiting -= 1
        if self.before_apply is not None:
            self.before_apply()
        now = self._documents.get(document.path)
        if now is None:
            raise DocumentClosed(f"{document.path} was closed.")
        if now.version != document.version:
            raise EditClash(f"{document.path} changed since you read it.", hint="Read it again.")
        self.labels.append(label)
        return self._change(now, new_text)

    async def serves(self, path: Path) -> bool:
        return self.diagnostics is not None

    async def judges(self, path: Path) -> bool:
        return True

    async def apply_cells(self, notebook: OpenNotebook, splice: CellSplice, label: str) -> None:
        await asyncio.sleep(0)
        if self.before_apply is not None:
            self.before_apply()
        now = self.notebooks.get(notebook.path)
        if now is None:
            raise DocumentClosed(f"{notebook.path} was closed.")
        if now.cells != notebook.cells:
            raise EditClash(f"{notebook.path} changed since you read it.", hint="Read it again.")
        self.labels.append(label)
        after = now.cells[splice.start + splice.deleted :]
        cells = (*now.cells[: splice.start], *splice.cells, *after)
        self.notebooks[notebook.path] = replace(now, cells=cells)

    async def save(self, path: Path) -> None:
        await asyncio.sleep(0)
        if self.save_error is not None:
            raise WorkspaceError(self.save_error)
        if path in self.notebooks:
            _store_cells(path, self.notebooks[path])
            self.saved.append(path)
            return
        document = self._documents.get(path)
        if document is None:
            return
        if self.formatter is not None and self.formatter(document.text) != document.text:
            document = self._change(document, self.formatter(document.text))
        _store(path, document.text)
        self.in_step(document)
        self.saved.append(path)

    def _change(self, document: OpenDocument, text: str) -> OpenDocument:
        self.undo_steps[document.path].append(document.text)
        changed = OpenDocument(path=document.path, version=document.version + 1, text=text)
        self._documents[document.path] = changed
        return changed


def _store(path: Path, text: str) -> None:
    bom = _BOM if path.exists() and path.read_bytes().startswith(_BOM) else b""
    path.write_bytes(bom + text.encode())


def _store_cells(path: Path, notebook: OpenNotebook) -> None:
    saved = text_with_cells(path.read_text(encoding="utf-8"), notebook.cells, path.name)
    path.write_text(saved, encoding="utf-8")
