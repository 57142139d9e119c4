"""Definitions of a text without a syntax tree that shows them: it is too big, or its grammar tells none.

Owns: finding definitions line by line, by the words that languages begin them with.
See also: ``codeintel.symbols``, which asks for it.
"""

import re
from typing import cast

from pilotfish.codeintel.byte_positions import BytePositions
from pilotfish.codeintel.facts import Definition, FileFacts
from pilotfish.ports.code import Span, SymbolKind

MAX_DEFINITIONS = 5_000
"""Definitions that are taken from one text."""

_DEFINITION = re.compile(
    rb"^[ \t]{0,16}(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|"
    rb"pub|sealed|open|override|inline|local|unsafe|extern)[ \t]+){0,5}"
    rb"(class|interface|struct|enum|trait|protocol|module|namespace|def|function|func|fn|fun|type|"
    rb"defmodule|defp|defmacro|defn|message|service|rpc|procedure|proc|sub|subroutine|data|newtype)[ \t]+"
    rb"([A-Za-z_$][\w$]{0,199})",
    re.MULTILINE,
)

_KIND: dict[bytes, str] = {
    b"trait": "interface",
    b"protocol": "interface",
    b"def": "function",
    b"defmodule": "module",
    b"defp": "function",
    b"defmacro": "function",
    b"defn": "function",
    b"message": "struct",
    b"service": "interface",
    b"rpc": "method",
    b"procedure": "function",
    b"proc": "function",
    b"sub": "function",
    b"subroutine": "function",
    b"data": "class",
    b"newtype": "class",
    b"func": "function",
    b"fn": "function",
    b"fun": "function",
    b"type": "class",
}


def coarse_facts(language: str, data: bytes) -> FileFacts:
    """Return the definitions that their first line shows; no containers, no uses. Blocking."""
    return FileFacts(language=language, definitions=coarse_definitions(data), complete=False)


def coarse_definitions(data: bytes) -> tuple[Definition, ...]:
    """Return the definitions that their first line shows, without containers. Blocking."""
    positions = BytePositions(data)
    made: list[Definition] = []
    for found in _DEFINITION.finditer(data):
        name_span = Span(positions.position(found.start(2)), positions.position(found.end(2)))
        line_end = data.find(b"\n", found.end())
        line_end = len(data) if line_end < 0 else line_end
        line_end = min(line_end, found.start() + 300)
        made.append(
            Definition(
                name=found[2].decode("ascii", "replace"),
                kind=cast("SymbolKind", _KIND.get(found[1], found[1].decode("ascii"))),
                span=Span(positions.position(found.start(1)), positions.position(line_end)),
                name_span=name_span,
                parent=-1,
                signature=data[found.start() : line_end].decode("utf-8", "replace").strip(),
            )
        )
        if len(made) >= MAX_DEFINITIONS:
            break
    return tuple(made)
