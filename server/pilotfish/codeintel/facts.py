"""What the syntax of one file tells.

Owns: the records that extraction makes of a syntax tree and that the index keeps.
Does not own: extraction (``codeintel.symbols``), the index (``codeintel.index``).

Positions are those of ``ports.code``: from 0, characters in UTF-16 units.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Literal, NamedTuple, overload

from pilotfish.codeintel.byte_positions import utf16_length
from pilotfish.ports.code import Position, Span, SymbolKind
from pilotfish.util.records import dataclass

ReferenceRole = Literal["call", "type", "import", "other"]
"""How a name is used; ``other`` also where the grammar does not tell."""

ROLES: tuple[ReferenceRole, ...] = ("other", "call", "type", "import")
"""The roles by the number that stands for them in ``Uses``."""


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


class Uses(Sequence[Reference]):
    """Uses of names in the order of the text, packed by name: few of them are ever looked at."""

    def __init__(self, sites: Mapping[str, Sequence[int]]) -> None:
        self.sites = sites
        """Line, character and number of the role of each use, one after the other, by name."""
        self._ordered: list[Reference] | None = None

    def named(self, name: str) -> list[Reference]:
        """Return the uses of one name."""
        length = utf16_length(name)
        return [
            Reference(
                name,
                Span(Position(line, character), Position(line, character + length)),
                ROLES[role],
            )
            for line, character, role in zip(*[iter(self.sites.get(name, ()))] * 3, strict=True)
        ]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Uses) and self.sites == other.sites

    def __hash__(self) -> int:
        return hash(frozenset(self.sites))

    def __len__(self) -> int:
        return sum(map(len, self.sites.values())) // 3

    def __iter__(self) -> Iterator[Reference]:
        return iter(self._all())

    @overload
    def __getitem__(self, at: int, /) -> Reference: ...
    @overload
    def __getitem__(self, at: slice, /) -> Sequence[Reference]: ...
    def __getitem__(self, at: int | slice, /) -> Reference | Sequence[Reference]:
        return self._all()[at]

    def _all(self) -> list[Reference]:
        if self._ordered is None:
            found = [one for name in self.sites for one in self.named(name)]
            self._ordered = sorted(found, key=lambda each: each.span)
        return self._ordered


@dataclass(frozen=True, kw_only=True, slots=True)
class FileFacts:
    """Everything that is taken from one file."""

    language: str
    definitions: tuple[Definition, ...] = ()
    """In the order of the text; a container before its parts."""
    references: Uses = field(default_factory=lambda: Uses({}))
    """Uses of names, definitions not included; in the order of the text."""
    complete: bool = True
    """False when the file was too big, parsing took too long, or a cap was reached."""
