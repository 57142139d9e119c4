"""What the syntax of one file tells.

Owns: the records that extraction makes of a syntax tree and that the index keeps.
Does not own: extraction (``codeintel.symbols``), the index (``codeintel.index``).

Positions are those of ``ports.code``: from 0, characters in UTF-16 units.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from pilotfish.ports.code import Span, SymbolKind

ReferenceRole = Literal["call", "type", "import", "other"]
"""How a name is used; ``other`` also where the grammar does not tell."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Definition:
    """A name that a file gives to something."""

    name: str
    kind: SymbolKind
    span: Span
    """The whole of it, with its body."""
    name_span: Span
    parent: int
    """Index of what contains it in ``FileFacts.definitions``; -1 at the top. Always smaller than its own."""
    scope: str = ""
    """Name of what it belongs to: its container's, or what the code itself says (a receiver, the type of
    an ``impl`` block, ``Foo::`` before it); empty at the top."""
    signature: str = ""
    """Its first line or lines up to the body, white space collapsed; cut to a limit."""
    doc: str = ""
    """What its doc comment says, without comment marks; cut to a limit."""


class Reference(NamedTuple):
    """A use of a name."""

    name: str
    span: Span
    role: ReferenceRole


@dataclass(frozen=True, kw_only=True, slots=True)
class FileFacts:
    """Everything that is taken from one file."""

    language: str
    definitions: tuple[Definition, ...] = ()
    """In the order of the text; a container before its parts."""
    references: tuple[Reference, ...] = ()
    """Uses of names, definitions not included; in the order of the text."""
    complete: bool = True
    """False when the file was too big, parsing took too long, or a cap was reached."""
