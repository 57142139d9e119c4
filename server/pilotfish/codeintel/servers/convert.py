"""What servers answer to questions about code, as our own types. Hostile until read here."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import get_args

from pilotfish.codeintel.servers.shapes import (
    as_list,
    as_number,
    as_object,
    as_text,
    from_uri,
    get_in,
)
from pilotfish.core.jsontypes import JsonObject, JsonValue
from pilotfish.ports.code import (
    CallLink,
    FileChange,
    Location,
    Position,
    Span,
    Symbol,
    SymbolKind,
    TextChange,
)
from pilotfish.util.fenced import fenced

MAX_ITEMS = 2_000
"""Most places, symbols or changes that are taken from one answer."""

MAX_SEARCHED = 20_000
"""Most symbols of one answer that those of the project are looked for among."""

MAX_DEPTH = 30
"""Deepest nesting of symbols."""

_LIBRARIES = frozenset({"node_modules", "site-packages"})
"""Folders that hold what others have written, also within a project."""

_KINDS: tuple[SymbolKind, ...] = get_args(SymbolKind)


def read_position(value: object) -> Position | None:
    """Read a position."""
    line, character = (as_number(as_object(value).get(key)) for key in ("line", "character"))
    if line is None or character is None or line < 0 or character < 0:
        return None
    return Position(line, character)


def read_span(value: object) -> Span | None:
    """Read a range."""
    start, end = (read_position(as_object(value).get(key)) for key in ("start", "end"))
    return None if start is None or end is None or end < start else Span(start, end)


def to_json(position: Position) -> JsonObject:
    """Return a position as it goes on the wire."""
    return {"line": position.line, "character": position.character}


def read_locations(value: JsonValue) -> list[Location]:
    """Read one location, or a list of locations or links; in order, none twice."""
    found: dict[Location, None] = {}
    for item in as_list(value if isinstance(value, list) else [value])[:MAX_ITEMS]:
        one = as_object(item)
        path = from_uri(one.get("targetUri", one.get("uri")))
        span = read_span(one.get("targetSelectionRange", one.get("range")))
        if path is not None and span is not None:
            found[Location(path, span)] = None
    return list(found)


def read_hover(value: JsonValue) -> str:
    """Read the text of a hover as Markdown; empty when it says nothing."""
    contents = as_object(value).get("contents")
    parts = as_list(contents) if isinstance(contents, list) else [contents]
    return "\n\n".join(text for text in map(_marked, parts[:100]) if text).strip()


def read_document_symbols(value: JsonValue, path: Path) -> list[Symbol]:
    """Read a tree, or a flat list, of the symbols of a file."""
    return _in_order(_symbols(as_list(value), path, 0))


def read_workspace_symbols(value: JsonValue, roots: Sequence[Path], limit: int) -> list[Symbol]:
    """Read symbols of the project; those without a range are left out, and those of libraries."""
    found = (_flat_symbol(as_object(item)) for item in as_list(value)[:MAX_SEARCHED])
    own = (one for one in found if one is not None and _is_in_project(one.path, roots))
    return list(islice(own, limit))


def _is_in_project(path: Path, roots: Sequence[Path]) -> bool:
    """Tell whether a file is the project's own: some servers find also what they bring along."""
    return any(
        path.is_relative_to(root) and _LIBRARIES.isdisjoint(path.relative_to(root).parts)
        for root in roots
    )


def read_call_item(value: JsonValue) -> Symbol | None:
    """Read an item of a call hierarchy."""
    path = from_uri(as_object(value).get("uri"))
    return None if path is None else _tree_symbol(as_object(value), path, MAX_DEPTH)


