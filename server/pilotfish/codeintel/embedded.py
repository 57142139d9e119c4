"""Languages within languages: scripts, styles and expressions of a page, code and front matter of Markdown.

Owns: where they stand, their trees. The trees have the places of the whole text.
"""

import re
from itertools import chain
from typing import TYPE_CHECKING

from pilotfish.codeintel.languages import PAGES, language_named
from pilotfish.codeintel.trees import parse_part
from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Tree

MAX_PARTS = 100
"""Parts of one text that are looked at."""

_EXPRESSIONS = {
    "vue": {"directive_attribute": "attribute_value", "interpolation": "raw_text"},
    "svelte": {"raw_text_expr": ""},
    "astro": {"html_interpolation": "permissible_text"},
}
"""What holds an expression of a page's template, and what in it is the expression; empty: itself."""

_FRONT_MATTER = {"minus_metadata": "yaml", "plus_metadata": "toml"}
"""Languages of what stands before a Markdown text, between two lines of signs."""

_LANG = re.compile(rb"""\b(?:lang|type)\s*=\s*["']?(?:(?:text|application)/)?([\w+-]+)""")
_MAX_NODES = 50_000
"""Nodes that are looked at to find the parts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddedText:
    """A part of a text in another language."""

    language: str
    start: int
    """Its first byte in the whole text."""
    end: int
    tree: "Tree"
    is_whole: bool
    """Whether it is meant to be complete, and defines things: no example and no single expression."""

    @property
    def root(self) -> "Node":
        """The root of its tree."""
        return self.tree.root_node


def embedded_texts(language: str, tree: "Tree", data: bytes) -> tuple[EmbeddedText, ...]:
    """Return the parts of a text that are in other languages, in the order of the text. Blocking."""
    found: Iterator[tuple[str, Node, bool]]
    if language in PAGES:
        root = tree.root_node
        found = chain(_page_parts(root, data), _expressions(root, _EXPRESSIONS.get(language, {})))
    elif language == "markdown":
        found = _text_parts(tree.root_node, data)
    else:
        return ()
    made: list[EmbeddedText] = []
    for name, node, is_whole in found:
        part = parse_part(name, data, node, is_fenced=node.type in _FRONT_MATTER)
        if part is not None:
            made.append(
                EmbeddedText(
                    language=name,
                    start=node.start_byte,
                    end=node.end_byte,
                    tree=part,
                    is_whole=is_whole,
                )
            )
        if len(made) >= MAX_PARTS:
            break
    return tuple(sorted(made, key=lambda part: part.start))


def _page_parts(root: "Node", data: bytes) -> "Iterator[tuple[str, Node, bool]]":
    usual = {"script_element": "javascript", "style_element": "css"}
    for node in _nodes(root, frozenset({*usual, "frontmatter_js_block"})):
        if node.type == "frontmatter_js_block":
            yield "typescript", node, True
            continue
        body = next((child for child in node.children if child.type == "raw_text"), None)
        if body is None:
            continue
        named = _LANG.search(data[node.start_byte : body.start_byte])
        if named is None or named[1] in {b"module", b"javascript", b"css"}:
            yield usual[node.type], body, True
        elif (language := language_named(named[1].decode())) is not None:
            yield language, body, True


def _expressions(root: "Node", kinds: dict[str, str]) -> "Iterator[tuple[str, Node, bool]]":
    """Yield the expressions of a template, which use what the scripts define."""
    for node in _nodes(root, frozenset(kinds)):
        inner = kinds[node.type]
        for part in _nodes(node, frozenset({inner})) if inner else (node,):
            yield "typescript", part, False


def _text_parts(root: "Node", data: bytes) -> "Iterator[tuple[str, Node, bool]]":
    for node in _nodes(root, frozenset({"fenced_code_block", *_FRONT_MATTER})):
        if node.type in _FRONT_MATTER:
            yield _FRONT_MATTER[node.type], node, True
            continue
        parts = {child.type: child for child in node.children}
        info, body = parts.get("info_string"), parts.get("code_fence_content")
        if info is None or body is None:
            continue
        words = data[info.start_byte : info.end_byte].decode("utf-8", "replace").split()
        language = language_named(words[0].strip("{}.")) if words else None
        if language is not None and language != "markdown":
            yield language, body, False


def _nodes(root: "Node", wanted: frozenset[str]) -> "Iterator[Node]":
    stack = [root]
    for _ in range(_MAX_NODES):
        if not stack:
            return
        node = stack.pop()
        if node.type in wanted:
            yield node
        else:
            stack.extend(reversed(node.named_children))
