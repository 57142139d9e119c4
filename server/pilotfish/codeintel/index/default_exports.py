"""Default exports of JavaScript and its kin: who imports one may call it what he likes.

Owns: telling such an import, and what a file exports by default, or as a whole.
Does not own: which file is meant (``specifiers``), what a name means (``lookup``). Pure.
"""

import posixpath
import re
from collections.abc import Iterator
from itertools import islice

from pilotfish.codeintel.byte_positions import utf16_length
from pilotfish.codeintel.facts import Definition
from pilotfish.codeintel.index.common_js import passed_on, whole_exports
from pilotfish.codeintel.index.imports import specifier_after, text_after
from pilotfish.codeintel.index.resolve import Asked
from pilotfish.codeintel.index.rows import FoundSymbol
from pilotfish.codeintel.index.views import FileView
from pilotfish.ports.code import Position, Span

_MAX_DEFAULTS = 200
"""Places of a file with the word that are looked at."""

_IMPORTS_IT = re.compile(r"\bimport\s+(?:type\s+)?$|\bdefault\s+as\s+$")
_IS_IT = re.compile(r"\bexport\s+default\s+(?:async\s+|abstract\s+)?$")
_OF_MODULE = re.compile(r"(?<![\w$.])module\.$")
_EXPORT = re.compile(r"\bexport\s+$")
_WORD = re.compile(r"(?<![\w$.])default\b(?!\s*:)")
_NAME_AFTER = re.compile(r"\s+(?P<name>[\w$]+)\s*;?\s*(?:/[/*].*)?$", re.MULTILINE)
_CURRIED = re.compile(r"\s*[\w$.]++\((?:[^()]|\([^()]*\))*+\)\(\s*(?P<name>[\w$]+)\s*[,)]")
_WRAPPED = re.compile(
    r"\s*(?:[\w$.]++\s*(?:<[^()]*>)?\(\s*)++(?:(?P<place>(?:async\s+)?(?:function\s*\*?|class)\s+))?"
    r"(?P<name>[\w$]+)(?(place)|\s*[,)])"
)
_IN_PLACE = re.compile(r"\s*(?P<place>(?:async\s+)?(?:function\s*\*?|class)\s+)(?P<name>[\w$]+)")
_NAME_BEFORE = re.compile(r"(?<![\w$])([\w$]+)\s+as\s+$")
_IN_EXPORTS = re.compile(r"\bexport\s*\{[^{}]*$")
_RENAMED = re.compile(r"\s+as\b")


def default_import(asked: Asked) -> str:
    """Return the module whose default export a name stands for; empty when it does for none."""
    if asked.receiver is not None:
        return ""
    for one in asked.view.facts.references.named(asked.name):
        if one.role == "import" and _IMPORTS_IT.search(asked.view.before(one.span)):
            return specifier_after(asked.view, one.span)
    return ""


def default_definition(view: FileView) -> int | None:
    """Return the definition that a file exports by default, where it does so on the spot."""
    for at, one in enumerate(view.facts.definitions):
        if one.parent < 0 and (
            _IS_IT.search(view.before(one.span))
            or (one.name == "default" and _EXPORT.search(view.before(one.name_span)))
            or (one.name == "exports" and _OF_MODULE.search(view.before(one.name_span)))
        ):
            return at
    return None


def default_name(view: FileView) -> Asked | FoundSymbol | None:
    """Return the name of what a file exports by default where it says so apart from the definition.

    That may stand inside of calls: ``memo(Card)``, ``connect(state)(Card)``; or be the name of a function
    that is made on the spot: ``forwardRef(function Card() {…})``.
    """
    for span in _defaults(view):
        before = view.before(span)
        if found := _NAME_BEFORE.search(before):
            column = span.start.character - utf16_length(before[found.start(1) :])
            named = view.name_at(Position(span.start.line, column))
            if named is not None and named[0] != "default":
                return Asked(view, *named)
        elif _EXPORT.search(before) and (exported := _named_after(view, span)):
            return exported
    return next(filter(None, (_named_after(view, span) for span in whole_exports(view))), None)


def _named_after(view: FileView, span: Span) -> Asked | FoundSymbol | None:
    """Return the name of the value that follows a place, or that it is made of."""
    after = text_after(view, span)
    for pattern in (_NAME_AFTER, _IN_PLACE, _CURRIED, _WRAPPED):
        found = pattern.match(after)
        if found is None:
            continue
        start, end = (_position(span.end, after[:at]) for at in found.span("name"))
        named = view.name_at(start)
        if named is None or named[0] == "default":
            return None
        if not found.groupdict().get("place"):
            return Asked(view, *named)
        place = found["place"].lstrip()
        definition = Definition(
            name=found["name"],
            kind="class" if place.startswith("class") else "function",
            span=Span(start, end),
            name_span=Span(start, end),
            parent=-1,
            signature=place + found["name"],
        )
        return FoundSymbol(view.path, view.facts.language, -1, definition, "")
    return None


def _position(start: Position, text: str) -> Position:
    """Return the position behind a text that begins at another one."""
    *above, last = text.split("\n")
    return Position(start.line + len(above), utf16_length(last) + (0 if above else start.character))


def default_source(view: FileView) -> str:
    """Return the module whose default export a file passes on as its own; empty when it does not."""
    for span in _defaults(view):
        if (
            _IN_EXPORTS.search(view.before(span))
            and not _RENAMED.match(view.after(span))
            and view.name_at(span.start) is not None  # else it stands in a comment
        ):
            return specifier_after(view, span)
    return passed_on(view)


def whole_file(view: FileView) -> FoundSymbol:
    """Return a file as that which a name means."""
    start = Span(Position(0, 0), Position(0, 0))
    name = posixpath.basename(view.path)
    definition = Definition(name=name, kind="file", span=start, name_span=start, parent=-1)
    return FoundSymbol(view.path, view.facts.language, -1, definition, "")


def _defaults(view: FileView) -> Iterator[Span]:
    """Yield where a file has the word, but as a case of a switch."""
    return islice(_all_defaults(view), _MAX_DEFAULTS)


def _all_defaults(view: FileView) -> Iterator[Span]:
    for number, line in enumerate(view.lines):
        if "default" in line:
            for found in _WORD.finditer(line):
                start = utf16_length(line[: found.start()])
                yield Span(Position(number, start), Position(number, start + len("default")))