def read_calls(value: JsonValue, key: str) -> list[CallLink]:
    """Read incoming (``from``) or outgoing (``to``) calls; those of one function are one, also where told apart."""
    found: dict[tuple[Path, Span], tuple[Symbol, dict[Span, None]]] = {}
    for item in as_list(value)[:MAX_ITEMS]:
        one = as_object(item)
        symbol = read_call_item(one.get(key))
        if symbol is not None:
            spans = map(read_span, as_list(one.get("fromRanges"))[:MAX_ITEMS])
            _, sites = found.setdefault((symbol.path, symbol.name_span), (symbol, {}))
            sites.update((span, None) for span in spans if span is not None)
    return [CallLink(symbol=symbol, sites=tuple(sites)) for symbol, sites in found.values()]


def read_workspace_edit(value: JsonValue) -> list[FileChange] | None:
    """Read the changes of a rename; None when they are more than changes of texts, or torn."""
    edit = as_object(value)
    found: dict[Path, list[TextChange]] = {}
    for uri, items in _edits_in(edit):
        path = from_uri(uri)
        changes = [_text_change(as_object(item)) for item in items]
        if path is None or len(changes) > MAX_ITEMS:
            return None
        for change in changes:
            if change is None:
                return None
            found.setdefault(path, []).append(change)
    if any(
        not as_list(as_object(one).get("edits")) for one in as_list(edit.get("documentChanges"))
    ):
        return None  # a file is made, moved or deleted
    return [FileChange(path=path, changes=tuple(changes)) for path, changes in found.items()]


def _edits_in(edit: JsonObject) -> Iterator[tuple[JsonValue, list[JsonValue]]]:
    if "documentChanges" in edit:
        for item in as_list(edit["documentChanges"]):
            one = as_object(item)
            yield get_in(one, "textDocument", "uri"), as_list(one.get("edits"))
        return
    for uri, items in as_object(edit.get("changes")).items():
        yield uri, as_list(items)


def _text_change(one: JsonObject) -> TextChange | None:
    span = read_span(one.get("range"))
    text = one.get("newText")
    return (
        None if span is None or not isinstance(text, str) else TextChange(span=span, new_text=text)
    )


def _marked(value: JsonValue) -> str:
    if isinstance(value, str):
        return as_text(value)
    one = as_object(value)
    text = as_text(one.get("value"))
    language = as_text(one.get("language"), 40)
    return fenced(text, language) if language and text else text


def _symbols(items: Sequence[JsonValue], path: Path, depth: int) -> list[Symbol]:
    found: list[Symbol] = []
    for item in items[:MAX_ITEMS]:
        one = as_object(item)
        symbol = _flat_symbol(one) if "location" in one else _tree_symbol(one, path, depth)
        if symbol is not None:
            found.append(symbol)
    return found


def _tree_symbol(one: JsonObject, path: Path, depth: int) -> Symbol | None:
    span = read_span(one.get("range"))
    name_span = read_span(one.get("selectionRange"))
    if span is None or name_span is None:
        return None
    children = [] if depth >= MAX_DEPTH else _symbols(as_list(one.get("children")), path, depth + 1)
    return Symbol(
        name=as_text(one.get("name"), 300),
        kind=_kind(one),
        path=path,
        span=span,
        name_span=name_span,
        detail=as_text(one.get("detail"), 300),
        children=tuple(_in_order(children)),
    )


def _flat_symbol(one: JsonObject) -> Symbol | None:
    path = from_uri(get_in(one, "location", "uri"))
    span = read_span(get_in(one, "location", "range"))
    if path is None or span is None:
        return None
    return Symbol(
        name=as_text(one.get("name"), 300),
        kind=_kind(one),
        path=path,
        span=span,
        name_span=span,
        container=as_text(one.get("containerName"), 300),
    )


def _kind(one: JsonObject) -> SymbolKind:
    number = as_number(one.get("kind")) or 0
    return _KINDS[number - 1] if 1 <= number <= len(_KINDS) else "variable"


def _in_order(symbols: list[Symbol]) -> list[Symbol]:
    return sorted(symbols, key=lambda one: one.span)
