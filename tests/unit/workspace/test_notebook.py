"""Changing one cell of a notebook without touching the rest of its text."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.workspace.notebook import CellEdit, NotebookError, edit_cells, parse_notebook
from pilotfish.workspace.several_edits import splice

from tests.support.documents import code, markdown, notebook, notebook_text


def edited(text: str, edit: CellEdit) -> str:
    return splice(text, edit_cells(text, edit, "n.ipynb"))


def cells(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)["cells"]
    return found


STYLES = {
    "as Jupyter writes": (1, "\n"),
    "indented by four": (4, "\n"),
    "with tabs": ("\t", "\n"),
    "with CRLF": (1, "\r\n"),
    "on one line": (None, "\n"),
}


@pytest.mark.parametrize(("indent", "eol"), STYLES.values(), ids=STYLES.keys())
def test_a_change_looks_as_if_jupyter_had_made_it(indent: int | str | None, eol: str) -> None:
    c1, c2 = code("c1", ["a\n", "b"]), markdown("c2", "# Title")

    def text(*cells: dict[str, Any]) -> str:
        return notebook_text(*cells, indent=indent).replace("\n", eol)

    before = text(c1, c2)
    changed = code("c1", ["x\n", "y\n"], outputs=[], execution_count=None)
    assert edited(before, CellEdit(cell_id="c1", source="x\ny\n")) == text(changed, c2)
    assert edited(before, CellEdit(cell_id="c2", source="# é\n")) == text(
        c1, markdown("c2", "# é\n")
    )
    assert edited(before, CellEdit(cell_id="c1", mode="delete")) == text(c2)
    assert edited(before, CellEdit(cell_id="c2", mode="delete")) == text(c1)
    after = edited(before, CellEdit(cell_id="c1", source="n", kind="markdown", mode="insert"))
    assert after == text(c1, markdown(cells(after)[1]["id"], ["n"]), c2)
    first = edited(before, CellEdit(cell_id=None, source="n", kind="markdown", mode="insert"))
    assert first == text(markdown(cells(first)[0]["id"], ["n"]), c1, c2)
    last = edited(before, CellEdit(cell_id="c2", source="n", kind="markdown", mode="insert"))
    assert last == text(c1, c2, markdown(cells(last)[2]["id"], ["n"]))
    prose = edited(before, CellEdit(cell_id="c1", source="p", kind="markdown"))
    assert prose == text(
        {**markdown("c1", ["p"]), "metadata": {"tags": ["kept"], "zeta": 1, "alpha": 2}}, c2
    )


def test_fe42_insert_lands_after_the_cell_with_a_new_id_and_a_list_of_lines() -> None:
    before = notebook_text(code("c1", ["x"]), code("c2", ["y"]))
    after = edited(before, CellEdit(cell_id="c1", source="a\nb", kind="code", mode="insert"))
    ids = [cell["id"] for cell in cells(after)]
    assert (ids[0], ids[2]) == ("c1", "c2")
    assert ids[1] not in {"c1", "c2"}
    new = cells(after)[1]
    assert new["source"] == ["a\n", "b"]
    assert (new["outputs"], new["execution_count"], new["metadata"]) == ([], None, {})
    assert list(new) == ["cell_type", "execution_count", "id", "metadata", "outputs", "source"]
    start = next(at for at in range(len(before)) if before[at] != after[at])
    assert after.endswith(before[start:])


def test_the_same_insertion_gets_the_same_id_and_a_second_one_another() -> None:
    before = notebook_text(code("c1", ["x"]))
    edit = CellEdit(cell_id="c1", source="a", kind="code", mode="insert")
    once = edited(before, edit)
    assert once == edited(before, edit)
    ids = [cell["id"] for cell in cells(edited(once, edit))]
    assert len(set(ids)) == 3


def test_older_notebook_has_cells_by_position_and_gets_no_ids() -> None:
    old = {key: value for key, value in code("", ["x"]).items() if key != "id"}
    before = notebook_text(old, old, minor=4)
    assert [cell.id for cell in parse_notebook(before, "n").cells] == ["cell-0", "cell-1"]
    after = edited(before, CellEdit(cell_id="cell-1", source="z"))
    assert [cell["source"] for cell in cells(after)] == [["x"], ["z"]]
    inserted = edited(before, CellEdit(cell_id="cell-0", source="z", kind="code", mode="insert"))
    assert [cell["source"] for cell in cells(inserted)] == [["x"], ["z"], ["x"]]
    assert "id" not in cells(inserted)[1]


def test_last_cell_goes_and_a_first_one_comes() -> None:
    before = notebook_text(code("c1", ["x"]))
    empty = edited(before, CellEdit(cell_id="c1", mode="delete"))
    assert empty == notebook_text()
    again = edited(empty, CellEdit(cell_id=None, source="x", kind="raw", mode="insert"))
    assert again == notebook_text({**markdown(cells(again)[0]["id"], ["x"]), "cell_type": "raw"})


def test_escapes_stay_escapes() -> None:
    before = json.dumps(notebook(markdown("c1", "caf\u00e9")), indent=1)
    after = edited(before, CellEdit(cell_id="c1", source="\u2192"))
    assert '"source": "\\u2192"' in after


def test_code_keeps_its_form_and_numbers_keep_theirs() -> None:
    before = notebook_text(code("c1", "a = 1", metadata={"x": 1.0})).replace("1.0", "1.0e0")
    after = edited(before, CellEdit(cell_id="c1", source="a = 2"))
    assert cells(after)[0]["source"] == "a = 2"
    assert "1.0e0" in after


@pytest.mark.parametrize(
    ("text", "edit", "reason"),
    [
        ("{not json", CellEdit(cell_id="c1"), "not valid JSON"),
        ("[1]", CellEdit(cell_id="c1"), "no Jupyter notebook"),
        ('{"nbformat": 3, "worksheets": [], "cells": []}', CellEdit(cell_id="c1"), "too old"),
        ('{"nbformat": 4, "cells": [1]}', CellEdit(cell_id="c1"), "cell 0 is no object"),
        (notebook_text(code("c1", "a")), CellEdit(cell_id="zz"), "no cell with the id 'zz'.*c1"),
        (notebook_text(code("c", "a"), code("c", "b")), CellEdit(cell_id="c"), "2 cells with the id"),
        ("[" * 100_000, CellEdit(cell_id="c1"), "not valid JSON"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_reason(
    text: str, edit: CellEdit, reason: str
) -> None:
    with pytest.raises(NotebookError, match=reason):
        edit_cells(text, edit, "n.ipynb")


sources = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.lists(sources, min_size=1, max_size=4), st.data())
def test_other_cells_never_change(texts: list[str], data: st.DataObject) -> None:
    before = notebook_text(*(code(f"c{at}", text) for at, text in enumerate(texts)))
    at = data.draw(st.integers(0, len(texts) - 1))
    new = data.draw(sources)
    after = edited(before, CellEdit(cell_id=f"c{at}", source=new))
    wanted = [*texts]
    wanted[at] = new
    assert [cell.source for cell in parse_notebook(after, "n").cells] == wanted
    old_cells, new_cells = parse_notebook(before, "n").cells, parse_notebook(after, "n").cells
    assert after[: new_cells[at].span.start] == before[: old_cells[at].span.start]
    assert after[new_cells[at].span.end :] == before[old_cells[at].span.end :]
