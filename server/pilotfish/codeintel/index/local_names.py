"""Names that belong to one function: parameters and variables, which are no definitions of the index.

Owns: telling by the text whether a function binds a name, and which uses in a file are of such names.
Does not own: what other names mean (``resolve``). Pure.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pilotfish.codeintel.facts import Reference
from pilotfish.codeintel.index.resolve import Asked
from pilotfish.codeintel.index.views import FileView
from pilotfish.ports.code import Span

_MAX_USES = 1_000
"""Uses of a name in a function that are looked at: what binds it is among the first."""

_ASSIGNS = re.compile(r"(\s*:[^=\n]+|\s*,[^=()\n]*\s|\s+)?(?:=(?!=)|:=)|\s*,[^=()\n]*=(?!=)")
_LOOPS_BEFORE = re.compile(r"\bfor\b[^:;]*$")
_LOOPS_AFTER = re.compile(r"[^:;={}]*?\bin\b")
_BINDS_BEFORE = re.compile(
    r"\b(?:let|var|val|const|mut|for|as|catch|local)\s+(?:\w+\s*,\s*)*(?:\(\s*)?$"
)
_TYPE_BEFORE = re.compile(r"(\w+)[>\]]*[*&\s]+$")
_LOOP_BEGINS = re.compile(r"\bfor\s*\(\s*$")
_NO_TYPES = frozenset({"return", "else", "new", "await", "throw", "case", "in", "not", "and", "or"})
_OF_OTHERS = re.compile(r"\b(?:global|nonlocal)\s+(?:\w+\s*,\s*)*$")
_GOES_ON = ("(", ",", "[", "{")
"""With these a line ends whose statement goes on in the next one."""

_ASSIGNING_DECLARES = frozenset({"python", "ruby", "erb", "php", "julia", "elixir"})
"""Languages in which to assign to a name in a function is to make it one of that function."""

_TYPES_BEFORE_NAMES = frozenset({"c", "cpp", "objc", "cuda", "arduino", "java", "csharp", "dart"})
"""Languages in which a name with its type before it is a new one."""


class Binding(NamedTuple):
    """Where a name gets its meaning."""

    function: int
    """The definition whose own it is."""
    span: Span


def local_binding(asked: Asked) -> Binding | None:
    """Return where a function around it binds a name that is a parameter or variable of its own."""
    view, name, span = asked
    if asked.receiver is not None:
        return None
    uses = sorted(view.facts.references.named(name), key=lambda one: one.span)
    for function in view.functions_around(span.start):
        if found := next(_bindings(view, uses, function), None):
            return Binding(function, found.span)
    return None


def uses_of_others(view: FileView, uses: Sequence[Reference]) -> list[Reference]:
    """Return those of the uses of a name that do not stand for a parameter or variable of a function."""
    uses = sorted(uses, key=lambda one: one.span)
    if not all(one.name in view.line(one.span.start.line) for one in uses):
        return uses  # the text is not that of the facts any more
    if any(_OF_OTHERS.search(view.before(one.span)) for one in uses):
        return uses
    bound: dict[int, bool] = {}

    def is_bound(function: int) -> bool:
        if function not in bound:
            bound[function] = any(
                _is_declared(view, one) for one in _bindings(view, uses, function)
            )
        return bound[function]

    around = view.functions_around_all([one.span.start for one in uses])
    return [
        one
        for one, functions in zip(uses, around, strict=True)
        if not any(map(is_bound, functions)) or Asked(view, one.name, one.span).receiver is not None
    ]


def _bindings(view: FileView, uses: Sequence[Reference], function: int) -> Iterator[Reference]:
    """Yield those uses in a function that give the name its meaning there."""
    around = view.facts.definitions[function]
    first = bisect_left(uses, around.span.start, key=lambda one: one.span.start)
    last = bisect_left(uses, around.span.end, key=lambda one: one.span.start)
    within = uses[first : min(last, first + _MAX_USES)]
    return (one for one in within if _binds(view, one, around.name_span))


def _binds(view: FileView, use: Reference, function: Span) -> bool:
    """Tell whether a use of a name gives it its meaning: as a parameter or by an assignment."""
    before, after = view.before(use.span), view.after(use.span)
    loops = _LOOPS_BEFORE.search(before) and _LOOPS_AFTER.match(after)
    if loops or _BINDS_BEFORE.search(before) or _assigns(view, use):
        return Asked(view, use.name, use.span).receiver is None
    return use.role != "type" and _names_parameter(view, function, use.span)


def _assigns(view: FileView, use: Reference) -> bool:
    """Tell whether a value is given to a name, and not to an argument of that name: ``f(name=1)``."""
    before = view.before(use.span)
    found = _ASSIGNS.match(view.after(use.span))
    if found is None:
        return False
    if found[0].endswith(":="):
        return True
    if before.count("(") > before.count(")"):
        return False
    # ``f(`` may begin on a line above: then there are seldom spaces around the sign.
    return found[1] is not None or not _line_above(view, use).endswith(_GOES_ON)


def _line_above(view: FileView, use: Reference) -> str:
    above = (view.line(at).strip() for at in range(use.span.start.line - 1, -1, -1))
    return next(filter(None, above), "")


def _is_declared(view: FileView, use: Reference) -> bool:
    """Tell whether a use that binds a name makes it one of the function, in any case."""
    if view.facts.language in _ASSIGNING_DECLARES:
        return True
    found = _ASSIGNS.match(view.after(use.span))
    before = view.before(use.span)
    if _LOOP_BEGINS.search(before):
        return False  # ``for (i = 0; …)`` may be anybody's
    if found is None or found[0].endswith(":=") or _BINDS_BEFORE.search(before):
        return True
    typed = _TYPE_BEFORE.search(before) if view.facts.language in _TYPES_BEFORE_NAMES else None
    return typed is not None and typed[1] not in _NO_TYPES


def _names_parameter(view: FileView, function: Span, use: Span) -> bool:
    """Tell whether a place between the parentheses after a function's name is a parameter's name.

    What follows a colon or an equals sign is its type, or a value.
    """
    text = view.between(function.end, use.start)
    if text is None:
        return False
    depth, opened, is_name = 0, False, False
    for one in text:
        depth += (one == "(") - (one == ")")
        opened = opened or one == "("
        if opened and depth <= 0:
            return False
        if one in ",(" and depth == 1:
            is_name = True
        elif one in ":=":
            is_name = False
    return depth > 0 and is_name
