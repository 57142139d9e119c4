"""What is known of code: where things are defined and used, whoever knows it.

Owns: the seam between those who ask (the ``LSP`` tool, the prompt, the editor-facing features) and the
three kinds of sources: the editor, language servers, the syntax index.
See also: design §7.

Positions are those of LSP: line and character from 0, characters in UTF-16 units.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from pilotfish.util.records import dataclass

LocateKind = Literal["definition", "references", "implementation", "type_definition"]
"""What can be asked about the symbol at a position."""

CallDirection = Literal["incoming", "outgoing"]

SymbolKind = Literal[
    "file", "module", "namespace", "package", "class", "method", "property", "field",
    "constructor", "enum", "interface", "function", "variable", "constant", "string", "number",
    "boolean", "array", "object", "key", "null", "enum_member", "struct", "event", "operator",
    "type_parameter",
]  # fmt: skip
"""The kinds of LSP, in its order: the first one is number 1 on the wire."""


@dataclass(frozen=True, order=True, slots=True)
class Position:
    """A place in a text."""

    line: int
    """From 0."""
    character: int
    """From 0, in UTF-16 units."""


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """A range of a text; the end is not part of it."""

    start: Position
    end: Position


@dataclass(frozen=True, order=True, slots=True)
class Location:
    """A range of a file."""

    path: Path
    """Absolute."""
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Symbol:
    """Something with a name."""

    name: str
    kind: SymbolKind
    path: Path
    """Absolute."""
    span: Span
    """The whole of it, with its body."""
    name_span: Span
    """Its name, within ``span``."""
    container: str = ""
    """What it is a part of, such as its class; empty at the top."""
    detail: str = ""
    """Its signature or type, in one line; may be empty."""
    children: tuple["Symbol", ...] = ()
    """Its parts; only in the symbols of a document."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CallLink:
    """One edge of the call hierarchy."""

    symbol: Symbol
    """Who calls, or what is called."""
    sites: tuple[Span, ...]
    """Where the calls stand: in the caller's file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextChange:
    """A range of a text and what to put there."""

    span: Span
    new_text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FileChange:
    """What a rename changes in one file."""

    path: Path
    changes: tuple[TextChange, ...]
    """Do not overlap; their positions are those of the file before any of them."""


class CodeSource(Protocol):
    """Knows code.

    Each question answers None when this source has nothing to say to it (it does not know the
    language, it is not running, it was too slow), so that the next source is asked; an empty answer
    means: it knows, and there is nothing. No question raises, none takes longer than the source's
    own limit, each can be cancelled.
    """

    name: str
    """How the model is told where an answer comes from."""

    async def locate(
        self, kind: LocateKind, path: Path, position: Position
    ) -> Sequence[Location] | None:
        """Find what belongs to the symbol at a position. References include the declaration."""
        ...

    async def hover(self, path: Path, position: Position) -> str | None:
        """Return signature and documentation of the symbol at a position, as Markdown."""
        ...

    async def document_symbols(self, path: Path) -> Sequence[Symbol] | None:
        """Return the symbols of a file as a forest, in the order of the text."""
        ...

    async def workspace_symbols(self, query: str, limit: int) -> Sequence[Symbol] | None:
        """Find symbols of the project by a part of their name, best first."""
        ...

    async def calls(
        self, direction: CallDirection, path: Path, position: Position
    ) -> Sequence[CallLink] | None:
        """Return who calls the function at a position, or what it calls."""
        ...

    async def loading(self, path: Path | None) -> Sequence[str]:
        """Return who of it has not read the project yet, by name, and so may know more in a while.

        Args:
            path: The file that was asked about; None: the project.
        """
        ...

    async def failures(self, path: Path | None) -> Sequence[str]:
        """Return what of it that was just asked does not work and why, a sentence without its end for each.

        It may have answered all the same, from what it knew before.

        Args:
            path: The file that was asked about; None: the project.
        """
        ...

    async def rename(
        self, path: Path, position: Position, new_name: str
    ) -> Sequence[FileChange] | None:
        """Work out a rename of the symbol at a position. Changes nothing."""
        ...
