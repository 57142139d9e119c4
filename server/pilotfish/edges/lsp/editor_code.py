"""What the editor's own language servers know of code.

Owns: ``ports.code.CodeSource`` over ``_pilotfish/editor/{locate,hover,symbols,hierarchy,rename}``.
Does not own: which source is asked first (``codeintel.sources``), what becomes of the answers.

An editor that answers nonsense, too late or not at all counts as one that knows nothing.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import ValidationError
from pygls import uris
from typing_extensions import override

from pilotfish.edges.channel import ChannelError, describe_invalid
from pilotfish.edges.lsp.addresses import path_of, real_path_of
from pilotfish.edges.peer import Peer
from pilotfish.ports.code import (
    CallDirection,
    CallLink,
    CodeSource,
    FileChange,
    LocateKind,
    Location,
    Position,
    Span,
    Symbol,
    SymbolKind,
    TextChange,
)
from pilotfish.wire import methods
from pilotfish.wire.base import WireModel
from pilotfish.wire.editor import (
    EditorRange,
    HierarchyParams,
    HierarchyResponse,
    HoverResponse,
    LocateParams,
    LocateResponse,
    PlaceParams,
    RenameParams,
    RenameResponse,
    SymbolEntry,
    SymbolsParams,
    SymbolsResponse,
)
from pilotfish.wire.method import Method

logger = logging.getLogger(__name__)

LIMIT_S = 8.0
"""How long the editor may take for an answer; a language server that it starts takes most of that."""

RENAME_LIMIT_S = 15.0
"""How long the editor may take to work out a rename."""

GRACE_S = 0.5
"""What the way there and back may take on top."""

MAX_RESULTS = 1_000
"""Places or symbols in one answer."""

MAX_CHANGES = 20_000
"""Places in one rename; a source that finds more is told apart from one that fits."""

_KINDS: tuple[SymbolKind, ...] = get_args(SymbolKind)

ResponseT = TypeVar("ResponseT", bound=WireModel)
T = TypeVar("T")


class EditorCode(CodeSource):
    """The connected editor as a source of code intelligence."""

    name = "the editor's language servers"

    def __init__(self, peer: Callable[[], Peer]) -> None:
        self._peer = peer
        self._asking: Counter[str | None] = Counter()

    def is_asking(self, uri: str | None) -> bool:
        """Tell whether a question about a document (None: the project) waits for the editor's answer.

        What the editor asks of this server meanwhile, it asks on our own behalf.
        """
        path = None if uri is None else named_path(uri)
        return any(
            count > 0 and (None if one is None else named_path(one)) == path
            for one, count in self._asking.items()
        )

    async def locate(
        self, kind: LocateKind, path: Path, position: Position
    ) -> Sequence[Location] | None:
        """Find what belongs to the symbol at a position."""
        params = LocateParams(kind=kind, **_place(path, position))
        answer = await self._ask(methods.EDITOR_LOCATE, params, LocateResponse)
        if answer is None or not answer.known:
            return None
        return await asyncio.to_thread(_locations, answer)

    async def hover(self, path: Path, position: Position) -> str | None:
        """Return signature and documentation of the symbol at a position."""
        params = PlaceParams(**_place(path, position))
        answer = await self._ask(methods.EDITOR_HOVER, params, HoverResponse)
        return None if answer is None or not answer.known else answer.text

    async def document_symbols(self, path: Path) -> Sequence[Symbol] | None:
        """Return the symbols of a file as a forest."""
        params = SymbolsParams(uri=path.as_uri(), limit=MAX_RESULTS, limit_ms=_ms(LIMIT_S))
        answer = await self._ask(methods.EDITOR_SYMBOLS, params, SymbolsResponse)
        if answer is None or not answer.known:
            return None
        entries = [(entry.depth, _symbol(entry, path)) for entry in answer.symbols[:MAX_RESULTS]]
        return _forest(entries)

    async def workspace_symbols(self, query: str, limit: int) -> Sequence[Symbol] | None:
        """Find symbols of the project by a part of their name."""
        params = SymbolsParams(query=query, limit=min(limit, MAX_RESULTS), limit_ms=_ms(LIMIT_S))
        answer = await self._ask(methods.EDITOR_SYMBOLS, params, SymbolsResponse)
        if answer is None or not answer.known:
            return None
        return await asyncio.to_thread(_symbols, answer.symbols[:MAX_RESULTS])

    async def calls(
        self, direction: CallDirection, path: Path, position: Position
    ) -> Sequence[CallLink] | None:
        """Return who calls the function at a position, or what it calls."""
        params = HierarchyParams(direction=direction, **_place(path, position))
        answer = await self._ask(methods.EDITOR_HIERARCHY, params, HierarchyResponse)
        if answer is None or not answer.known:
            return None
        return await asyncio.to_thread(_links, answer)

    @override
    async def loading(self, path: Path | None) -> Sequence[str]:
        """Return none: the editor waits for its servers by itself."""
        return ()

    @override
    async def failures(self, path: Path | None) -> Sequence[str]:
        """Return none: the editor tells its user by itself."""
        return ()

    async def rename(
        self, path: Path, position: Position, new_name: str
    ) -> Sequence[FileChange] | None:
        """Work out a rename of the symbol at a position."""
        place = _place(path, position, limit=MAX_CHANGES, limit_s=RENAME_LIMIT_S)
        params = RenameParams(new_name=new_name, **place)
        answer = await self._ask(
            methods.EDITOR_RENAME, params, RenameResponse, limit_s=RENAME_LIMIT_S
        )
        # Half of a rename would break the project: one that moves files is not for us.
        if answer is None or not answer.known or answer.other_operations:
            return None
        return await asyncio.to_thread(_file_changes, answer)

    async def _ask(
        self,
        method: Method,
        params: WireModel,
        response: type[ResponseT],
        *,
        limit_s: float = LIMIT_S,
    ) -> ResponseT | None:
        uri: str | None = getattr(params, "uri", None)
        self._asking[uri] += 1
        try:
            async with asyncio.timeout(limit_s + GRACE_S):
                answer = await self._peer().ask(method.name, params.model_dump(by_alias=True))
            return await asyncio.to_thread(response.model_validate, answer)
        except TimeoutError:
            logger.warning("the editor did not answer %s in time", method.name)
        except ChannelError as error:
            logger.warning("the editor did not answer %s: %s", method.name, error)
        except ValidationError as error:
            logger.warning("%s", describe_invalid(f"the answer to {method.name}", error))
        finally:
            self._asking[uri] -= 1
            self._asking += Counter[str | None]()  # drops what is not asked any more
        return None


def _place(
    path: Path, position: Position, *, limit: int = MAX_RESULTS, limit_s: float = LIMIT_S
) -> dict[str, Any]:
    return {
        "uri": path.as_uri(),
        "line": position.line,
        "character": position.character,
        "limit": limit,
        "limit_ms": _ms(limit_s),
    }


def named_path(uri: str) -> str:
    """Return a document's path as it is named: editors escape addresses in ways of their own."""
    return uris.to_fs_path(uri) or uri


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _span(found: EditorRange) -> Span:
    """Return a range; numbers that cannot be count as 0."""
    return Span(
        Position(max(0, found.start_line), max(0, found.start_character)),
        Position(max(0, found.end_line), max(0, found.end_character)),
    )


