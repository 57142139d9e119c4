"""Reading many files into the database."""

from pathlib import Path

import pytest
from pilotfish.codeintel.index.layout import connect, open_for_writing
from pilotfish.codeintel.index.line_scan import scan
from pilotfish.codeintel.index.reading import BATCH_FILES, read_files
from pilotfish.codeintel.index.rows import Depth, counts, files_using, symbols_named


def test_reading_goes_on_while_somebody_else_writes(tmp_path: Path) -> None:
    root, file = tmp_path / "code", tmp_path / "x.sqlite"
    root.mkdir()
    paths = [f"m{number}.py" for number in range(BATCH_FILES + 40)]
    for path in paths:
        (root / path).write_text("def run(): ...\n")
    connection, other = open_for_writing(file), connect(file)
    other.execute("BEGIN IMMEDIATE")
    batches: list[int] = []

    def begin(path: str) -> None:
        if path == paths[BATCH_FILES + 20]:
            other.execute("COMMIT")

    read_files(connection, root, paths, depth=Depth.NAMES, on_file=begin, on_batch=batches.append)
    assert counts(connection) == (len(paths), len(paths), len(paths))
    assert batches == [BATCH_FILES + 21, 19]
    connection.close()
    other.close()


@pytest.mark.parametrize("depth", list(Depth)[:2])
def test_both_depths_know_the_same_names_and_imports(tmp_path: Path, depth: Depth) -> None:
    (tmp_path / "shop.py").write_text(
        "import json\nfrom cart import Cart as Basket\n\nLIMIT = 3\n\n\nclass Shop:\n"
        "    async def öffnen(self): ...\n",
        newline="\r\n",
    )
    connection = open_for_writing(tmp_path / "x.sqlite")
    read_files(connection, tmp_path, ["shop.py"], depth=depth)
    found = symbols_named(connection, ["LIMIT", "Shop", "öffnen"], 10)
    assert sorted((one.definition.name, one.definition.name_span.start.line) for one in found) == [
        ("LIMIT", 3),
        ("Shop", 6),
        ("öffnen", 7),
    ]
    assert [one.path for one in files_using(connection, "Cart", 5)] == ["shop.py"]
    connection.close()


def test_the_first_line_and_positions_beyond_ascii_are_read_as_editors_count_them() -> None:
    symbols, sites = scan(
        "javascript", "class A {}\n/* 😀 */ import { é } from 'x'\nfunction 𠮷() {}"
    )
    assert [(row[1], row[2], row[4], row[9], row[10]) for row in symbols] == [
        ("A", "class", 0, 6, 7),
        ("𠮷", "function", 2, 9, 11),
    ]
    assert sites == {}
    assert scan("javascript", "import { é } from './ü'").sites == {
        "é": [0, 9, 3],
        "ü": [0, 21, 3],
    }
