"""Templates: pages and code that take turns in one text (PHP, ERB, EJS).

Owns: the page and the code of such a text, each as a text of the same length with the rest blanked out,
so that every place is where it is in the template.
Does not own: parsing them (``codeintel.embedded``).
"""

import re
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING

from pilotfish.codeintel.trees import load_grammar
from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node, Query

Piece = tuple[int, int]
"""First byte, and the byte behind the last one."""

CODE_LANGUAGES = {"erb": "ruby", "ejs": "javascript"}
"""What the code of a template is in. PHP is its own host: its tree holds the code."""

MAX_PIECES = 10_000
"""Pieces of one template that are looked at."""

_DIRECTIVES = frozenset({"directive", "output_directive"})
_NOT_BLANK = re.compile(rb"[^\r\n]")
_PHP_PAGE = re.compile(rb"\?>\s*(?!<\?)\S|\A\s*(?!<\?)\S")
"""Where PHP may hold a page: most files hold none, which must cost nothing."""

_ENDS = re.compile(rb"[\w\x80-\xff)\]}|\"'?!`]\s*$")
"""Code behind which a statement may end."""

_GOES_ON = re.compile(rb"\s*(?:else|catch|finally|while)\b|\s*[),.\]]")
"""Code in JavaScript that goes on with a statement after a closing brace."""

_UNSURE = {"erb": re.compile(rb"(?:^|\s)#[^{]|<<[~\-A-Z\"']"), "ejs": re.compile(rb"(?<!:)//")}
"""A comment would hide the code of the next piece, a here-document means the page: nothing is judged then."""

_NO_CODE = {
    "erb": re.compile(rb"\s*#[^\n]*\Z"),
    "ejs": re.compile(rb"\s*(?://[^\n]*|include\s+[\w./'\"-]+\s*)\Z"),
}
"""Pieces that are comments, or orders to the template's engine."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Template:
    """A template taken apart. The texts are as long as the template."""

    page: bytes
    """The page; digits stand where something is put in, blanks where code is run."""
    page_pieces: tuple[Piece, ...]
    code: bytes
    """The code, with what ends statements; empty where the host's own tree holds it."""
    code_pieces: tuple[Piece, ...]
    is_sure: bool
    """Whether the code is what the template's engine would run."""

    def is_unbroken(self, start: int, end: int) -> bool:
        """Tell whether a range of the page is free of code."""
        return any(first <= start and end <= last for first, last in self.page_pieces)


def taken_apart(language: str, root: "Node", data: bytes) -> Template | None:
    """Return page and code of a template; None where a text in PHP holds no page."""
    if language == "php":
        return _php(root, data) if _PHP_PAGE.search(data) else None
    code, page = bytearray(_NOT_BLANK.sub(b" ", data)), bytearray(data)
    pages: list[Piece] = []
    parts: list[Node] = []
    for node in root.children[:MAX_PIECES]:
        if node.type == "content":
            pages.append((node.start_byte, node.end_byte))
            continue
        _fill(page, node, puts_in=node.type == "output_directive")
        if node.type in _DIRECTIVES:
            parts.append(node)
    is_sure = not root.has_error and root.child_count <= MAX_PIECES
    followers = (_code(part, data) for part in parts[1:])
    for node in parts:
        is_sure &= _put_code(language, node, data, code, next(followers, b""))
    return Template(
        page=bytes(page),
        page_pieces=tuple(pages),
        code=bytes(code),
        code_pieces=tuple((node.start_byte, node.end_byte) for node in parts),
        is_sure=is_sure,
    )


def _php(root: "Node", data: bytes) -> Template | None:
    from tree_sitter import QueryCursor

    found = QueryCursor(_php_query()).captures(root)
    pieces = sorted((node.start_byte, node.end_byte) for node in found.get("page", ()))
    if not any(data[start:end].strip() for start, end in pieces):
        return None
    page = bytearray(_NOT_BLANK.sub(b" ", data))
    for start, end in pieces:
        page[start:end] = data[start:end]
    for node in found.get("tag", ()):
        start = node.start_byte
        if data[start : node.end_byte] == b"<?=":
            at = bisect_left(pieces, (start, start))
            end = pieces[at][0] if at < len(pieces) else len(data)
            page[start:end] = _NOT_BLANK.sub(b"0", data[start:end])
    return Template(
        page=bytes(page), page_pieces=tuple(pieces), code=b"", code_pieces=(), is_sure=True
    )


@cache
def _php_query() -> "Query":
    from tree_sitter import Query

    return Query(load_grammar("php"), "(text) @page (php_tag) @tag")


def _fill(page: bytearray, node: "Node", *, puts_in: bool) -> None:
    start, end = node.start_byte, node.end_byte
    page[start:end] = _NOT_BLANK.sub(b"0" if puts_in else b" ", page[start:end])


def _put_code(language: str, node: "Node", data: bytes, code: bytearray, after: bytes) -> bool:
    """Put a piece of code in its place, its end behind it; returns whether it is what it seems."""
    text = _code(node, data)
    if _NO_CODE[language].match(text):
        return True
    inner, last = _code_node(node), node.end_byte - 1
    if inner is None:
        return True
    code[inner.start_byte : inner.end_byte] = text
    if language == "ejs" and node.type == "output_directive":
        # An object or a function is an expression only within parentheses.
        code[inner.start_byte - 1 : inner.start_byte] = b"("
        code[last - 1 : last + 1] = b");"
    elif _ENDS.search(text) and not _goes_on(language, text, after):
        code[last : last + 1] = b";"
    return _UNSURE[language].search(text) is None


def _goes_on(language: str, text: bytes, after: bytes) -> bool:
    closes = text.rstrip().endswith(b"}")
    return language == "ejs" and closes and _GOES_ON.match(after) is not None


def _code_node(node: "Node") -> "Node | None":
    return next((child for child in node.children if child.type == "code"), None)


def _code(node: "Node", data: bytes) -> bytes:
    inner = _code_node(node)
    return b"" if inner is None else data[inner.start_byte : inner.end_byte]
