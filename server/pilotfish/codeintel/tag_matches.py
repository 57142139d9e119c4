"""The matches of a tag query in one tree.

Owns: sorting matches into definitions, uses, comments and documentation; finding the comment that
belongs to a definition.
Does not own: what becomes of the definitions (``codeintel.outline``).
"""

import re
from typing import TYPE_CHECKING, cast

from pilotfish.codeintel.doc_text import MAX_DOC_CHARS, doc_of_comments, doc_of_string
from pilotfish.codeintel.facts import ROLES, ReferenceRole
from pilotfish.codeintel.tag_queries import tag_query
from pilotfish.codeintel.trees import deadline
from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_MAX_COMMENT_LINES = 60
"""Comments before a definition that are looked at."""

_SLICE_BYTES = 65_536
"""How much of a text is matched at a time: the query holds the interpreter's lock meanwhile, and it
cannot be stopped (its own progress callback crashes the process in tree-sitter 0.26.1). What crosses
a border is found twice, which does no harm."""

_WORDS = re.compile(rb"[\w\s]*")
"""What may stand before a documented definition in its line: ``export default``."""

_MATCH_LIMIT = 4_096
"""Unfinished matches that the query may hold."""


@dataclass(kw_only=True, slots=True)
class Found:
    """A definition as matched; several patterns may match one."""

    kind: str
    """Of the first pattern."""
    pattern: int
    name_node: "Node"
    name_start: int
    """Where its name begins, be it before the node: at the ``operator`` of an operator."""
    node: "Node"
    """The whole, as the first pattern sees it."""
    whole: "Node"
    """The widest whole: with decorators, for example."""
    scope_node: "Node | None"
    body_node: "Node | None"
    """Its body, where that is no part of the node."""


class TagMatches:
    """What a query finds in a tree."""

    def __init__(self, language: str, tree: "Tree", data: bytes, limit_s: float) -> None:
        self.data = data
        """The text."""
        self.definitions: dict[int, Found] = {}
        """By the byte where their name begins."""
        self.uses: dict[ReferenceRole, list[Node]] = {role: [] for role in ROLES}
        """What each pattern sees; several may see one use."""
        self.complete = True
        """False when reading took too long or a pattern matched in too many ways."""
        self._closures: dict[int, Node] = {}
        self._bodies: dict[int, Node] = {}
        """What only looks like a function."""
        self._comments: dict[int, Node] = {}
        """By the row of their end; only those that begin their line."""
        self._attributes: dict[int, int] = {}
        """Row of the beginning by row of the end."""
        self._docs: dict[tuple[int, int], Node] = {}
        """Documentation strings by the bytes of what they document."""
        self._docs_before: dict[int, Node] = {}
        """Documentation strings that stand before what they document, by the row of their statement's end."""
        self._read(language, tree, limit_s)

    @property
    def closures(self) -> "list[Node]":
        """Functions without a name."""
        return [node for start, node in self._closures.items() if start not in self._bodies]

    def text(self, node: "Node") -> str:
        """Return the text of a node."""
        return self.text_between(node.start_byte, node.end_byte)

    def text_between(self, start: int, end: int) -> str:
        """Return a part of the text."""
        return self.data[start:end].decode("utf-8", "replace")

    def doc(self, node: "Node", whole: "Node") -> str:
        """Return the documentation of a definition; empty when there is none."""
        string = self._docs.get((node.start_byte, node.end_byte))
        if string is not None:
            text = self._head(string)
            return doc_of_comments([text]) if "comment" in string.type else doc_of_string(text)
        row, column = whole.start_point
        if not _WORDS.fullmatch(self.data, whole.start_byte - column, whole.start_byte):
            return ""  # the comment belongs to what begins the line
        row -= 1
        while (start := self._attributes.get(row)) is not None:
            row = start - 1
        if (before := self._docs_before.get(row)) is not None:
            return doc_of_string(self._head(before))
        comments: list[str] = []
        while (comment := self._comments.get(row)) is not None and len(
            comments
        ) < _MAX_COMMENT_LINES:
            comments.append(self._head(comment))
            row = comment.start_point[0] - 1
        return doc_of_comments(comments[::-1]) if comments else ""

    def _head(self, node: "Node") -> str:
        """Return the beginning of a node's text, enough for documentation."""
        end = min(node.end_byte, node.start_byte + 4 * MAX_DOC_CHARS)
        return self.data[node.start_byte : end].decode("utf-8", "replace")

    def _read(self, language: str, tree: "Tree", limit_s: float) -> None:
        from tree_sitter import QueryCursor

        # Before the clock starts: a query that is compiled for the first time takes what a text does.
        cursor = QueryCursor(tag_query(language), match_limit=_MATCH_LIMIT)
        late = deadline(limit_s)
        for start in range(0, len(self.data), _SLICE_BYTES):
            if late():
                self.complete = False
                return
            cursor.set_byte_range(start, start + _SLICE_BYTES)
            self._take(cursor.matches(tree.root_node))
            self.complete &= not cursor.did_exceed_match_limit

    def _take(self, matches: "list[tuple[int, dict[str, list[Node]]]]") -> None:
        for pattern, captures in matches:
            if "name" in captures:
                self._take_definition(pattern, captures)
                continue
            for label, nodes in captures.items():
                if label.startswith("ref"):
                    self.uses[cast("ReferenceRole", label[4:] or "other")] += nodes
                elif label in {"closure", "members"}:
                    kept = self._closures if label == "closure" else self._bodies
                    kept.update((node.start_byte, node) for node in nodes)
                elif label == "comment":
                    self._take_comments(nodes)
                elif label == "attribute":
                    for node in nodes:
                        self._attributes[_last_row(node)] = node.start_point[0]
                elif label.startswith("doc."):
                    self._take_doc(label, nodes[0], captures["doc"][0])

    def _take_definition(self, pattern: int, captures: dict[str, list["Node"]]) -> None:
        label = next(label for label in captures if label.startswith("def."))
        whole = captures[label][0]
        scopes, bodies = captures.get("scope"), captures.get("body")
        begins = captures.get("from")
        for name_node in captures["name"]:
            known = self.definitions.get(name_node.start_byte)
            if known is None or pattern < known.pattern:
                widest = whole if known is None else _wider(known.whole, whole)
                self.definitions[name_node.start_byte] = Found(
                    kind=label[4:],
                    pattern=pattern,
                    name_node=name_node,
                    name_start=(begins[0] if begins else name_node).start_byte,
                    node=whole,
                    whole=widest,
                    scope_node=scopes[0] if scopes else known and known.scope_node,
                    body_node=bodies[0] if bodies else None,
                )
            else:
                known.whole = _wider(known.whole, whole)
                if scopes and known.scope_node is None:
                    known.scope_node = scopes[0]

    def _take_doc(self, label: str, whole: "Node", string: "Node") -> None:
        if label == "doc.of":
            self._docs[whole.start_byte, whole.end_byte] = string
        else:
            self._docs_before[_last_row(whole)] = string

    def _take_comments(self, nodes: list["Node"]) -> None:
        for node in nodes:
            start, column = node.start_byte, node.start_point[1]
            if not self.data[start - column : start].strip():
                self._comments[_last_row(node)] = node


def _wider(one: "Node", other: "Node") -> "Node":
    return other if other.end_byte - other.start_byte > one.end_byte - one.start_byte else one


def _last_row(node: "Node") -> int:
    """Return the row where a node's text ends; some comments include their line's end."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row