class _Paths:
    """Real paths of the documents of one answer. Blocking."""

    def __init__(self) -> None:
        self._known: dict[str, Path | None] = {}

    def of(self, uri: str) -> Path | None:
        """Return a document's path; None when it is no file."""
        if uri not in self._known:
            self._known[uri] = _path_of(uri)
        return self._known[uri]


def _path_of(uri: str) -> Path | None:
    named = path_of(uri)
    return None if named is None or not named.is_absolute() else real_path_of(uri)


def _locations(answer: LocateResponse) -> list[Location]:
    paths = _Paths()
    found = ((paths.of(one.uri), one.range) for one in answer.locations[:MAX_RESULTS])
    return [Location(path, _span(each)) for path, each in found if path is not None]


def _symbol(entry: SymbolEntry, path: Path) -> Symbol:
    kind = _KINDS[entry.kind - 1] if 1 <= entry.kind <= len(_KINDS) else "variable"
    return Symbol(
        name=entry.name,
        kind=kind,
        path=path,
        span=_span(entry.range),
        name_span=_span(entry.name_range),
        container=entry.container,
        detail=entry.detail,
    )


def _symbols(entries: Sequence[SymbolEntry]) -> list[Symbol]:
    paths = _Paths()
    found = ((paths.of(entry.uri), entry) for entry in entries)
    return [_symbol(entry, path) for path, entry in found if path is not None]


def _forest(entries: Sequence[tuple[int, Symbol]]) -> list[Symbol]:
    """Put the parts into their wholes, from the last entry to the first."""
    waiting: list[tuple[int, Symbol]] = []
    for depth, symbol in reversed(entries):
        children: list[Symbol] = []
        while waiting and waiting[-1][0] > depth:
            children.append(waiting.pop()[1])
        waiting.append((depth, replace(symbol, children=tuple(children))))
    return [symbol for _, symbol in reversed(waiting)]


def _links(answer: HierarchyResponse) -> list[CallLink]:
    paths = _Paths()
    found = ((paths.of(one.symbol.uri), one) for one in answer.calls[:MAX_RESULTS])
    return [
        CallLink(
            symbol=_symbol(one.symbol, path),
            sites=tuple(_span(site) for site in one.sites[:MAX_RESULTS]),
        )
        for path, one in found
        if path is not None
    ]


def _file_changes(answer: RenameResponse) -> list[FileChange] | None:
    """Return the changes; None when one is not of a file: the rename cannot be made whole then."""
    paths = _Paths()
    found: list[FileChange] = []
    for one in answer.documents:
        path = paths.of(one.uri)
        if path is None:
            return None
        changes = tuple(
            TextChange(span=_span(each.range), new_text=each.new_text) for each in one.changes
        )
        found.append(FileChange(path=path, changes=changes))
    return found
