"""Cells of open notebooks, as the engine sees them.

Owns: what of a cell the editor tells, and where its id is.
"""

from typing import cast

from lsprotocol import types
from pygls.workspace import Workspace

from pilotfish.edges.lsp.documents import open_document
from pilotfish.ports.editor import CellKind, OpenCell


def open_cell(workspace: Workspace, cell: types.NotebookCell) -> OpenCell:
    """Return a cell as the engine sees it."""
    document = open_document(workspace, cell.document)
    kind: CellKind = "markdown" if cell.kind == types.NotebookCellKind.Markup else "code"
    if document is not None and document.language_id == "raw":
        kind = "raw"  # that is how VS Code shows such cells
    return OpenCell(
        source="" if document is None else document.source, kind=kind, id=_id_of(cell.metadata)
    )


def _id_of(metadata: object) -> str | None:
    """Return a cell's id from what VS Code keeps of the file; older versions nest it."""
    found = _field(metadata, "id") or _field(_field(metadata, "custom"), "id")
    return found if isinstance(found, str) and found else None


def _field(holder: object, name: str) -> object:
    # Depending on the message these are dictionaries or objects made of them.
    if isinstance(holder, dict):
        return cast("dict[str, object]", holder).get(name)
    return getattr(holder, name, None)
