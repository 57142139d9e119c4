"""The user's editor: open documents and what can be done to them.

Owns: the seam. Implemented by the LSP edge over client requests, by ``NoEditor`` without one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from typing_extensions import override

from pilotfish.ports.code import CodeSource
from pilotfish.ports.diagnostics import DiagnosticsSource
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenDocument:
    """A document as the editor holds it. Its text is the truth, saved or not."""

    path: Path
    version: int
    text: str
    """The editor's buffer, line endings as the editor sends them."""


CellKind = Literal["code", "markdown", "raw"]


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenCell:
    """A cell as an editor holds it. Outputs are not told."""

    source: str
    kind: CellKind = "code"
    id: str | None = None
    """As in the file; None when the editor does not tell."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenNotebook:
    """A notebook as an editor of its cells holds it."""

    path: Path
    cells: tuple[OpenCell, ...]
    editable: bool = False
    """Whether the editor changes cells when it is asked to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CellSplice:
    """New cells in place of some of a notebook's cells; outputs of the new ones are empty."""

    start: int
    deleted: int
    """How many cells go."""
    cells: tuple[OpenCell, ...]
    language: str
    """Of the code in the new cells; empty when the notebook does not say."""


class EditorPort(Protocol):
    """Open documents. Paths are absolute."""

    def document(self, path: Path) -> OpenDocument | None:
        """Return the open document of a path, or None."""
        ...

    def open_paths(self) -> Sequence[Path]:
        """Return the paths of the open documents; one may be told by several names."""
        ...

    def in_step(self, document: OpenDocument) -> None:
        """Take note that a document holds what its file does."""
        ...

    async def follows(self, document: OpenDocument, text: str) -> bool:
        """Wait for a document that nobody has changed to hold what its file does by now, or to close.

        An editor hears of what others write only some time after. Returns whether there is something
        else to be seen: False at once where somebody has changed the document.
        """
        ...

    def notebook(self, path: Path) -> OpenNotebook | None:
        """Return the notebook of a path if it is open in an editor of cells, or None."""
        ...

    async def apply_text(self, document: OpenDocument, new_text: str, label: str) -> OpenDocument:
        """Replace the document's text through the editor, keeping its undo stack.

        Only the changed range is sent. Returns the document after the change.

        Raises:
            DocumentClosed: It is not open any more.
            EditClash: The document is no longer at ``document.version``.
        """
        ...

    @property
    def diagnostics(self) -> DiagnosticsSource | None:
        """What the editor's language servers find; None when it does not tell."""
        ...

    @property
    def code(self) -> CodeSource | None:
        """What the editor's language servers know of code; None when it does not tell."""
        ...

    async def serves(self, path: Path) -> bool:
        """Tell whether language servers of the editor look at files like this one.

        Where they do, none of ours repeats their work. True also when the editor does not know.
        """
        ...

    async def judges(self, path: Path) -> bool:
        """Tell whether they look at this very file, as they do at files in tabs.

        True also when the editor does not know; asked only where it serves the file.
        """
        ...

    async def apply_cells(self, notebook: OpenNotebook, splice: CellSplice, label: str) -> None:
        """Change the cells of an open notebook, keeping its undo stack.

        Raises:
            DocumentClosed: It is not open any more.
            EditClash: The cells are no longer those of ``notebook``.
            WorkspaceError: The editor refused.
        """
        ...

    async def save(self, path: Path) -> None:
        """Save the open document or notebook. Does nothing when it is not open.

        Raises:
            WorkspaceError: The editor could not save it.
        """
        ...


class NoEditor(EditorPort):
    """Stands in where no editor is connected: nothing is open."""

    @property
    def diagnostics(self) -> DiagnosticsSource | None:
        """None: nobody judges."""
        return None

    @property
    def code(self) -> CodeSource | None:
        """None: nobody knows code."""
        return None

    @override
    def document(self, path: Path) -> OpenDocument | None:
        """Return None: nothing is open."""
        return None

    def open_paths(self) -> Sequence[Path]:
        """Return none: nothing is open."""
        return ()

    def in_step(self, document: OpenDocument) -> None:
        """Never called, since no document is ever open."""
        raise AssertionError(f"no editor holds {document.path}")

    async def follows(self, document: OpenDocument, text: str) -> bool:
        """Never called, since no document is ever open."""
        raise AssertionError(f"no editor holds {document.path} ({len(text)})")

    @override
    def notebook(self, path: Path) -> OpenNotebook | None:
        """Return None: nothing is open."""
        return None

    async def apply_text(self, document: OpenDocument, new_text: str, label: str) -> OpenDocument:
        """Never called, since no document is ever open."""
        raise AssertionError(f"no editor to change {document.path} ({label}, {len(new_text)})")

    @override
    async def serves(self, path: Path) -> bool:
        """Tell that nobody does."""
        return False

    @override
    async def judges(self, path: Path) -> bool:
        """Tell that nobody does."""
        return False

    async def apply_cells(self, notebook: OpenNotebook, splice: CellSplice, label: str) -> None:
        """Never called, since no notebook is ever open."""
        raise AssertionError(f"no editor to change {notebook.path} ({label}, {splice.start})")

    async def save(self, path: Path) -> None:
        """Do nothing: nothing is open."""
