"""What somebody who types a mention may mean.

Owns: files, folders and symbols of a session's or a project's folders in one order, without what rules
hide; what was looked at lately comes first.
Does not own: the names (``session.file_names``), symbols (``codeintel``), rules (``session.rules_desk``).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pilotfish.codeintel.index.fuzzy import Rank, rank
from pilotfish.codeintel.sources import CodeSources
from pilotfish.ports.code import Symbol
from pilotfish.session.file_names import FileNames
from pilotfish.session.path_table import Tier, name_of, ranked, tier_of
from pilotfish.session.rules_desk import Place, RulesDesk
from pilotfish.util.records import dataclass

SYMBOLS_WAIT_S = 0.4
"""How long symbols are waited for; an index that is just being made has none yet."""

SYMBOLS_SHARE = 3
"""One in so many of the answers is a symbol at most, while files are looked for as well."""

SYMBOLS_ONLY = "#"
"""A query that begins with it is for symbols alone."""

MORE = 8
"""So many times the answers are asked for where rules hide some."""

_SYMBOL_TIERS = {
    Rank.EXACT: Tier.NAME,
    Rank.PREFIX: Tier.NAME_BEGINS,
    Rank.WORDS: Tier.NAME_WORDS,
    Rank.SUBSEQUENCE: Tier.PATH_LETTERS,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """One thing that may be meant."""

    kind: Literal["file", "folder", "symbol"]
    path: Path
    label: str
    """Name of the file or symbol."""
    detail: str
    """Where it is, relative to its workspace folder."""
    symbol_kind: str = ""
    lines: tuple[int, int] | None = None
    """First and last line, from 1; None for all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MentionQuery:
    """What is looked for."""

    place: Place
    text: str
    limit: int
    lately: Sequence[Path] = ()
    """Files that the user has open or looked at, the latest first."""


class MentionDesk:
    """One for each process."""

    def __init__(self, names: FileNames, code: CodeSources, rules: RulesDesk) -> None:
        self._names = names
        self._code = code
        self._rules = rules

    async def complete(self, query: MentionQuery) -> list[Candidate]:
        """Return what may be meant, the best first.

        Raises:
            WorkspaceError: The folders cannot be listed.
        """
        roots = await asyncio.to_thread(self._rules.roots_of, query.place)
        query = replace(query, lately=await asyncio.to_thread(_real, query.lately))
        if query.text.startswith(SYMBOLS_ONLY):
            return await self._symbols(query, query.text[1:], roots, query.limit)
        symbols, *files = await asyncio.gather(
            self._symbols(query, query.text, roots, max(1, query.limit // SYMBOLS_SHARE)),
            *(self._files(query, root, is_own=root == roots[0]) for root in roots),
        )
        # One workspace folder may lie in another.
        distinct = {one.path: one for found in reversed(files) for one in reversed(found)}
        return _merged(query, list(reversed(distinct.values())), symbols)

    async def close(self) -> None:
        """End what goes on."""
        await self._names.close()

    async def _files(self, query: MentionQuery, root: Path, *, is_own: bool) -> list[Candidate]:
        lately = [
            one.relative_to(root).as_posix() for one in query.lately if one.is_relative_to(root)
        ]
        first = ranked(query.text, lately) if query.text else lately
        found: list[str] = []
        for limit in (query.limit, query.limit * MORE):
            names = await self._names.search(root, query.text, limit)
            both = dict.fromkeys([*first, *names])
            hidden = await self._rules.hidden_files(query.place, [root / one for one in both])
            found = [one for one in both if root / one not in hidden]
            if len(found) >= query.limit or len(names) < limit:
                break
        return [_file(root, one, is_own=is_own) for one in found[: query.limit]]

    async def _symbols(
        self, query: MentionQuery, text: str, roots: Sequence[Path], limit: int
    ) -> list[Candidate]:
        if not text:
            return []
        try:
            async with asyncio.timeout(SYMBOLS_WAIT_S):
                told = await self._code.workspace_symbols(text, limit * 2)
        except TimeoutError:
            return []
        found = [] if told is None else list(told.answer)
        hidden = await self._rules.hidden_files(query.place, {one.path for one in found})
        shown = [one for one in found if one.path not in hidden]
        rooted = ((one, _root_of(one.path, roots)) for one in shown)
        return [_symbol(one, root) for one, root in rooted if root is not None][:limit]


def _merged(
    query: MentionQuery, files: list[Candidate], symbols: list[Candidate]
) -> list[Candidate]:
    """Return both in one order; what is as good stays as it was, files first."""
    if not query.text:
        return files[: query.limit]
    lately = set(query.lately)

    def order(one: Candidate) -> tuple[int, bool]:
        if one.kind == "symbol":
            by_name = rank(query.text, one.label.rpartition(".")[2])
            return _SYMBOL_TIERS[Rank.SUBSEQUENCE if by_name is None else by_name], True
        slash = "/" if one.kind == "folder" else ""
        tier = tier_of(query.text, f"{one.detail}{slash}")
        return Tier.PATH_LETTERS if tier is None else tier, one.path not in lately

    return sorted([*files, *symbols], key=order)[: query.limit]


def _file(root: Path, relative: str, *, is_own: bool) -> Candidate:
    return Candidate(
        kind="folder" if relative.endswith("/") else "file",
        path=root / relative,
        label=name_of(relative),
        detail=f"{'' if is_own else f'{root.name}/'}{relative}".rstrip("/"),
    )


def _symbol(symbol: Symbol, root: Path) -> Candidate:
    first, last = symbol.span.start.line + 1, symbol.span.end.line + 1
    place = symbol.path.relative_to(root).as_posix()
    return Candidate(
        kind="symbol",
        path=symbol.path,
        label=f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name,
        detail=f"{place}:{first}",
        symbol_kind=symbol.kind,
        lines=(first, last),
    )


def _real(paths: Sequence[Path]) -> list[Path]:
    """Return the files among some paths, with links followed. Blocking."""
    return [path.resolve() for path in paths if path.is_file()]


def _root_of(path: Path, roots: Sequence[Path]) -> Path | None:
    return next((root for root in roots if path.is_relative_to(root)), None)
