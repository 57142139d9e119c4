"""The user's editor: open documents and what can be done to them.

Owns: the seam. Implemented by the LSP edge over client requests, by ``NoEditor`` without one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pilotfish.ports.code import CodeSource
from pilotfish.ports.diagnostics import DiagnosticsSource


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenDocument:
    """A document as the editor holds it. Its text is the truth, saved or not."""

    path: Path
    version: int
    text: str
    """The editor's buffer, line endings as the editor sends them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenNotebook:
    """A notebook as an editor of its cells holds it."""

    path: Path
    sources: tuple[str, ...]
    """The text of each cell, in order."""


class EditorPort(Protocol):
    """Open documents. Paths are absolute."""

    def document(self, path: Path) -> OpenDocument | None:
        """Return the open document of a path, or None."""
        ...

    def open_paths(self) -> Sequence[Path]:
        """Return the paths of the open documents; one may be told by several names."""
        ...

    def notebook(self, path: Path) -> OpenNotebook | None:
        """Return the notebook of a path if it is open in an editor of cells, or None."""
        ...

    async def apply_text(self, document: OpenDocument, new_text: str, label: str) -> OpenDocument:
        """Replace the document's text through the editor, keeping its undo stack.

        Only the changed range is sent. Returns the document after the change.

        Raises:
            EditClash: The document is no longer at ``document.version``, or was closed.
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

    async def save(self, path: Path) -> None:
        """Save the open document. Does nothing when it is not open.

        Raises:
            WorkspaceError: The editor could not save it.
        """
        ...


class NoEditor:
    """Stands in where no editor is connected: nothing is open."""

    diagnostics: DiagnosticsSource | None = None
    code: CodeSource | None = None

    def document(self, path: Path) -> OpenDocument | None:  # noqa: ARG002
        """Return None: nothing is open."""
        return None

    def open_paths(self) -> Sequence[Path]:
        """Return none: nothing is open."""
        return ()

    def notebook(self, path: Path) -> OpenNotebook | None:  # noqa: ARG002
        """Return None: nothing is open."""
        return None

    async def apply_text(self, document: OpenDocument, new_text: str, label: str) -> OpenDocument:
        """Never called, since no document is ever open."""
        raise AssertionError(f"no editor to change {document.path} ({label}, {len(new_text)})")

    async def save(self, path: Path) -> None:
        """Do nothing: nothing is open."""
