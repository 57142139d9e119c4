"""Languages within languages: scripts and styles of a page, fenced code of a Markdown text.

Owns: where they stand, their trees. The trees have the places of the whole text.
"""

import re
from typing import TYPE_CHECKING

from pilotfish.codeintel.languages import language_named
from pilotfish.codeintel.open_trees import ParsedText
from pilotfish.codeintel.trees import parse_part
from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Tree

MAX_PARTS = 100
"""Parts of one text that are looked at."""

_PAGES = frozenset({"html", "vue", "svelte", "astro"})
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
    """Whether it is meant to be complete: an example in a text need not be."""

    @property
    def root(self) -> "Node":
        """The root of its tree."""
        return self.tree.root_node


def embedded_texts(parsed: ParsedText) -> tuple[EmbeddedText, ...]:
    """Return the parts of a text that are in other languages. Blocking."""
    if parsed.language in _PAGES:
        found = _page_parts(parsed)
    elif parsed.language == "markdown":
        found = _fences(parsed)
    else:
        return ()
    made: list[EmbeddedText] = []
    for language, node in found:
        tree = parse_part(language, parsed.data, node)
        if tree is not None:
            made.append(
                EmbeddedText(
                    language=language,
                    start=node.start_byte,
                    end=node.end_byte,
                    tree=tree,
                    is_whole=parsed.language != "markdown",
                )
            )
        if len(made) >= MAX_PARTS:
            break
    return tuple(made)


def _page_parts(parsed: ParsedText) -> "Iterator[tuple[str, Node]]":
    usual = {"script_element": "javascript", "style_element": "css"}
    for node in _nodes(parsed.tree.root_node, frozenset(usual)):
        body = next((child for child in node.children if child.type == "raw_text"), None)
        if body is None:
            continue
        opening = parsed.data[node.start_byte : body.start_byte]
        named = _LANG.search(opening)
        if named is None or named[1] in {b"module", b"javascript", b"css"}:
            yield usual[node.type], body
        elif (language := language_named(named[1].decode())) is not None:
            yield language, body


def _fences(parsed: ParsedText) -> "Iterator[tuple[str, Node]]":
    for node in _nodes(parsed.tree.root_node, frozenset({"fenced_code_block"})):
        parts = {child.type: child for child in node.children}
        info, body = parts.get("info_string"), parts.get("code_fence_content")
        if info is None or body is None:
            continue
        words = parsed.data[info.start_byte : info.end_byte].decode("utf-8", "replace").split()
        language = language_named(words[0].strip("{}.")) if words else None
        if language is not None and language != "markdown":
            yield language, body


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
