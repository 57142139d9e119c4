"""What to select next when a selection grows.

Owns: the ranges around a place, from its syntax.
"""

from typing import TYPE_CHECKING

from pilotfish.codeintel.embedded import EmbeddedText
from pilotfish.codeintel.open_trees import ParsedText
from pilotfish.ports.code import Position, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

MAX_STEPS = 200
"""Ranges around one place."""


def selection_steps(
    parsed: ParsedText, embedded: "Sequence[EmbeddedText]", position: Position
) -> tuple[Span, ...]:
    """Return the ranges around a place, the smallest first, each within the next."""
    at = parsed.positions.offset(position)
    steps: list[tuple[int, int]] = []
    around = [
        (end - start, -number, part)
        for number, part in enumerate(embedded)
        for start, end in part.pieces
        if start <= at <= end
    ]
    for *_, part in sorted(around, key=lambda each: each[:2]):
        _climb(part.root, at, steps)
    _climb(parsed.tree.root_node, at, steps)
    spans: list[Span] = []
    for start, end in steps[:MAX_STEPS]:
        span = Span(parsed.positions.position(start), parsed.positions.position(end))
        if not spans or (span != spans[-1] and _within(spans[-1], span)):
            spans.append(span)
    return tuple(spans) or (Span(position, position),)


def _climb(root: "Node", at: int, steps: list[tuple[int, int]]) -> None:
    node = root.descendant_for_byte_range(at, at)
    # Right behind a word one means the word.
    before = root.descendant_for_byte_range(max(at - 1, 0), at)
    if node is not None and before is not None and _is_word(before) and not _is_word(node):
        node = before
    while node is not None:
        place = (node.start_byte, node.end_byte)
        if not steps or (place[0] <= steps[-1][0] and place[1] >= steps[-1][1]):
            steps.append(place)
        node = node.parent


def _is_word(node: "Node") -> bool:
    return node.is_named and node.child_count == 0


def _within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
