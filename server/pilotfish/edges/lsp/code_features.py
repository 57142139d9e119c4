"""Code intelligence for the editor: what LSP asks of a language server.

Owns: the handlers for symbols, folding, selection, definition, references, hover, calls and renames.
Does not own: diagnostics (``edges.lsp.code_diagnostics``), who knows the answers
(``codeintel.document_features``, ``codeintel.sources``), for whom they are (``edges.lsp.feature_gate``),
how the editor is told of the handlers (``edges.lsp.code_registration``).
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from pilotfish.codeintel.document_features import DocumentFeatures, DocumentText
from pilotfish.codeintel.sources import CodeSources
from pilotfish.edges.lsp import code_wire
from pilotfish.edges.lsp.addresses import Spelling, UriOf, path_of, real_path_of, uri_of
from pilotfish.edges.lsp.client_facts import roots_of
from pilotfish.edges.lsp.documents import open_document
from pilotfish.edges.lsp.feature_gate import FeatureGate
from pilotfish.ports.code import CallDirection, CallLink, LocateKind, Location

MAX_LOCATIONS = 1_000
"""Places in one answer."""

MAX_WORKSPACE_SYMBOLS = 200
"""Symbols in one answer to a search; the editor asks again with every letter."""


class _PlaceParams(Protocol):
    """What all questions about a place have."""

    @property
    def text_document(self) -> types.TextDocumentIdentifier: ...
    @property
    def position(self) -> types.Position: ...


class CodeFeatures:
    """Answers the editor about open documents and the project."""

    def __init__(
        self,
        server: LanguageServer,
        sources: Callable[[], CodeSources | None],
        gate: FeatureGate,
        is_asked_back: Callable[[str | None], bool],
        *,
        knows_forests: bool,
    ) -> None:
        self.documents = DocumentFeatures()
        """What reads the open documents."""
        self._server = server
        self._sources = sources
        self._gate = gate
        self._is_asked_back = is_asked_back
        self._knows_forests = knows_forests
        self._spelling = Spelling()

    def register(self) -> None:
        """Make the handlers known to the server."""
        handlers: dict[str, Callable[[Any], Awaitable[Any]]] = {
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: self.document_symbols,
            types.TEXT_DOCUMENT_FOLDING_RANGE: self.folding,
            types.TEXT_DOCUMENT_SELECTION_RANGE: self.selection,
            types.TEXT_DOCUMENT_DEFINITION: self.definition,
            types.TEXT_DOCUMENT_REFERENCES: self.references,
            types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: self.prepare_calls,
            types.CALL_HIERARCHY_INCOMING_CALLS: self.incoming_calls,
            types.CALL_HIERARCHY_OUTGOING_CALLS: self.outgoing_calls,
            types.TEXT_DOCUMENT_RENAME: self.rename,
            types.WORKSPACE_SYMBOL: self.workspace_symbols,
        }
        for method, handler in handlers.items():
            self._server.feature(method)(as_function(handler))

    def text_of(self, uri: str) -> DocumentText | None:
        """Return an open document that we may speak about, as it is now; else None."""
        document = open_document(self._server.workspace, uri)
        if document is None or not self._gate.serves(document.language_id):
            return None
        if self._is_asked_back(uri):
            return None
        return _text_of(uri, document)

    async def document_symbols(
        self, params: types.DocumentSymbolParams
    ) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
        """Answer ``textDocument/documentSymbol``."""
        document = self.text_of(params.text_document.uri)
        found = None if document is None else await self.documents.symbols(document)
        if found is None:
            return None
        if self._knows_forests:
            return code_wire.document_symbols(found)
        return code_wire.flat_symbols(found, params.text_document.uri)

    async def folding(self, params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
        """Answer ``textDocument/foldingRange``."""
        document = self.text_of(params.text_document.uri)
        found = None if document is None else await self.documents.folds(document)
        return None if found is None else [code_wire.folding_range(fold) for fold in found]

    async def selection(
        self, params: types.SelectionRangeParams
    ) -> list[types.SelectionRange] | None:
        """Answer ``textDocument/selectionRange``."""
        document = self.text_of(params.text_document.uri)
        if document is None:
            return None
        places = [code_wire.to_position(place) for place in params.positions]
        found = await self.documents.selections(document, places)
        return None if found is None else [code_wire.selection_range(steps) for steps in found]

    async def definition(self, params: types.DefinitionParams) -> list[types.Location] | None:
        """Answer ``textDocument/definition``."""
        return await self._locations(await self._locate("definition", params))

    async def references(self, params: types.ReferenceParams) -> list[types.Location] | None:
        """Answer ``textDocument/references``; sources always tell the declaration, too."""
        found = await self._locate("references", params)
        if found is None or params.context.include_declaration:
            return await self._locations(found)
        declared = await self._locate("definition", params) or []
        return await self._locations([place for place in found if place not in declared])

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Answer ``textDocument/hover``."""
        place, sources = await self._place(params), self._sources()
        if place is None or sources is None:
            return None
        told = await sources.hover(place, code_wire.to_position(params.position))
        if told is None or not told.answer:
            return None
        content = types.MarkupContent(kind=types.MarkupKind.Markdown, value=told.answer)
        return types.Hover(contents=content)

    async def prepare_calls(
        self, params: types.CallHierarchyPrepareParams
    ) -> list[types.CallHierarchyItem] | None:
        """Answer ``textDocument/prepareCallHierarchy`` with what is defined under that name."""
        found = await self._locate("definition", params)
        items: list[types.CallHierarchyItem] = []
        for place in found or []:
            item = await self._function_at(place)
            if item is not None:
                items.append(item)
        return items or None

    async def incoming_calls(
        self, params: types.CallHierarchyIncomingCallsParams
    ) -> list[types.CallHierarchyIncomingCall] | None:
        """Answer ``callHierarchy/incomingCalls``."""
        links, addressed = await self._calls("incoming", params.item), await self._uri_of()
        if links is None:
            return None
        return [code_wire.incoming_call(link, addressed) for link in links]

    async def outgoing_calls(
        self, params: types.CallHierarchyOutgoingCallsParams
    ) -> list[types.CallHierarchyOutgoingCall] | None:
        """Answer ``callHierarchy/outgoingCalls``."""
        links, addressed = await self._calls("outgoing", params.item), await self._uri_of()
        if links is None:
            return None
        return [code_wire.outgoing_call(link, addressed) for link in links]

    async def rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        """Answer ``textDocument/rename``; nothing where no server of ours knows the language."""
        path, sources = await self._place(params), self._sources()
        if path is None or sources is None:
            return None
        told = await sources.rename(path, code_wire.to_position(params.position), params.new_name)
        return None if told is None else code_wire.workspace_edit(told.answer, await self._uri_of())

    async def workspace_symbols(
        self, params: types.WorkspaceSymbolParams
    ) -> list[types.WorkspaceSymbol] | None:
        """Answer ``workspace/symbol``; symbols of files that others serve are left out."""
        sources = self._sources()
        if sources is None or not self._gate.serves_any or self._is_asked_back(None):
            return None
        told = await sources.workspace_symbols(params.query, MAX_WORKSPACE_SYMBOLS)
        if told is None:
            return None
        addressed = await self._uri_of()
        return [
            code_wire.workspace_symbol(symbol, addressed)
            for symbol in told.answer
            if self._gate.serves_file(symbol.path)
        ]

    async def _locate(self, kind: LocateKind, params: _PlaceParams) -> list[Location] | None:
        path, sources = await self._place(params), self._sources()
        if path is None or sources is None:
            return None
        told = await sources.locate(kind, path, code_wire.to_position(params.position))
        return None if told is None else list(told.answer)

    async def _calls(
        self, direction: CallDirection, item: types.CallHierarchyItem
    ) -> list[CallLink] | None:
        path, sources = await asyncio.to_thread(real_path_of, item.uri), self._sources()
        if path is None or sources is None:
            return None
        place = code_wire.to_position(item.selection_range.start)
        told = await sources.calls(direction, path, place)
        return None if told is None else list(told.answer)

    async def _function_at(self, place: Location) -> types.CallHierarchyItem | None:
        sources = self._sources()
        told = None if sources is None else await sources.document_symbols(place.path)
        pending = list(told.answer) if told is not None else []
        while pending:
            symbol = pending.pop()
            # A language server may mean the whole of it, where the index means its name.
            if place.span.start in (symbol.name_span.start, symbol.span.start):
                return code_wire.call_item(symbol, await self._uri_of())
            pending += symbol.children
        return None

    async def _place(self, params: _PlaceParams) -> Path | None:
        """Return the path of a document that we may speak about; else None."""
        uri = params.text_document.uri
        return None if self.text_of(uri) is None else await asyncio.to_thread(real_path_of, uri)

    async def _locations(self, found: list[Location] | None) -> list[types.Location] | None:
        if found is None:
            return None
        addressed = await self._uri_of()
        return [code_wire.location(one, addressed) for one in found[:MAX_LOCATIONS]]

    async def _uri_of(self) -> UriOf:
        """Return what addresses files as the editor does: an open document means itself."""
        spelled = await self._spelling.below(roots_of(self._server))

        def addressed(path: Path) -> str:
            uri = uri_of(path)
            is_open = open_document(self._server.workspace, uri) is not None
            return uri if is_open else spelled(path)

        return addressed


def as_function(handler: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
    """Return a method as a function: pygls writes on what it registers, which a method does not allow."""

    async def call(params: Any) -> Any:
        return await handler(params)

    return call


def _text_of(uri: str, document: TextDocument) -> DocumentText:
    path = path_of(uri)
    return DocumentText(
        key=uri,
        path=path if path is not None else Path(uri.rsplit("/", 1)[-1]),
        language_id=document.language_id or "",
        text=document.source,
    )
