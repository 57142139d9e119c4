"""Tag queries: what in a syntax tree is a definition, a use of a name, a comment.

Owns: the queries of the package (``tags/*.scm``), and those worked out from a grammar's node types
where there is none.
Does not own: what is made of their matches (``codeintel.symbols``).

Captures: ``@def.<kind>`` on a definition with ``@name`` on its name and perhaps ``@scope`` on what it
belongs to, ``@from`` on where the name begins before its node; ``@ref.<role>`` or ``@ref`` on a use;
``@closure`` on a function without a name, ``@members`` on what only looks like one; ``@comment``; ``@attribute`` on what stands between a comment
and its definition; ``@doc`` in ``@doc.of``, or in a ``@doc.before`` that stands where a comment would;
``@body`` on a body that lies behind the definition's node. What begins with ``@_`` serves conditions only.
"""

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from pilotfish.codeintel.trees import load_grammar

if TYPE_CHECKING:
    from tree_sitter import Language, Query

_BUILT_ON: dict[str, tuple[str, ...]] = {
    "tsx": ("typescript",),
    "cpp": ("c",),
    "cuda": ("c", "cpp"),
    "arduino": ("c", "cpp"),
    "hlsl": ("c", "cpp"),
    "objc": ("c",),
    "ocaml": ("ocaml_interface",),
}
"""Languages whose query begins with those of others."""

_MAX_KINDS = 80
"""Node types that a generic query looks at: each try compiles a pattern, slow in large grammars."""

_NAME_KINDS = ("identifier", "simple_identifier", "type_identifier", "name", "word", "symbol")
"""Node types that a name may be where no field says so, likeliest first."""

_KIND_OF_WORD = {
    "class": "class", "struct": "struct", "record": "struct", "enum": "enum", "enumeration": "enum",
    "interface": "interface", "trait": "interface", "protocol": "interface", "module": "module",
    "namespace": "namespace", "package": "package", "function": "function", "func": "function",
    "fun": "function", "method": "method", "procedure": "function", "subroutine": "function",
    "macro": "function", "constructor": "constructor", "type": "alias", "typedef": "alias",
    "message": "struct", "service": "interface", "rpc": "method", "contract": "class",
    "event": "event", "modifier": "function", "object": "class", "rule": "function",
    "constant": "constant", "const": "constant",
}  # fmt: skip
"""What a word in the name of a node type says; the first word that says something counts."""

_DEFINES = frozenset(
    {"definition", "declaration", "def", "decl", "item", "specifier", "implementation"}
)
"""Words of node types that define; one of them must be there."""

_NAME_NODE = re.compile(r"(^|_)(identifier|name|word|symbol|constant|atom)$")
_COMMENT_NODE = re.compile(r"(^|_)comment$")


@cache
def tag_query(language: str) -> "Query":
    """Return the query of a language. The first use compiles it, some milliseconds.

    Raises:
        LookupError: There is no grammar of that name.
    """
    from tree_sitter import Query

    grammar = load_grammar(language)
    source = "\n".join(
        text for name in (*_BUILT_ON.get(language, ()), language) if (text := _bundled(name))
    )
    return Query(grammar, source or _generic(grammar))


@cache
def has_definitions(language: str) -> bool:
    """Tell whether the query of a language finds any definitions."""
    query = tag_query(language)
    names = (query.capture_name(at) for at in range(query.capture_count))
    return any(name.startswith("def.") for name in names)


def _bundled(language: str) -> str:
    file = resources.files("pilotfish.codeintel") / "tags" / f"{language}.scm"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _generic(grammar: "Language") -> str:
    """Work out a query from the names of node types."""
    kinds = sorted(
        {
            kind
            for number in range(grammar.node_kind_count)
            if grammar.node_kind_is_named(number)
            and grammar.node_kind_is_visible(number)
            and (kind := grammar.node_kind_for_id(number)) is not None
            and kind != "ERROR"
        }
    )
    names = [kind for kind in kinds if _NAME_NODE.search(kind)]
    likely = [kind for kind in _NAME_KINDS if kind in names]
    defining = [(kind, defined) for kind in kinds if (defined := _defined_kind(kind)) is not None]
    patterns: list[str] = []
    for kind, defined in defining[:_MAX_KINDS]:
        patterns += _first_valid(grammar, kind, defined, likely)
    patterns += [f"({kind}) @comment" for kind in kinds if _COMMENT_NODE.search(kind)]
    patterns += [f"({kind}) @ref" for kind in names]
    return "\n".join(patterns)


def _defined_kind(node_kind: str) -> str | None:
    words = node_kind.split("_")
    if not _DEFINES.intersection(words):
        return None
    return next((_KIND_OF_WORD[word] for word in words if word in _KIND_OF_WORD), None)


def _first_valid(grammar: "Language", kind: str, defined: str, names: list[str]) -> list[str]:
    """Return a pattern for a definition: by its field ``name``, else by a child that is a name."""
    from tree_sitter import Query, QueryError

    has_field = grammar.field_id_for_name("name") is not None
    candidates = [f"({kind} name: (_) @name) @def.{defined}"] if has_field else []
    candidates += [f"({kind} . ({name}) @name) @def.{defined}" for name in names]
    for pattern in candidates:
        try:
            Query(grammar, pattern)
        except QueryError:
            continue  # the grammar has no such node
        return [pattern]
    return []
