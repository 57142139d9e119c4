"""The outline of a file by its syntax alone."""

from pathlib import Path

from pilotfish.codeintel.syntax_source import SyntaxSource
from pilotfish.ports.code import Position

from tests.support.fake_editor import FakeEditor

SHOP = "class Cart:\n    def total(self):\n        return 1\n\n\ndef main(): ...\n"


async def test_a_file_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(SHOP)
    found = await SyntaxSource(FakeEditor()).document_symbols(path)
    assert found is not None
    cart, main = found
    assert (cart.name, cart.kind, [part.name for part in cart.children]) == (
        "Cart",
        "class",
        ["total"],
    )
    assert (main.name, main.name_span.start) == ("main", Position(5, 4))


async def test_an_open_document_counts_instead(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(SHOP)
    editor = FakeEditor()
    editor.open(path)
    editor.type(path, "def other(): ...\n")
    found = await SyntaxSource(editor).document_symbols(path)
    assert found is not None
    assert [symbol.name for symbol in found] == ["other"]


async def test_a_script_without_a_suffix_and_a_grammar_whose_errors_are_not_told(
    tmp_path: Path,
) -> None:
    source, editor = SyntaxSource(FakeEditor()), FakeEditor()
    (tmp_path / "run").write_text("#!/usr/bin/env python3\n" + SHOP)
    (tmp_path / "a.pl").write_text("sub total { 1 }\n")
    editor.open(tmp_path / "run")
    for one in (source, SyntaxSource(editor)):
        found = await one.document_symbols(tmp_path / "run")
        assert found is not None
        assert [symbol.name for symbol in found] == ["Cart", "main"]
    found = await source.document_symbols(tmp_path / "a.pl")
    assert found is not None
    assert [symbol.name for symbol in found] == ["total"]


async def test_what_it_does_not_know(tmp_path: Path) -> None:
    source = SyntaxSource(FakeEditor())
    (tmp_path / "notes.weird").write_text("x")
    assert await source.document_symbols(tmp_path / "notes.weird") is None
    assert await source.document_symbols(tmp_path / "gone.py") is None
    assert await source.document_symbols(tmp_path) is None
    path = tmp_path / "a.py"
    path.write_bytes(b"\xff\xfe broken \x00 def f(): pass\n")
    assert await source.document_symbols(path) is not None
    place = Position(0, 0)
    assert await source.locate("definition", path, place) is None
    assert await source.hover(path, place) is None
    assert await source.workspace_symbols("f", 1) is None
    assert await source.calls("incoming", path, place) is None
    assert await source.rename(path, place, "g") is None
