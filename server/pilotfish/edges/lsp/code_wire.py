"""Code intelligence in the words of LSP.

Owns: the conversion of symbols, places, folds and problems.
"""

from collections.abc import Sequence
from typing import get_args

from lsprotocol import types

from pilotfish.codeintel.folding import Fold
from pilotfish.codeintel.syntax import SyntaxProblem
from pilotfish.edges.lsp.addresses import UriOf
from pilotfish.ports.code import CallLink, FileChange, Location, Position, Span, Symbol, SymbolKind

SOURCE = "pilotfish"
"""Name under which our diagnostics are shown; the client knows them by it."""

MAX_DEPTH = 40
"""Symbols within symbols that an editor is told of."""

_NUMBER = {kind: number for number, kind in enumerate(get_args(SymbolKind), start=1)}

_FOLD_KIND = {
    "comment": types.FoldingRangeKind.Comment,
    "imports": types.FoldingRangeKind.Imports,
    "region": types.FoldingRangeKind.Region,
}


def to_position(position: types.Position) -> Position:
    """Return a position of the editor as one of ours."""
    return Position(position.line, position.character)


def position(place: Position) -> types.Position:
    """Return a position."""
    return types.Position(line=place.line, character=place.character)


def range_of(span: Span) -> types.Range:
    """Return a range."""
    return types.Range(start=position(span.start), end=position(span.end))


def location(found: Location, uri_of: UriOf) -> types.Location:
    """Return a place in a file."""
    return types.Location(uri=uri_of(found.path), range=range_of(found.span))


def document_symbols(symbols: Sequence[Symbol], depth: int = 0) -> list[types.DocumentSymbol]:
    """Return a forest of symbols."""
    return [
        types.DocumentSymbol(
            name=symbol.name,
            kind=types.SymbolKind(_NUMBER[symbol.kind]),
            range=range_of(symbol.span),
            selection_range=range_of(symbol.name_span),
            detail=symbol.detail,
            children=document_symbols(symbol.children, depth + 1) if depth < MAX_DEPTH else [],
        )
        for symbol in symbols
    ]


def flat_symbols(
    symbols: Sequence[Symbol], uri: str, depth: int = 0
) -> list[types.SymbolInformation]:
    """Return the symbols of a document for an editor that knows no forest."""
    found: list[types.SymbolInformation] = []
    for symbol in symbols:
        found.append(
            types.SymbolInformation(
                name=symbol.name,
                kind=types.SymbolKind(_NUMBER[symbol.kind]),
                location=types.Location(uri=uri, range=range_of(symbol.span)),
                container_name=symbol.container or None,
            )
        )
        if depth < MAX_DEPTH:
            found += flat_symbols(symbol.children, uri, depth + 1)
    return found


def workspace_symbol(symbol: Symbol, uri_of: UriOf) -> types.WorkspaceSymbol:
    """Return a symbol of the project; its place is that of its name."""
    return types.WorkspaceSymbol(
        name=symbol.name,
        kind=types.SymbolKind(_NUMBER[symbol.kind]),
        location=types.Location(uri=uri_of(symbol.path), range=range_of(symbol.name_span)),
        container_name=symbol.container or None,
    )


def folding_range(fold: Fold) -> types.FoldingRange:
    """Return what can be folded."""
    return types.FoldingRange(
        start_line=fold.start, end_line=fold.end, kind=_FOLD_KIND.get(fold.kind)
    )


def selection_range(steps: Sequence[Span]) -> types.SelectionRange:
    """Return the ranges around a place, each the parent of the one before."""
    outer: types.SelectionRange | None = None
    for span in reversed(steps):
        outer = types.SelectionRange(range=range_of(span), parent=outer)
    assert outer is not None, "there is always the place itself"
    return outer


def workspace_edit(files: Sequence[FileChange], uri_of: UriOf) -> types.WorkspaceEdit:
    """Return what a rename changes."""
    return types.WorkspaceEdit(
        changes={
            uri_of(file.path): [
                types.TextEdit(range=range_of(change.span), new_text=change.new_text)
                for change in file.changes
            ]
            for file in files
        }
    )


def diagnostic(problem: SyntaxProblem) -> types.Diagnostic:
    """Return what does not parse."""
    return types.Diagnostic(
        range=range_of(problem.span),
        message=problem.message,
        severity=types.DiagnosticSeverity.Error,
        source=SOURCE,
        code="syntax",
    )


def call_item(symbol: Symbol, uri_of: UriOf) -> types.CallHierarchyItem:
    """Return a function of the call hierarchy."""
    return types.CallHierarchyItem(
        name=symbol.name,
        kind=types.SymbolKind(_NUMBER[symbol.kind]),
        uri=uri_of(symbol.path),
        range=range_of(symbol.span),
        selection_range=range_of(symbol.name_span),
        detail=symbol.container or None,
    )


def incoming_call(link: CallLink, uri_of: UriOf) -> types.CallHierarchyIncomingCall:
    """Return who calls."""
    return types.CallHierarchyIncomingCall(
        from_=call_item(link.symbol, uri_of), from_ranges=[range_of(span) for span in link.sites]
    )


def outgoing_call(link: CallLink, uri_of: UriOf) -> types.CallHierarchyOutgoingCall:
    """Return what is called."""
    return types.CallHierarchyOutgoingCall(
        to=call_item(link.symbol, uri_of), from_ranges=[range_of(span) for span in link.sites]
    )
