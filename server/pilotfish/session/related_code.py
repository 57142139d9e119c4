"""Code that belongs to a symbol: who calls or uses it, and what it uses itself.

Owns: which of it a prompt about the symbol takes along, as one line for each place.
Does not own: who knows code (``codeintel.sources``), what rules hide (``session.rules_desk``).

What lies outside the project's folders, and what a rule hides from the model, is not told.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from pilotfish.codeintel.sources import CodeSources, Told
from pilotfish.core.errors import WorkspaceError
from pilotfish.ports.code import CallLink, Location, Symbol, SymbolKind
from pilotfish.ports.editor import EditorPort
from pilotfish.session.rules_desk import Place, RulesDesk
from pilotfish.tools.lsp_answers import one_line
from pilotfish.util.real_path import real_path
from pilotfish.util.records import dataclass
from pilotfish.workspace.text_file import decode

LIMIT_S = 2.0
"""How long all of it may take; a prompt waits for it."""

MAX_PLACES = 8
"""Places of each kind; the model finds the rest by itself."""

MAX_CONSIDERED = 200
"""Answers that are looked at, those that are not told among them."""

MAX_LINE_CHARS = 160
"""Longest line of code that is told of a place."""

MAX_FILE_BYTES = 1_000_000
"""Of larger files only the place is told."""

_CODE: frozenset[SymbolKind] = frozenset({"function", "method", "constructor"})

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class RelatedPlace:
    """One place that has to do with a symbol."""

    path: Path
    line: int
    """From 1."""
    symbol: str
    """What stands or is called there, as ``function `main```; empty when that is not known."""
    text: str
    """The line of code; empty when it cannot be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Places(Generic[T]):
    """Some of many."""

    shown: tuple[T, ...] = ()
    more: int = 0
    """How many there are beside these."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Related:
    """What belongs to a symbol."""

    users: Places[RelatedPlace]
    """Who calls it, or where it is used when it cannot be called."""
    used: Places[RelatedPlace]
    """What it calls."""


class RelatedCode:
    """One for each connection."""

    def __init__(self, code: CodeSources, rules: RulesDesk, editor: EditorPort) -> None:
        """Set it up.

        Args:
            code: Who is asked, best first.
            rules: Says which folders are the project's, and what is hidden in them.
            editor: Holds the documents that are open; what is not saved counts.
        """
        self._code = code
        self._rules = rules
        self._editor = editor

    async def of(self, place: Place, symbol: Symbol) -> Related:
        """Return what belongs to a symbol, as far as that is known in time."""
        path, at = symbol.path, symbol.name_span.start
        outgoing: Sequence[CallLink] | None = None
        if symbol.kind in _CODE:
            incoming, outgoing = await asyncio.gather(
                _in_time(self._code.calls("incoming", path, at)),
                _in_time(self._code.calls("outgoing", path, at)),
            )
            users = [] if incoming is None else [_caller(each) for each in incoming]
        else:
            found = await _in_time(self._code.locate("references", path, at))
            users = [] if found is None else [_use(each) for each in found]
        used = [] if outgoing is None else [_called(each) for each in outgoing]
        own = frozenset({path, await asyncio.to_thread(real_path, path)})
        shown = [each for each in users[:MAX_CONSIDERED] if not _is_inside(each, symbol, own)]
        others = [each for each in used[:MAX_CONSIDERED] if not _is_inside(each, symbol, own)]
        return Related(users=await self._told(place, shown), used=await self._told(place, others))

    async def _told(self, place: Place, found: Sequence[RelatedPlace]) -> Places[RelatedPlace]:
        roots = await asyncio.to_thread(self._rules.roots_of, place)
        unique = list({(each.path, each.line): each for each in found}.values())
        ours = [each for each in unique if any(each.path.is_relative_to(one) for one in roots)]
        hidden = await self._rules.hidden_files(place, {each.path for each in ours})
        known = [each for each in ours if each.path not in hidden]
        texts: dict[Path, Sequence[str]] = {}
        shown: list[RelatedPlace] = []
        for each in known[:MAX_PLACES]:
            if each.path not in texts:
                texts[each.path] = await self._lines_of(each.path)
            shown.append(_with_text(each, texts[each.path]))
        return Places(shown=tuple(shown), more=len(known) - len(shown))

    async def _lines_of(self, path: Path) -> Sequence[str]:
        document = self._editor.document(path)
        if document is not None:
            return document.text.split("\n")
        return await asyncio.to_thread(_read_lines, path)


async def _in_time(asked: Awaitable[Told[Sequence[T]] | None]) -> Sequence[T] | None:
    try:
        async with asyncio.timeout(LIMIT_S):
            told = await asked
    except TimeoutError:
        return None
    return None if told is None else told.answer


def _caller(link: CallLink) -> RelatedPlace:
    """Where a caller calls."""
    first = min((site.start.line for site in link.sites), default=link.symbol.name_span.start.line)
    return RelatedPlace(
        path=link.symbol.path, line=first + 1, symbol=f"in {_titled(link.symbol)}", text=""
    )


def _called(link: CallLink) -> RelatedPlace:
    """Where something that is called stands."""
    line = link.symbol.name_span.start.line + 1
    return RelatedPlace(path=link.symbol.path, line=line, symbol=_titled(link.symbol), text="")


def _use(place: Location) -> RelatedPlace:
    return RelatedPlace(path=place.path, line=place.span.start.line + 1, symbol="", text="")


def _titled(symbol: Symbol) -> str:
    name = f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
    return one_line(f"{symbol.kind.replace('_', ' ')} `{name}`", MAX_LINE_CHARS)


def _is_inside(place: RelatedPlace, symbol: Symbol, own: frozenset[Path]) -> bool:
    """Whether it is the symbol itself or a part of it, which the prompt holds anyway."""
    span = symbol.span
    return place.path in own and span.start.line < place.line <= span.end.line + 1


def _with_text(place: RelatedPlace, lines: Sequence[str]) -> RelatedPlace:
    text = lines[place.line - 1] if place.line <= len(lines) else ""
    return RelatedPlace(
        path=place.path,
        line=place.line,
        symbol=place.symbol,
        text=one_line(text, MAX_LINE_CHARS),
    )


def _read_lines(path: Path) -> Sequence[str]:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return ()
        return decode(path.read_bytes(), path.name)[0].split("\n")
    except (OSError, WorkspaceError):
        return ()
