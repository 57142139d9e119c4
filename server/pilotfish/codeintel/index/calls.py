"""Who calls whom, by name.

Owns: grouping the calls of a name by the function they stand in, and the calls in a function by name.
Does not own: what a name means (``lookup``).
"""

from collections.abc import Sequence

from pilotfish.codeintel.facts import Definition, FileFacts
from pilotfish.codeintel.index.lookup import Lookup
from pilotfish.codeintel.index.resolve import Asked
from pilotfish.codeintel.index.rows import FoundSymbol
from pilotfish.ports.code import CallLink, Position, Span, Symbol

MAX_LINKS = 200
"""Callers, or called functions, that one question is answered with."""

_CALLERS = frozenset({"function", "method", "constructor"})


async def incoming_calls(
    lookup: Lookup, path: str, position: Position
) -> Sequence[CallLink] | None:
    """Return who calls what the position names: functions, and files that do so outside of any."""
    asked = await lookup.asked(path, position)
    if asked is None:
        return None
    links: list[CallLink] = []
    for using, facts in await lookup.using(asked.name, asked.view):
        sites: dict[int, list[Span]] = {}
        for one in facts.references.named(asked.name):
            if one.role == "call":
                sites.setdefault(_caller(facts, one.span.start), []).append(one.span)
        links += [
            CallLink(symbol=_symbol_at(lookup, using, facts, at), sites=tuple(spans))
            for at, spans in sites.items()
        ]
        if len(links) >= MAX_LINKS:
            break
    return links[:MAX_LINKS]


async def outgoing_calls(
    lookup: Lookup, path: str, position: Position
) -> Sequence[CallLink] | None:
    """Return what the function at a position calls, as far as it is defined in the folder."""
    asked = await lookup.asked(path, position)
    if asked is None:
        return None
    found = await lookup.meanings(asked)
    if not found:
        return []
    view = await lookup.view(found[0].path)
    if view is None:
        return []
    around = found[0].definition.span
    sites: dict[str, list[Span]] = {}
    for one in view.facts.references:
        if one.role == "call" and around.start <= one.span.start < around.end:
            sites.setdefault(one.name, []).append(one.span)
    links: list[CallLink] = []
    for name, spans in list(sites.items())[:MAX_LINKS]:
        called = await lookup.meanings(Asked(view, name, spans[0]))
        if called:
            links.append(CallLink(symbol=_as_symbol(lookup, called[0]), sites=tuple(spans)))
    return links


def _caller(facts: FileFacts, position: Position) -> int:
    """Return the innermost function around a position; -1 outside of any."""
    inner = -1
    for at, one in enumerate(facts.definitions):
        if one.span.start > position:
            break
        if position < one.span.end and one.kind in _CALLERS:
            inner = at
    return inner


def _symbol_at(lookup: Lookup, path: str, facts: FileFacts, at: int) -> Symbol:
    if at < 0:
        start = Span(Position(0, 0), Position(0, 0))
        return Symbol(
            name=path.rpartition("/")[2],
            kind="file",
            path=lookup.root / path,
            span=start,
            name_span=start,
        )
    one = facts.definitions[at]
    container = facts.definitions[one.parent].name if one.parent >= 0 else ""
    return _symbol(lookup, path, one, container)


def _as_symbol(lookup: Lookup, found: FoundSymbol) -> Symbol:
    return _symbol(lookup, found.path, found.definition, found.container)


def _symbol(lookup: Lookup, path: str, one: Definition, container: str) -> Symbol:
    return Symbol(
        name=one.name,
        kind=one.kind,
        path=lookup.root / path,
        span=one.span,
        name_span=one.name_span,
        container=container,
        detail=one.signature,
    )
