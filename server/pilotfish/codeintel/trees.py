"""Syntax trees.

Owns: loading grammars, parsing within limits of time and size.
Does not own: what is read from a tree (``codeintel.syntax``, ``codeintel.symbols``), trees of open
documents (``codeintel.open_trees``).
"""

import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, cast

from pilotfish.codeintel.languages import grammar_name

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Tree
    from tree_sitter_language_pack import SupportedLanguage

TIME_LIMIT_S = 2.0
"""How long parsing may take (design §6)."""

CHUNK_BYTES = 32_768
"""How much the parser asks for at a time. In between other threads may run: the parser holds the
interpreter's lock otherwise."""


@cache
def load_grammar(language: str) -> "Language":
    """Return a grammar. The first use reads it from disk, some milliseconds.

    Raises:
        LookupError: There is no grammar of that name.
    """
    from tree_sitter_language_pack import get_language

    # The library itself refuses a name that it does not have.
    return get_language(cast("SupportedLanguage", grammar_name(language)))


def parse(
    language: str, data: bytes, old_tree: "Tree | None" = None, limit_s: float = TIME_LIMIT_S
) -> "Tree | None":
    """Parse a text; None when it takes too long. Blocking.

    Args:
        language: The grammar's name.
        data: The text in UTF-8.
        old_tree: The tree of the text before, already told of the edits.
        limit_s: Longest time.
    """
    from tree_sitter import Parser

    return _parse(Parser(load_grammar(language)), data, old_tree, limit_s)


def _parse(parser: "Parser", data: bytes, old_tree: "Tree | None", limit_s: float) -> "Tree | None":
    late = deadline(limit_s)

    def read(offset: int, _: object) -> bytes:
        return data[offset : offset + CHUNK_BYTES]

    def stop(_: int, __: bool) -> bool:  # noqa: FBT001 - the parser calls it
        return late()

    try:
        if old_tree is None:
            return parser.parse(read, progress_callback=stop)
        return parser.parse(read, old_tree, progress_callback=stop)
    except ValueError:
        return None  # how a parse that was stopped ends


def parse_part(
    language: str, data: bytes, part: "Node", *, is_fenced: bool = False
) -> "Tree | None":
    """Parse the part of a text that a node of another tree covers; None when it takes too long.

    The tree's places are those of the whole text. Blocking.

    Args:
        language: The grammar's name.
        data: The whole text.
        part: What covers the part.
        is_fenced: Whether the first and the last line of it do not belong to it.
    """
    from tree_sitter import Parser, Range

    span = Range(part.start_point, part.end_point, part.start_byte, part.end_byte)
    if is_fenced:
        start = data.index(b"\n", part.start_byte) + 1
        end = max(start, data.rindex(b"\n", 0, len(data[: part.end_byte].rstrip())) + 1)
        first = part.start_point[0] + 1
        span = Range((first, 0), (first + data.count(b"\n", start, end), 0), start, end)
    parser = Parser(load_grammar(language), included_ranges=[span])
    return _parse(parser, data, None, TIME_LIMIT_S)


def deadline(limit_s: float) -> Callable[[], bool]:
    """Return a function that tells whether a time from now on has passed."""
    end = time.monotonic() + limit_s
    return lambda: time.monotonic() > end
