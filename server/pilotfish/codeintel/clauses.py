"""Functions that are written as several clauses, joined to one definition.

Owns: which definitions are clauses of one function: a signature and its equations in Haskell, clauses
of the same arity in Elixir.
See also: ``codeintel.outline``.
"""

from typing import TYPE_CHECKING

from pilotfish.codeintel.drafts import Draft

if TYPE_CHECKING:
    from tree_sitter import Node

CLAUSES = frozenset({"elixir", "haskell"})
"""Languages whose functions may have several clauses."""

_LABELS = frozenset({"function", "macro", "variable"})


def join_clauses(drafts: list[Draft]) -> list[Draft]:
    """Return the definitions with each function's clauses joined to the first of them.

    Args:
        drafts: In the order of the text, each with the place of what contains it.
    """
    kept: list[Draft] = []
    place: dict[int, int] = {-1: -1}
    last: dict[int, tuple[int, tuple[str, int] | None]] = {}
    for index, draft in enumerate(drafts):
        draft.parent = place[draft.parent]
        key = _key(draft)
        at, before = last.get(draft.parent, (-1, None))
        if key is not None and key == before:
            kept[at].end = draft.end
            kept[at].other_names += (draft.name_start,)
            place[index] = at
            continue
        place[index] = len(kept)
        last[draft.parent] = (len(kept), key)
        kept.append(draft)
    return kept


def _key(draft: "Draft") -> tuple[str, int] | None:
    """Return what clauses of one function have in common; None for what has no clauses."""
    if draft.label not in _LABELS:
        return None
    return draft.name, _arity(draft.name_node)


def _arity(name: "Node") -> int:
    """Return how many parameters a clause in Elixir has; 0 in Haskell, where all have as many."""
    call = name.parent
    if call is None or call.type != "call":
        return 0
    return next((each.named_child_count for each in call.children if each.type == "arguments"), 0)
