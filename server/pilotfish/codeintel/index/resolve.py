"""What a name at a place means, as far as names and scopes tell.

Owns: the order of likelihood: what is visible in the file, what is imported, what lies beside it, the rest.
Does not own: finding candidates (``source``). Pure.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from pilotfish.codeintel.index.imports import lies_in, module_of
from pilotfish.codeintel.index.rows import INDEX_STEMS, FoundSymbol
from pilotfish.codeintel.index.views import FileView, definitions_of
from pilotfish.ports.code import Position, Span

_MEMBER = re.compile(r"(?:\b([^\W\d]\w*)\s*(?:\([^()]*\)\s*)?)?(?:\.|->|::|\?\.)\s*$")
"""What stands before a name that is asked of something; its group is what it is asked of."""

_SELF = frozenset({"self", "cls", "this", "Self", "super"})

_MEMBERS = frozenset({"field", "property", "method"})

_ALIAS = re.compile(r"\s*(?:as|:|=>)\s*")

_KIN = (
    frozenset({"javascript", "typescript", "tsx", "vue", "svelte", "astro", "ejs"}),
    frozenset({"ruby", "erb"}),
    frozenset({"ocaml", "ocaml_interface"}),
    frozenset({"c", "cpp"}),
    frozenset({"java", "kotlin", "scala"}),
)
"""Languages whose files use each other's names."""


class Asked(NamedTuple):
    """A name at a place."""

    view: FileView
    name: str
    span: Span

    @property
    def receiver(self) -> str | None:
        """What the name is asked of: ``box`` in ``box.lid``; None when the name stands alone.

        Empty when what it is asked of has no name.
        """
        found = _MEMBER.search(self.view.before(self.span))
        return None if found is None else found.group(1) or ""

    @property
    def is_type(self) -> bool:
        """Whether it stands where only a type can: no member is meant, not even one of that name right here."""
        uses = self.view.facts.references.named(self.name)
        return any(one.span == self.span and one.role == "type" for one in uses)


def are_kin(one: str, other: str) -> bool:
    """Tell whether files of two languages use each other's names."""
    return one == other or any(one in group and other in group for group in _KIN)


def visible_definitions(asked: Asked) -> list[int]:
    """Return the definitions of the file that the name means, if any is visible at its place."""
    view, name, span = asked
    is_type = asked.is_type
    own = view.definition_at(span)
    if own is not None and not is_type:
        return [own]
    found = [
        (at, one)
        for at, one in definitions_of(view.facts, name)
        if not (is_type and one.kind in _MEMBERS)
    ]
    receiver = asked.receiver
    if receiver is None:
        return _innermost(view, [at for at, _ in found], span.start)
    if receiver in _SELF:
        owners = _classes_around(view, span.start)
        return [at for at, one in found if one.parent in owners]
    return [at for at, _ in found if receiver and view.container(at) == receiver]


def original_name(asked: Asked) -> str | None:
    """Return what a name was imported as another of: ``read`` in ``import read as load``."""
    view, name, _ = asked
    imports = [one for one in view.facts.references if one.role == "import"]
    for before, one in pairwise(imports):
        if one.name == name and _ALIAS.fullmatch(
            view.between(before.span.end, one.span.start) or ""
        ):
            return before.name
    return None


def likeliest(asked: Asked, found: Sequence[FoundSymbol]) -> list[FoundSymbol]:
    """Return those of the definitions that the name most likely means; no other is visible in the file."""
    view = asked.view
    imports = {one.name for one in view.facts.references if one.role == "import"}
    receiver = asked.receiver
    module = module_of(view, asked.name if receiver is None else receiver)
    is_type = asked.is_type
    ranked: dict[tuple[bool, bool, int, bool], list[FoundSymbol]] = {}
    for one in found:
        if are_kin(one.language, view.facts.language):
            is_imported = bool(module) and lies_in(one.path, module)
            distance = _distance(asked, one, imports, receiver)
            # Among kin, what is written in the same language is the likelier.
            is_other = one.language != view.facts.language
            rank = is_type and one.definition.kind in _MEMBERS, not is_imported, distance, is_other
            ranked.setdefault(rank, []).append(one)
    best = min(ranked, default=None)
    return [] if best is None else sorted(ranked[best], key=lambda one: (one.path, one.number))


def _distance(asked: Asked, one: FoundSymbol, imports: set[str], receiver: str | None) -> int:
    path = PurePosixPath(one.path)
    module = path.parent.name if path.stem in INDEX_STEMS else path.stem
    if receiver is not None and receiver in {one.container, module}:
        return 0
    # A member is asked of something, and what stands alone is seldom a member.
    fits = bool(one.container) == (receiver is not None)
    if module in imports or one.container in imports:
        return 1 if fits else 3
    if path.parent == PurePosixPath(asked.view.path).parent:
        return 2 if fits else 5
    return 4 if fits else 6


def _innermost(view: FileView, found: Sequence[int], position: Position) -> list[int]:
    """Return those definitions whose scope is the innermost one around a position."""
    best: list[int] = []
    depth = -1
    for at in found:
        parent = view.facts.definitions[at].parent
        if parent >= 0:
            span = view.facts.definitions[parent].span
            if not span.start <= position < span.end:
                continue
        here = _depth(view, at)
        if here > depth:
            best, depth = [at], here
        elif here == depth:
            best.append(at)
    return best


def _depth(view: FileView, at: int) -> int:
    depth = 0
    while (at := view.facts.definitions[at].parent) >= 0:
        depth += 1
    return depth


def _classes_around(view: FileView, position: Position) -> set[int]:
    return {
        at
        for at, one in enumerate(view.facts.definitions)
        if one.kind in {"class", "struct", "interface", "enum", "object", "module"}
        and one.span.start <= position < one.span.end
    }
