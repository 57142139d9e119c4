"""Outlines of open documents, for code actions and code lenses.

Owns: the symbols of each document by its syntax, at once and without asking anybody, and keeping
them for a version of the text.
Does not own: extraction (``codeintel.symbols``).
"""

import asyncio
from collections import OrderedDict
from pathlib import Path

from pygls.lsp.server import LanguageServer

from pilotfish.codeintel.languages import FIRST_LINE_CHARS, grammar_of
from pilotfish.codeintel.symbols import document_forest, extract_facts
from pilotfish.edges.lsp.addresses import path_of
from pilotfish.ports.code import Symbol

MAX_KEPT = 20
"""Documents whose outline is kept; a person looks at a few at a time."""

LIMIT_S = 0.5
"""How long parsing may take; a light bulb must not keep anybody waiting."""


class Outlines:
    """The outlines of one connection's documents."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._kept: OrderedDict[str, tuple[int | None, tuple[Symbol, ...]]] = OrderedDict()

    async def of(self, uri: str) -> tuple[Symbol, ...]:
        """Return a document's symbols; none when it is not open or its language is not known."""
        document = self._server.workspace.text_documents.get(uri)
        path = path_of(uri)
        if document is None or path is None:
            return ()
        kept = self._kept.get(uri)
        if kept is not None and kept[0] == document.version:
            return kept[1]
        version, text = document.version, document.source
        symbols = await asyncio.to_thread(_symbols, path, text)
        self._kept[uri] = version, symbols
        self._kept.move_to_end(uri)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return symbols

    def closed(self, uri: str) -> None:
        """Forget a closed document."""
        self._kept.pop(uri, None)


def _symbols(path: Path, text: str) -> tuple[Symbol, ...]:
    language = grammar_of(path, text[:FIRST_LINE_CHARS])
    if language is None:
        return ()
    return document_forest(extract_facts(language, text, limit_s=LIMIT_S), path)
