"""Cells as an editor holds them, and the notebook's text that they come from.

Owns: the text that a notebook would have if it were saved now, and a change of that text as the cells
that the editor is to replace.
Does not own: asking the editor (``workspace.edit_pipeline``). Pure.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

from pilotfish.ports.editor import CellKind, CellSplice, OpenCell
from pilotfish.workspace.matching import Replacement
from pilotfish.workspace.notebook import (
    Cell,
    CellEdit,
    Notebook,
    NotebookError,
    cell_deleted,
    cell_inserted,
    cell_typed_over,
    parse_notebook,
)
from pilotfish.workspace.several_edits import splice


def text_with_cells(text: str, cells: Sequence[OpenCell], name: str) -> str:
    """Return a notebook's text as it would be with the cells that an editor holds.

    Everything that the editor does not tell (outputs, metadata) is as in the file. The same text if
    nothing is unsaved.

    Raises:
        NotebookError: The file is no notebook, or the cells do not fit it.
    """
    notebook = parse_notebook(text, name)
    origins = _origins(notebook.cells, cells)
    for at in reversed(range(len(notebook.cells))):
        if at not in origins:
            notebook = _changed(notebook, [cell_deleted(notebook, at)], name)
    for at, (cell, origin) in enumerate(zip(cells, origins, strict=True)):
        if origin is None:
            edit = CellEdit(cell_id=None, source=_lf(cell.source), kind=cell.kind, mode="insert")
            added = cell_inserted(notebook, at - 1, edit, cell.id)
            notebook = _changed(notebook, [added], name)
        elif not is_same_cell(notebook.cells[at], cell):
            typed = cell_typed_over(notebook, at, _lf(cell.source), cell.kind)
            notebook = _changed(notebook, typed, name)
    return notebook.text


def cell_splice(old: str, new: str, name: str) -> CellSplice:
    """Return the cells that lead from one text of a notebook to another.

    Raises:
        NotebookError: One of them is no notebook, or they differ in more than their cells.
    """
    before, after = parse_notebook(old, name), parse_notebook(new, name)
    if _around_cells(before) != _around_cells(after):
        raise NotebookError(
            f"{name} is open in a notebook editor, which can change its cells only.",
            hint="Close it there, then repeat the edit.",
        )
    limit = min(len(before.cells), len(after.cells))
    head = 0
    while head < limit and before.cells[head].data == after.cells[head].data:
        head += 1
    tail = 0
    while tail < limit - head and before.cells[-1 - tail].data == after.cells[-1 - tail].data:
        tail += 1
    return CellSplice(
        start=head,
        deleted=len(before.cells) - head - tail,
        cells=tuple(_open_cell(cell) for cell in after.cells[head : len(after.cells) - tail]),
        language=after.language,
    )


def same_cells(text: str, cells: Sequence[OpenCell], name: str) -> bool:
    """Tell whether an editor holds the cells of a notebook's text."""
    try:
        saved = parse_notebook(text, name).cells
    except NotebookError:
        return False
    return len(saved) == len(cells) and all(map(is_same_cell, saved, cells))


def is_same_cell(saved: Cell, cell: OpenCell) -> bool:
    """Tell whether a cell has source and type of another; line ends and ids are the editor's affair."""
    return saved.kind == cell.kind and _lf(saved.source) == _lf(cell.source)


def _origins(saved: Sequence[Cell], cells: Sequence[OpenCell]) -> list[int | None]:
    """Return for each cell of the editor which one of the file it was; in rising order."""
    if not any(cell.id for cell in cells):
        if len(saved) == len(cells):
            return list(range(len(cells)))
        old = [f"{cell.kind}\0{_lf(cell.source)}" for cell in saved]
        new = [f"{cell.kind}\0{_lf(cell.source)}" for cell in cells]
    else:
        old = [cell.id for cell in saved]
        new = [cell.id or f"\0{at}" for at, cell in enumerate(cells)]
    found: list[int | None] = [None] * len(cells)
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        for at in range(block.size):
            found[block.b + at] = block.a + at
    return found


def _changed(notebook: Notebook, changes: Sequence[Replacement], name: str) -> Notebook:
    return parse_notebook(splice(notebook.text, changes), name)


def _around_cells(notebook: Notebook) -> tuple[str, str]:
    start, end = notebook.cells_span
    return notebook.text[:start], notebook.text[end:]


def _open_cell(cell: Cell) -> OpenCell:
    kinds: dict[str, CellKind] = {"markdown": "markdown", "raw": "raw"}
    own = cell.data.get("id")
    return OpenCell(
        source=cell.source,
        kind=kinds.get(cell.kind, "code"),
        id=own if isinstance(own, str) else None,
    )


def _lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
