"""What of a text can be folded away.

Owns: ranges of lines from a syntax tree: blocks, lists, comments, imports, regions.
"""

import re
from typing import TYPE_CHECKING, Literal

from pilotfish.codeintel.open_trees import ParsedText
from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

MAX_FOLDS = 5_000
"""Ranges that are told of one text (VS Code takes as many)."""

MAX_NODES = 300_000
"""Nodes that are looked at."""

FoldKind = Literal["code", "comment", "imports", "region"]

_FOLDABLE = re.compile(
    r"(^|_)(block|body|list|object|array|dictionary|dict|set|hash|table|table_constructor|tuple|suite|"
    r"arguments|parameters|pairs|mapping|sequence|string|heredoc|literal|element|section|"
    r"group|clause|case|switch|compound|members|rule_set|then|else|do)(_|$)"
)
_BODIES = frozenset({"block", "body_statement"})
"""Bodies without brackets, which fold into the line before them even when they have one line."""

_ALTERNATIVES = frozenset({"else", "elif", "elsif", "elseif"})
"""What begins with one of these is announced by its own first line."""

_NO_FOLD = frozenset({"statement_list", "import_list"})
"""Lists that lie in something that folds."""

_COMMENT = re.compile(r"(^|_)comment$")
_IMPORT = re.compile(
    r"^(import|use|using|include|preproc_include|namespace_use|package)(_|$)|(^|_)(import|using)(_|$)"
)
_REGION = re.compile(rb"^\W{0,6}\s*#?(end)?region\b")
_END_TAGS = frozenset({"end_tag", "ETag"})
"""What ends an element, in HTML and in XML; its line stays."""

_CLOSERS = frozenset({")", "]", "}", "end", "fi", "done", "esac", "</", "});", "}}"})


@dataclass(frozen=True, order=True, slots=True)
class Fold:
    """Lines that fold into the first of them. Lines are from 0, both belong to it."""

    start: int
    end: int
    kind: FoldKind


def folds_of(parsed: ParsedText) -> tuple[Fold, ...]:
    """Return what can be folded, one range for each first line, in order. Blocking."""
    best: dict[int, Fold] = {}
    comments: list[Node] = []
    imports: list[Node] = []
    for node in _nodes(parsed.tree.root_node):
        if _COMMENT.search(node.type):
            comments.append(node)
        elif node.is_named and _IMPORT.search(node.type):
            imports.append(node)
        fold = _fold(node)
        if fold is not None and (fold.start not in best or best[fold.start].end < fold.end):
            best[fold.start] = fold
    for fold in [
        *_runs(comments, "comment"),
        *_runs(imports, "imports"),
        *_regions(parsed, comments),
    ]:
        known = best.get(fold.start)
        if known is None or known.end < fold.end:
            best[fold.start] = fold
    return tuple(sorted(best.values())[:MAX_FOLDS])


def _nodes(root: "Node") -> "Iterator[Node]":
    """Yield the nodes that span lines, bodies, comments and imports, parents first."""
    stack = list(reversed(root.children))
    for _ in range(MAX_NODES):
        if not stack:
            return
        node = stack.pop()
        spans_lines = node.end_point[0] > node.start_point[0]
        if (
            spans_lines
            or node.type in _BODIES
            or _COMMENT.search(node.type)
            or _IMPORT.search(node.type)
        ):
            yield node
        if spans_lines:
            stack.extend(reversed(node.children))


def _fold(node: "Node") -> Fold | None:
    if not _is_foldable(node):
        return None
    start, end, indented = node.start_point[0], _last_row(node), False
    before = node.prev_sibling
    while before is not None and _COMMENT.search(before.type):
        before = before.prev_sibling
    announces = node.child_count > 0 and node.child(0).type in _ALTERNATIVES
    if before is not None and not announces and before.end_point[0] < start:
        # An indented body: it folds into the line that announces it.
        parent = node.parent
        if parent is not None and parent.parent is not None and "body" in _field_of(parent, node):
            start, indented = before.end_point[0], True
    last = node
    while last.child_count and not indented and last.type not in _END_TAGS:
        last = last.child(last.child_count - 1)
    if last.type in _END_TAGS and last.start_point[0] == end:
        end -= 1
    if not last.is_named and last.type in _CLOSERS and last.start_point[0] == end:
        end -= 1
    return Fold(start, end, "code") if end > start else None


def _is_foldable(node: "Node") -> bool:
    if not node.is_named or node.type in _NO_FOLD:
        return False
    # A shell has no node for the commands between ``then`` and ``fi``.
    is_closed = node.child_count > 0 and node.child(node.child_count - 1).type == "fi"
    return is_closed or _FOLDABLE.search(node.type) is not None


def _field_of(parent: "Node", node: "Node") -> str:
    """Return the name of the field that a node is in its parent; ``body`` for blocks without one."""
    for index, child in enumerate(parent.children):
        if child.id == node.id:
            name = parent.field_name_for_child(index)
            if name in {"consequence", "alternative"} or node.type in _BODIES:
                return "body"
            return name or ""
    return ""


def _last_row(node: "Node") -> int:
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def _runs(nodes: "list[Node]", kind: FoldKind) -> "Iterator[Fold]":
    """Yield runs of nodes that follow each other line by line, and single ones of several lines."""
    start = end = -2
    for node in nodes:
        first, last = node.start_point[0], _last_row(node)
        if first <= end + 1 and first >= start:
            end = max(end, last)
            continue
        if end > start:
            yield Fold(start, end, kind)
        start, end = first, last
    if end > start:
        yield Fold(start, end, kind)


def _regions(parsed: ParsedText, comments: "list[Node]") -> "Iterator[Fold]":
    opened: list[int] = []
    for node in comments:
        found = _REGION.match(parsed.data, node.start_byte) or _REGION.match(
            parsed.data[node.start_byte : node.start_byte + 40]
        )
        if found is None:
            continue
        if not found[1]:
            opened.append(node.start_point[0])
        elif opened:
            yield Fold(opened.pop(), node.start_point[0], "region")
