"""The cells of an editor as the text of a notebook, and back."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pilotfish.core.errors import WorkspaceError
from pilotfish.ports.editor import CellKind, OpenCell
from pilotfish.workspace.live_cells import cell_splice, same_cells, text_with_cells
from pilotfish.workspace.notebook import parse_notebook

from tests.support.documents import code, markdown, notebook_text

KINDS: list[CellKind] = ["code", "markdown", "raw"]
SOURCE = st.text("ab =\n", max_size=8)
FILE = st.lists(st.tuples(st.sampled_from(["code", "markdown"]), SOURCE), max_size=5)
OPEN = st.lists(st.tuples(st.integers(0, 6), st.sampled_from(KINDS), SOURCE), max_size=6)


def text_of(cells: list[tuple[str, str]]) -> str:
    made = [
        (code if kind == "code" else markdown)(f"c{at}", source.splitlines(keepends=True))
        for at, (kind, source) in enumerate(cells)
    ]
    return notebook_text(*made)


@given(FILE, OPEN, st.booleans())
@settings(deadline=None, max_examples=60)
def test_the_text_holds_the_cells_of_the_editor(
    saved: list[tuple[str, str]], drawn: list[tuple[int, CellKind, str]], with_ids: bool
) -> None:
    text = text_of(saved)
    numbers = [number for number, _, _ in drawn]
    cells = [
        OpenCell(
            source=source,
            kind=kind,
            # Cells come from the file, or are new; no id is there twice.
            id=f"c{number}" if with_ids and numbers.count(number) == 1 else None,
        )
        for number, kind, source in drawn
    ]
    merged = text_with_cells(text, cells, "n")
    assert same_cells(merged, cells, "n")
    assert {**json.loads(merged), "cells": []} == {**json.loads(text), "cells": []}
    splice = cell_splice(text, merged, "n")
    old = [(cell.kind, cell.source) for cell in parse_notebook(text, "n").cells]
    old[splice.start : splice.start + splice.deleted] = [
        (cell.kind, cell.source) for cell in splice.cells
    ]
    assert old == [(cell.kind, cell.source) for cell in parse_notebook(merged, "n").cells]


@given(FILE)
def test_a_notebook_without_changes_keeps_every_byte(saved: list[tuple[str, str]]) -> None:
    text = text_of(saved)
    cells = [
        OpenCell(source=source, kind="code" if kind == "code" else "markdown", id=f"c{at}")
        for at, (kind, source) in enumerate(saved)
    ]
    assert text_with_cells(text, cells, "n") == text
    assert (
        text_with_cells(text, [OpenCell(source=c.source, kind=c.kind) for c in cells], "n") == text
    )


def test_typing_in_a_cell_changes_its_source_alone() -> None:
    text = notebook_text(code("c1", ["a = 1"]), code("c2", ["b = 1"]))
    cells = [OpenCell(source="a = 2", id="c1"), OpenCell(source="b = 1", id="c2")]
    assert text_with_cells(text, cells, "n") == text.replace("a = 1", "a = 2")


def test_a_change_of_more_than_cells_is_refused() -> None:
    text = notebook_text(code("c1", ["a = 1"]))
    with pytest.raises(WorkspaceError, match="can change its cells only"):
        cell_splice(text, text.replace("python3", "python4"), "n")
