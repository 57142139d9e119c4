"""A definition on its way from the tree to the facts.

Owns: ``Draft``.
See also: ``codeintel.outline``, which makes and settles drafts; ``codeintel.clauses``, which joins them.
"""

from typing import TYPE_CHECKING, cast

from pilotfish.ports.code import SymbolKind
from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node

_PUBLIC_KIND: dict[str, str] = {
    "alias": "class",
    "embedded": "field",
    "extension": "object",
    "macro": "function",
    "promoted": "property",
}
"""Kinds of the queries that are not kinds of symbols."""

USING = frozenset({"embedded"})
"""Kinds whose name is also a use of another definition's: a part that has the name of its type."""


@dataclass(kw_only=True, slots=True)
class Draft:
    """A definition on its way to the facts."""

    label: str
    """Kind in the words of the queries; ``closure`` for a function without a name."""
    name: str
    name_node: "Node"
    name_start: int
    """Where the name begins in its node, which may hold the names of containers before it."""
    name_end: int
    node: "Node"
    whole: "Node"
    start: int
    end: int
    """Of the text; it may reach beyond the nodes, where the body or further clauses follow."""
    scope: str = ""
    signature: str = ""
    parent: int = -1
    other_names: tuple[int, ...] = ()
    """Where the name begins in further clauses."""

    @property
    def kind(self) -> SymbolKind:
        """The kind of the symbol."""
        return cast("SymbolKind", _PUBLIC_KIND.get(self.label, self.label))
