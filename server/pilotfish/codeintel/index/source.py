"""What the index answers; implements ``ports.code.CodeSource``.

Owns: putting answers together from views of files, rows of the database and names in memory.
Does not own: what a name means (``resolve``), keeping the index (``workspace_index``).

Answers are by name: where several definitions are as likely, all of them are told. Unsaved text counts.
"""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from typing_extensions import override

from pilotfish.codeintel.index.calls import incoming_calls, outgoing_calls
from pilotfish.codeintel.index.fuzzy import Rank, compile_query, fold_query, rank_by
from pilotfish.codeintel.index.hub import IndexHub
from pilotfish.codeintel.index.lookup import Lookup, open_symbols
from pilotfish.codeintel.index.rows import FoundSymbol, symbols_named
from pilotfish.codeintel.index.views import FileViews
from pilotfish.codeintel.index.workspace_index import WorkspaceIndex
from pilotfish.codeintel.silent_source import SilentSource
from pilotfish.ports.code import (
    CallDirection,
    CallLink,
    FileChange,
    LocateKind,
    Location,
    Position,
    Symbol,
)
from pilotfish.ports.editor import EditorPort

WAIT_S = 2.0
"""How long a question waits for an index that is just being made."""

TIME_LIMIT_S = 5.0
"""How long a question may take."""

_half_built: ContextVar[frozenset[Path]] = ContextVar("_half_built", default=frozenset())
"""Folders whose index was not whole when the running task asked last: each task hears of its own answer,
whoever else asks meanwhile."""

_failed: ContextVar[Mapping[Path, str]] = ContextVar("_failed", default=MappingProxyType({}))
"""The same for folders whose index is kept no longer, and why: what it still answers may be of old."""

_KIND_ORDER = {
    kind: at
    for at, kind in enumerate(
        ("class", "interface", "struct", "enum", "module", "namespace", "function", "method",
         "constructor", "constant", "property", "field", "variable")
    )
}  # fmt: skip
"""Which of several things with one name people most likely look for."""


class _Place(NamedTuple):
    """A file in its index."""

    lookup: Lookup
    path: str
    """Relative to the folder of the index."""


class IndexSource(SilentSource):
    """Answers from the indexes of a hub.

    It never renames: names alone do not tell which uses mean the same thing.
    """

    name = "the workspace index"

    def __init__(self, hub: IndexHub, editor: EditorPort) -> None:
        self._hub = hub
        self._editor = editor
        self._views: dict[Path, FileViews] = {}

    async def locate(
        self, kind: LocateKind, path: Path, position: Position
    ) -> Sequence[Location] | None:
        """Find definitions or references by name and scope."""
        if kind not in {"definition", "references"}:
            return _not_asked()
        place = await self._place(path)
        if place is None:
            return None
        try:
            async with asyncio.timeout(TIME_LIMIT_S):
                if kind == "definition":
                    return await place.lookup.definitions(place.path, position)
                return await place.lookup.references(place.path, position)
        except TimeoutError:
            return None

    async def hover(self, path: Path, position: Position) -> str | None:
        """Return signature and documentation of what the name at a position means."""
        place = await self._place(path)
        if place is None:
            return None
        try:
            async with asyncio.timeout(TIME_LIMIT_S):
                return await place.lookup.hover(place.path, position)
        except TimeoutError:
            return None

    @override
    async def document_symbols(self, path: Path) -> Sequence[Symbol] | None:
        """Leave it to the syntax of the document."""
        return _not_asked()

    async def workspace_symbols(self, query: str, limit: int) -> Sequence[Symbol] | None:
        """Find symbols by a part of their name, best first; folders take turns where they are as good."""
        indexes = self._hub.indexes()
        usable = await self._usable(indexes)
        if not any(usable):
            return None
        ranks = _Ranks(query)
        found: list[tuple[_Turn, Path, FoundSymbol]] = []
        for index, is_usable in zip(indexes, usable, strict=True):
            if is_usable:
                symbols = await _symbols(index, self._views_of(index), query, limit)
                turns = _turns(ranks, symbols)
                found += [(turn, index.root, one) for turn, one in turns]
        found.sort(key=lambda each: each[0])
        return [to_symbol(root, one) for _, root, one in found[:limit]]

    async def calls(
        self, direction: CallDirection, path: Path, position: Position
    ) -> Sequence[CallLink] | None:
        """Return calls by name: who calls the function at a position, or what it calls."""
        place = await self._place(path)
        if place is None:
            return None
        ask = incoming_calls if direction == "incoming" else outgoing_calls
        try:
            async with asyncio.timeout(TIME_LIMIT_S):
                return await ask(place.lookup, place.path, position)
        except TimeoutError:
            return None

    @override
    async def rename(
        self,
        path: Path,
        position: Position,
        new_name: str,
    ) -> Sequence[FileChange] | None:
        """Rename nothing, now or later: it is no use to wait for a whole index."""
        return _not_asked()

    async def loading(self, path: Path | None) -> Sequence[str]:
        """Tell whether it has just answered whoever asks this from an index that was not whole."""
        index = None if path is None else self._hub.index_of(path)
        asked = _half_built.get()
        if path is not None:
            asked &= {index.root} if index else set[Path]()
        _half_built.set(frozenset())
        return (self.name,) if asked else ()

    async def failures(self, path: Path | None) -> Sequence[str]:
        """Say which of the indexes that whoever asks this has just asked are kept no longer, and why."""
        index = None if path is None else self._hub.index_of(path)
        roots = None if path is None else {index.root} if index else set[Path]()
        failed = _failed.get()
        _failed.set({})
        several = len(self._hub.indexes()) > 1
        return [
            f"{self.name}{f' of {root.name}' if several else ''} has failed: {why}"
            for root, why in failed.items()
            if roots is None or root in roots
        ]

    async def _usable(self, indexes: Iterable[WorkspaceIndex]) -> list[bool]:
        """Wait until indexes can be asked, and take note of which are not whole or have failed."""
        asked = list(indexes)
        usable = await asyncio.gather(*(index.usable(WAIT_S) for index in asked))
        half_built = await asyncio.gather(*(index.is_half_built() for index in asked))
        partly = (one.root for one, is_so in zip(asked, half_built, strict=True) if is_so)
        _half_built.set(frozenset(partly))
        _failed.set({one.root: one.failure for one in asked if one.failure})
        return usable

    async def _place(self, path: Path) -> _Place | None:
        index = self._hub.index_of(path)
        if index is None or not all(await self._usable([index])):
            return None
        views = self._views_of(index)
        relative = PurePosixPath(*path.parts[len(index.root.parts) :]).as_posix()
        return _Place(Lookup(index, views), relative)

    def _views_of(self, index: WorkspaceIndex) -> FileViews:
        if index.root not in self._views:
            self._views[index.root] = FileViews(index.root, self._editor)
        return self._views[index.root]


