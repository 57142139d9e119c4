"""Code lenses: Ask, Edit, Explain, Document and Test over each symbol of a document.

Owns: which symbols have them and what they send. They are off unless the user switches them on.
Does not own: outlines (``edges.lsp.outlines``).
"""

from collections.abc import Iterator, Sequence

from lsprotocol import types

from pilotfish.edges.localise import Translate, english
from pilotfish.edges.lsp.prompt_places import (
    START_PROMPT,
    TASKS,
    Task,
    prompt_argument,
    range_of,
    symbol_of,
)
from pilotfish.ports.code import Symbol, SymbolKind

MAX_SYMBOLS = 300
"""Symbols of one document that have lenses; a file with more is generated."""

_WITH_PARTS: frozenset[SymbolKind] = frozenset({"class", "interface", "struct", "enum", "module"})
_CODE: frozenset[SymbolKind] = frozenset({"function", "method", "constructor"})

_LENSES: tuple[tuple[str, Task], ...] = (
    ("Ask Pilotfish", "ask"),
    ("Edit", "edit"),
    ("Explain", "explain"),
    ("Document", "document"),
    ("Test", "test"),
)


def code_lenses(
    uri: str, symbols: Sequence[Symbol], translate: Translate = english
) -> list[types.CodeLens]:
    """Return the lenses of a document with these symbols."""
    found: list[types.CodeLens] = []
    for count, chain in enumerate(_with_lenses(symbols, ())):
        if count >= MAX_SYMBOLS:
            break
        symbol = chain[-1]
        place = symbol_of(uri, chain)
        for title, task in _LENSES:
            argument = prompt_argument(TASKS[task], place, uri, range_of(symbol.span))
            command = types.Command(
                title=translate(title), command=START_PROMPT, arguments=[argument]
            )
            found.append(types.CodeLens(range=range_of(symbol.name_span), command=command))
    return found


def _with_lenses(
    symbols: Sequence[Symbol], around: tuple[Symbol, ...]
) -> Iterator[tuple[Symbol, ...]]:
    """Walk down to functions and methods; what lies in a function is a part of it."""
    for symbol in symbols:
        chain = (*around, symbol)
        if symbol.kind in _CODE or symbol.kind in _WITH_PARTS:
            yield chain
        if symbol.kind not in _CODE:
            yield from _with_lenses(symbol.children, chain)
