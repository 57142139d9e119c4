"""Default exports of JavaScript and its kin: who imports one may call it what he likes.

Owns: telling such an import, which files it can mean, and what a file exports by default.
Does not own: which of the files there are, what a name means (``lookup``). Pure.

Only what is imported by a relative path is told: anything else depends on settings of the project.
"""

import posixpath
import re
from collections.abc import Iterator
from itertools import islice

from pilotfish.codeintel.byte_positions import utf16_length
from pilotfish.codeintel.facts import Definition
from pilotfish.codeintel.index.imports import specifier_after
from pilotfish.codeintel.index.resolve import Asked
from pilotfish.codeintel.index.rows import FoundSymbol
from pilotfish.codeintel.index.views import FileView
from pilotfish.ports.code import Position, Span

_MAX_DEFAULTS = 200
"""Places of a file with the word that are looked at."""

_SUFFIXES = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
"""What an import may leave out, likeliest first."""

_WRITTEN_AS = {
    ".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",),
}  # fmt: skip
"""An import may name what the file will be compiled to."""

_IMPORTS_IT = re.compile(r"\bimport\s+(?:type\s+)?$|\bdefault\s+as\s+$")
_IS_IT = re.compile(r"\bexport\s+default\s+(?:async\s+|abstract\s+)?$")
_EXPORT = re.compile(r"\bexport\s+$")
_WORD = re.compile(r"(?<![\w$.])default\b(?!\s*:)")
_NAME_AFTER = re.compile(r"\s+([\w$]+)\s*;?\s*(?:/[/*].*)?$")
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


def files_meant(importer: str, specifier: str) -> list[str]:
    """Return the files that a file may mean by a relative path, likeliest first; both relative to the root."""
    if specifier.split("/", 1)[0] not in {".", ".."}:
        return []
    base = posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier))
    if base.split("/", 1)[0] == "..":
        return []
    base = "" if base == "." else base
    stem, suffix = posixpath.splitext(base)
    index = posixpath.join(base, "index")
    return [
        base,
        *(stem + one for one in _WRITTEN_AS.get(suffix, ())),
        *(base + one for one in _SUFFIXES),
        *(index + one for one in _SUFFIXES),
    ]


def default_definition(view: FileView) -> int | None:
    """Return the definition that a file exports by default, where it does so on the spot."""
    for at, one in enumerate(view.facts.definitions):
        if one.parent < 0 and (
            _IS_IT.search(view.before(one.span))
            or (one.name == "default" and _EXPORT.search(view.before(one.name_span)))
        ):
            return at
    return None


def default_name(view: FileView) -> Asked | None:
    """Return the name of what a file exports by default, where it says so apart from the definition."""
    for span in _defaults(view):
        before, after = view.before(span), view.after(span)
        line, column = span.start.line, None
        if found := _NAME_BEFORE.search(before):
            column = span.start.character - utf16_length(before[found.start(1) :])
        elif _EXPORT.search(before) and (found := _NAME_AFTER.match(after)):
            column = span.end.character + utf16_length(after[: found.start(1)])
        named = None if column is None else view.name_at(Position(line, column))
        if named is not None and named[0] != "default":
            return Asked(view, *named)
    return None


def default_source(view: FileView) -> str:
    """Return the module whose default export a file passes on as its own; empty when it does not."""
    for span in _defaults(view):
        if (
            _IN_EXPORTS.search(view.before(span))
            and not _RENAMED.match(view.after(span))
            and view.name_at(span.start) is not None  # else it stands in a comment
        ):
            return specifier_after(view, span)
    return ""


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