def _not_asked() -> None:
    """Leave a question to others: no index is too young for it, and that one failed is no reason."""
    _half_built.set(frozenset())
    _failed.set({})


async def _symbols(
    index: WorkspaceIndex, views: FileViews, query: str, limit: int
) -> list[FoundSymbol]:
    try:
        # Some names may have gone since: ask for more than will be told.
        names = await index.names.search(query, limit * 2)
    except sqlite3.Error:
        names = []
    known = await index.ask(lambda reader: symbols_named(reader, names, limit * 4)) or []
    found = [one for one in known if not views.is_open(one.path)]
    ranks = _Ranks(query)
    return found + await open_symbols(views, lambda name: ranks.of(name) is not None)


class _Ranks:
    """How names answer one query."""

    def __init__(self, query: str) -> None:
        self.query = query
        self._wanted = fold_query(query)
        self._patterns = compile_query(self._wanted)

    def of(self, name: str) -> Rank | None:
        return rank_by(self._patterns, self._wanted, name)


_Importance = tuple[int, bool, int, str, int, int, str, int]
_Turn = tuple[int, int, _Importance]
"""The rank, how many of the same folder and rank come before, and what decides where that is equal."""


def _turns(ranks: _Ranks, symbols: Sequence[FoundSymbol]) -> Iterator[tuple[_Turn, FoundSymbol]]:
    """Yield the symbols of one folder with their turns."""
    ordered = sorted((_importance(ranks, one), at) for at, one in enumerate(symbols))
    before: Counter[int] = Counter()
    for importance, at in ordered:
        rank = importance[0]
        yield (rank, before[rank], importance), symbols[at]
        before[rank] += 1


def _importance(ranks: _Ranks, one: FoundSymbol) -> _Importance:
    definition = one.definition
    name = definition.name
    return (
        ranks.of(name) or 0,
        name != ranks.query,
        len(name),
        name,
        _KIND_ORDER.get(definition.kind, len(_KIND_ORDER)),
        one.path.count("/"),
        one.path,
        one.number,
    )


def to_symbol(root: Path, one: FoundSymbol) -> Symbol:
    """Return a definition of the index as others see it."""
    definition = one.definition
    return Symbol(
        name=definition.name,
        kind=definition.kind,
        path=root / one.path,
        span=definition.span,
        name_span=definition.name_span,
        container=one.container,
        detail=definition.signature,
    )
