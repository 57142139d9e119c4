"""Jupyter notebooks: their cells, and changes of one cell that leave every other byte as it was.

Owns: parsing, cell ids, what a change of a cell is in the notebook's text.
Does not own: showing cells (``tools.notebook_text``), writing (``workspace.edit_pipeline``).
See also: design 06 §8. Pure functions; nbformat is imported when a cell is checked.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Literal, cast

from pilotfish.core.errors import WorkspaceError
from pilotfish.ports.editor import CellKind
from pilotfish.util.json_spans import Member, Span, items, members
from pilotfish.util.records import dataclass
from pilotfish.workspace.matching import Replacement
from pilotfish.workspace.notebook_style import JsonStyle

EditMode = Literal["replace", "insert", "delete"]

MIN_FORMAT = 4
"""Oldest major version that is understood; older ones have worksheets instead of cells."""

_ID_FORMAT = (4, 5)
"""From this version on every cell has an id."""

CellData = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell as it is in the file."""

    id: str
    """Its own, or ``cell-N`` by position (from 0) when it has none."""
    data: CellData
    span: Span
    """Where it stands in the notebook's text."""

    @property
    def kind(self) -> str:
        """Its type: code, markdown or raw."""
        return str(self.data.get("cell_type", ""))

    @property
    def source(self) -> str:
        """Its text; files hold it as one string or as a list of lines."""
        return joined(self.data.get("source", ""))


