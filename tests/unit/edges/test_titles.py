"""Titles of code actions and lenses in the editor's language."""

from pathlib import Path

import pytest
from lsprotocol import types
from pilotfish.edges.localise import translator
from pilotfish.edges.lsp.code_actions import code_actions
from pilotfish.edges.lsp.code_lenses import code_lenses
from pilotfish.ports.code import Position, Span, Symbol

URI = "file:///project/a.py"


def all_titles() -> list[str]:
    whole = types.Range(types.Position(0, 0), types.Position(2, 0))
    params = types.CodeActionParams(
        text_document=types.TextDocumentIdentifier(URI),
        range=whole,
        context=types.CodeActionContext([types.Diagnostic(range=whole, message="wrong")]),
    )
    span = Span(Position(0, 0), Position(2, 0))
    symbol = Symbol(name="f", kind="function", path=Path("/a.py"), span=span, name_span=span)
    lenses = [one.command for one in code_lenses(URI, [symbol])]
    return [
        *(one.title for one in code_actions(params, [symbol])),
        *(one.title for one in lenses if one is not None),
    ]


def test_every_title_is_there_in_chinese() -> None:
    titles = all_titles()
    assert len(titles) == 11
    translate = translator("zh-cn")
    assert [one for one in titles if translate(one) == one] == []


@pytest.mark.parametrize("locale", ["en", "de", None, 7])
def test_other_languages_read_english(locale: object) -> None:
    translate = translator(locale)
    assert [translate(one) for one in all_titles()] == all_titles()
