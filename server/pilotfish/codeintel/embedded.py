"""Languages within languages.

Owns: where scripts, styles and expressions of a page, page and code of a template, code and front matter
of Markdown stand, and their trees. The trees have the places of the whole text.
Does not own: taking a template apart (``codeintel.templates``).
"""

import re
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from pilotfish.codeintel.languages import PAGES, TEMPLATES, language_named
from pilotfish.codeintel.templates import CODE_LANGUAGES, Piece, taken_apart
from pilotfish.codeintel.trees import parse, parse_part
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
_MARKS = re.compile(rb"\{\{|\{%|<%|<\?|@[{(]")
"""What template engines that we do not know put into scripts, which are no scripts before they ran."""

_MAX_NODES = 50_000
"""Nodes that are looked at to find the parts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddedText:
    """A part of a text in another language."""

    language: str
    pieces: tuple[Piece, ...]
    """Where it stands, in the order of the text."""
    tree: "Tree"
    defines: bool
    """Whether it defines things: no page, no example and no single expression."""
    is_judged: bool
    """Whether it is meant to parse as it stands."""

    @property
    def root(self) -> "Node":
        """The root of its tree."""
        return self.tree.root_node


def embedded_texts(language: str, tree: "Tree", data: bytes) -> tuple[EmbeddedText, ...]:
    """Return the parts of a text that are in other languages, in the order of the text. Blocking."""
    root = tree.root_node
    if language in TEMPLATES:
        found = _template_parts(language, root, data)
    elif language in PAGES:
        expressions = _expressions(root, data, _EXPRESSIONS.get(language, {}))
        found = chain(_page_parts(root, data), expressions)
    elif language == "markdown":
        found = _text_parts(root, data)
    else:
        return ()
    return tuple(sorted(islice(found, MAX_PARTS), key=lambda part: part.pieces[:1]))


def _part(
    name: str, data: bytes, node: "Node", *, defines: bool, is_judged: bool
) -> "Iterator[EmbeddedText]":
    """Yield the part of a text that a node covers, unless parsing it takes too long."""
    tree = parse_part(name, data, node, is_fenced=node.type in _FRONT_MATTER)
    if tree is not None:
        yield EmbeddedText(
            language=name,
            pieces=((node.start_byte, node.end_byte),),
            tree=tree,
            defines=defines,
            is_judged=is_judged,
        )


def _template_parts(language: str, root: "Node", data: bytes) -> "Iterator[EmbeddedText]":
    template = taken_apart(language, root, data)
    if template is None:
        return
    code_language = CODE_LANGUAGES.get(language)
    code = parse(code_language, template.code) if code_language and template.code_pieces else None
    if code_language and code is not None:
        yield EmbeddedText(
            language=code_language,
            pieces=template.code_pieces,
            tree=code,
            defines=True,
            is_judged=template.is_sure,
        )
    page = parse("html", template.page)
    if page is None:
        return
    yield EmbeddedText(
        language="html",
        pieces=template.page_pieces,
        tree=page,
        defines=False,
        is_judged=False,
    )
    for part in _page_parts(page.root_node, template.page):
        start, end = part.pieces[0]
        yield part if template.is_unbroken(start, end) else replace(part, is_judged=False)


def _page_parts(root: "Node", data: bytes) -> "Iterator[EmbeddedText]":
    usual = {"script_element": "javascript", "style_element": "css"}
    for node in _nodes(root, frozenset({*usual, "frontmatter_js_block"})):
        if node.type == "frontmatter_js_block":
            yield from _part("typescript", data, node, defines=True, is_judged=True)
            continue
        body = next((child for child in node.children if child.type == "raw_text"), None)
        if body is None:
            continue
        named = _LANG.search(data[node.start_byte : body.start_byte])
        if named is None or named[1] in {b"module", b"javascript", b"css"}:
            language = usual[node.type]
        else:
            language = language_named(named[1].decode())
        if language is not None:
            is_plain = _MARKS.search(data, body.start_byte, body.end_byte) is None
            yield from _part(language, data, body, defines=True, is_judged=is_plain)


def _expressions(root: "Node", data: bytes, kinds: dict[str, str]) -> "Iterator[EmbeddedText]":
    """Yield the expressions of a template, which use what the scripts define."""
    for node in _nodes(root, frozenset(kinds)):
        inner = kinds[node.type]
        for part in _nodes(node, frozenset({inner})) if inner else (node,):
            yield from _part("typescript", data, part, defines=False, is_judged=False)


def _text_parts(root: "Node", data: bytes) -> "Iterator[EmbeddedText]":
    for node in _nodes(root, frozenset({"fenced_code_block", *_FRONT_MATTER})):
        if node.type in _FRONT_MATTER:
            yield from _part(_FRONT_MATTER[node.type], data, node, defines=True, is_judged=True)
            continue
        parts = {child.type: child for child in node.children}
        info, body = parts.get("info_string"), parts.get("code_fence_content")
        if info is None or body is None:
            continue
        words = data[info.start_byte : info.end_byte].decode("utf-8", "replace").split()
        language = language_named(words[0].strip("{}.")) if words else None
        if language is not None and language != "markdown":
            yield from _part(language, data, body, defines=False, is_judged=False)


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