@dataclass(frozen=True, kw_only=True)
class Notebook:
    """A parsed notebook."""

    text: str
    cells: tuple[Cell, ...]
    cells_span: Span
    """Where the array of cells stands in the text."""
    version: tuple[int, int]
    language: str
    """Of the kernel; empty when the file does not say."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CellEdit:
    """A change of one cell, as the model asked."""

    cell_id: str | None
    """The cell; for an insertion the one before it, None for the start."""
    source: str = ""
    kind: CellKind | None = None
    """None leaves a replaced cell its type."""
    mode: EditMode = "replace"


class NotebookError(WorkspaceError):
    """The file is no notebook that can be read, or has no such cell."""


def joined(value: object) -> str:
    """Return a multi-line value of a notebook, string or list of strings, as one text."""
    if isinstance(value, list):
        return "".join(str(part) for part in cast("list[object]", value))
    return value if isinstance(value, str) else ""


def parse_notebook(text: str, name: str) -> Notebook:
    """Read a notebook.

    Raises:
        NotebookError: It is no valid JSON, or no notebook of format 4.
    """
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotebookError(
            f"{name} is not valid JSON ({error}), so it cannot be handled as a notebook.",
            hint="Repair it in the shell or the editor first.",
        ) from error
    fields = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    cells = fields.get("cells")
    major, minor = fields.get("nbformat"), fields.get("nbformat_minor", 0)
    if not isinstance(major, int) or not isinstance(minor, int) or not isinstance(cells, list):
        raise NotebookError(f"{name} is JSON, but no Jupyter notebook.")
    if major < MIN_FORMAT:
        raise NotebookError(
            f"{name} is a notebook of format {major}, which is too old.",
            hint="Convert it with `jupyter nbconvert --to notebook --nbformat 4`.",
        )
    # Of a key that is there twice, JSON takes the last.
    span = [each.value for each in members(text, 0) if each.key == "cells"][-1]
    spans = items(text, span.start)
    return Notebook(
        text=text,
        cells=tuple(
            _cell(index, each, spans[index], name)
            for index, each in enumerate(cast("list[object]", cells))
        ),
        cells_span=span,
        version=(major, minor),
        language=_language(fields.get("metadata")),
    )


def find_cell(notebook: Notebook, cell_id: str) -> int:
    """Return the position of a cell.

    Raises:
        NotebookError: There is none of that id, or there are several.
    """
    found = [at for at, cell in enumerate(notebook.cells) if cell.id == cell_id]
    if len(found) == 1:
        return found[0]
    ids = ", ".join(cell.id for cell in notebook.cells[:50]) or "none, it is empty"
    problem = "no cell" if not found else f"{len(found)} cells"
    raise NotebookError(
        f"The notebook has {problem} with the id {cell_id!r}; nothing was written.",
        hint=f"Its cells are: {ids}.",
    )


def edit_cells(text: str, edit: CellEdit, name: str) -> list[Replacement]:
    """Return what a change of a cell is in the text of the notebook.

    Raises:
        NotebookError: The file is no notebook, or the change does not fit it.
    """
    notebook = parse_notebook(text, name)
    style = JsonStyle.of(text)
    if edit.mode == "insert":
        return [_insertion(notebook, edit, style)]
    if edit.cell_id is None:
        raise NotebookError(f"{edit.mode} needs a cell_id; nothing was written.")
    at = find_cell(notebook, edit.cell_id)
    if edit.mode == "delete":
        return [_deletion(notebook, at)]
    cell = notebook.cells[at]
    if edit.kind is not None and edit.kind != cell.kind:
        return [_retyped(notebook, cell, edit, style)]
    return _rewritten(notebook, cell, edit.source, style)


def cell_typed_over(notebook: Notebook, at: int, source: str, kind: CellKind) -> list[Replacement]:
    """Return what it is in the text that the user gave a cell another source or type.

    Unlike an edit of the model, typing leaves the outputs of a cell.

    Raises:
        NotebookError: The change does not fit the notebook.
    """
    cell, style = notebook.cells[at], JsonStyle.of(notebook.text)
    if kind != cell.kind:
        edit = CellEdit(cell_id=cell.id, source=source, kind=kind)
        return [_retyped(notebook, cell, edit, style)]
    return _rewritten(notebook, cell, source, style, keep_outputs=True)


def cell_inserted(
    notebook: Notebook, after: int, edit: CellEdit, cell_id: str | None
) -> Replacement:
    """Return what a new cell is in the text, after the cell at a position (-1: at the start).

    Raises:
        NotebookError: It does not fit the notebook.
    """
    return _placed(notebook, after, edit, JsonStyle.of(notebook.text), cell_id)


def cell_deleted(notebook: Notebook, at: int) -> Replacement:
    """Return what it is in the text that a cell goes."""
    return _deletion(notebook, at)


def _rewritten(
    notebook: Notebook, cell: Cell, source: str, style: JsonStyle, *, keep_outputs: bool = False
) -> list[Replacement]:
    """Replace the source of a cell, and drop the outputs that the old one made."""
    new: dict[str, Any] = {"source": _in_form(source, cell.data.get("source"))}
    if cell.kind == "code" and not keep_outputs:
        new |= {"outputs": [], "execution_count": None}
    found = {each.key: each for each in members(notebook.text, cell.span.start)}
    if any(key not in found for key in new):
        raise NotebookError(f"Cell {cell.id} lacks {', '.join(new.keys() - found.keys())}.")
    _check(notebook, cell.data, {**cell.data, **new})
    changed = [found[key] for key in new if cell.data[key] != new[key]]
    return [
        Replacement(
            each.value.start, each.value.end, style.dump(new[each.key], _indent(notebook, each))
        )
        for each in sorted(changed, key=lambda member: member.start)
    ]


def _retyped(notebook: Notebook, cell: Cell, edit: CellEdit, style: JsonStyle) -> Replacement:
    """Write a cell anew with another type: what belongs to the old type goes."""
    data = {**cell.data, "cell_type": edit.kind}
    data["source"] = _in_form(edit.source, cell.data.get("source"))
    if edit.kind == "code":
        data |= {"execution_count": None, "outputs": []}
        data.pop("attachments", None)
    else:
        for key in ("execution_count", "outputs"):
            data.pop(key, None)
    _check(notebook, cell.data, data)
    indent = style.indent_at(notebook.text, cell.span.start)
    return Replacement(*cell.span, style.dump(data, indent))


def _insertion(notebook: Notebook, edit: CellEdit, style: JsonStyle) -> Replacement:
    after = -1 if edit.cell_id is None else find_cell(notebook, edit.cell_id)
    return _placed(notebook, after, edit, style)


def _placed(
    notebook: Notebook, after: int, edit: CellEdit, style: JsonStyle, cell_id: str | None = None
) -> Replacement:
    if edit.kind is None:
        raise NotebookError("A new cell needs a cell_type; nothing was written.")
    data = _new_cell(notebook, edit, edit.kind, cell_id)
    _check(notebook, None, data)
    cells, (start, end) = notebook.cells, notebook.cells_span
    if not cells:
        outer = style.indent_at(notebook.text, start)
        inner = outer + style.unit
        body = style.line_break(inner) + style.dump(data, inner) + style.line_break(outer)
        return Replacement(start, end, f"[{body}]")
    indent = style.indent_at(notebook.text, cells[0].span.start)
    written = style.dump(data, indent)
    gap = style.between(indent)
    if after < 0:
        at = cells[0].span.start
        return Replacement(at, at, written + gap)
    at = cells[after].span.end
    return Replacement(at, at, gap + written)


def _deletion(notebook: Notebook, at: int) -> Replacement:
    cells = notebook.cells
    if len(cells) == 1:
        return Replacement(*notebook.cells_span, "[]")
    if at + 1 < len(cells):
        return Replacement(cells[at].span.start, cells[at + 1].span.start, "")
    return Replacement(cells[at - 1].span.end, cells[at].span.end, "")


def _new_cell(notebook: Notebook, edit: CellEdit, kind: CellKind, cell_id: str | None) -> CellData:
    """Build a cell with its keys in the order that Jupyter writes them in."""
    form: object = notebook.cells[0].data.get("source") if notebook.cells else None
    data: CellData = {"cell_type": kind, "metadata": {}, "source": _in_form(edit.source, form)}
    if kind == "code":
        data |= {"execution_count": None, "outputs": []}
    if notebook.version >= _ID_FORMAT:
        data["id"] = cell_id or _new_id(notebook, edit)
    return dict(sorted(data.items()))


def _new_id(notebook: Notebook, edit: CellEdit) -> str:
    """Return an id that no cell has; the same for the same insertion, so that a preview is exact."""
    taken = {cell.id for cell in notebook.cells}
    seed = f"{edit.cell_id}\0{edit.source}\0{hashlib.blake2b(notebook.text.encode()).hexdigest()}"
    count = 0
    while True:
        digest = hashlib.blake2b(f"{count}\0{seed}".encode(), digest_size=4).hexdigest()
        if digest not in taken:
            return digest
        count += 1


def _in_form(source: str, like: object) -> str | list[str]:
    """Write a source as the notebook does: one string, or a list of lines."""
    if isinstance(like, str):
        return source
    lines = re.split(r"(?<=\n)", source)
    return lines if lines[-1] else lines[:-1]


def _indent(notebook: Notebook, member: Member) -> str:
    return JsonStyle.indent_at(notebook.text, member.start)


def _check(notebook: Notebook, old: CellData | None, new: CellData) -> None:
    """Make sure that a cell fits the notebook format, unless it did not fit before.

    Raises:
        NotebookError: It does not.
    """
    if old is not None and _problem(notebook, old):
        return
    problem = _problem(notebook, new)
    if problem:
        raise NotebookError(f"The cell would not be valid: {problem}; nothing was written.")


def _problem(notebook: Notebook, data: Mapping[str, Any]) -> str:
    # Loading it takes a third of a second, and only edits of notebooks need it.
    from nbformat import ValidationError
    from nbformat import validate as validate_node

    major, minor = notebook.version
    try:
        validate_node(
            dict(data),
            ref=f"{data.get('cell_type')}_cell",
            version=major,
            version_minor=minor,
            relax_add_props=True,
        )
    except (ValidationError, KeyError) as error:
        return str(error).splitlines()[0]
    return ""


def _cell(index: int, value: object, span: Span, name: str) -> Cell:
    if not isinstance(value, dict):
        raise NotebookError(f"{name}: cell {index} is no object, so it is no valid notebook.")
    data = cast("CellData", value)
    own = data.get("id")
    return Cell(id=own if isinstance(own, str) else f"cell-{index}", data=data, span=span)


def _language(metadata: object) -> str:
    value = metadata
    for key in ("kernelspec", "language"):
        value = cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""
