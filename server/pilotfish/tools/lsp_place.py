"""The place in a file that a call of the LSP tool is about.

Owns: loading the file and finding the symbol that the model named by line and text.
Does not own: what is asked about it (``tools.lsp``).
"""

import asyncio
from pathlib import Path

from pilotfish.codeintel.text_lines import TextLines, find_symbol, lines_with
from pilotfish.ports.code import Position
from pilotfish.tooling.context import ToolContext
from pilotfish.tooling.spec import ToolInputError
from pilotfish.tools.paths import short_path
from pilotfish.util.records import dataclass

MAX_LINES_NAMED = 10
"""Lines that are offered when the symbol is not where it was said to be."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedSymbol:
    """How the model names a symbol."""

    symbol: str
    line: int | None
    """From 1."""
    occurrence: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A symbol in a file."""

    path: Path
    position: Position
    note: str
    """What the model should know of how the place was found; empty when it was as it said."""


async def find_place(path: Path, named: NamedSymbol, ctx: ToolContext) -> Place:
    """Find the symbol.

    Raises:
        WorkspaceError: The file cannot be read.
        ToolInputError: The symbol is not in it, or not near that line; says where it is.
    """
    loaded = await ctx.edits.load(path)
    if loaded.text is None:
        raise ToolInputError(f"{path} was deleted in the meantime.")
    return await asyncio.to_thread(_find, path, loaded.text, named, short_path(path, ctx))


def _find(path: Path, text: str, named: NamedSymbol, name: str) -> Place:
    lines = TextLines(text)
    near = None if named.line is None else named.line - 1
    found = find_symbol(lines, named.symbol, near=near, occurrence=named.occurrence)
    if found is None:
        raise ToolInputError(_not_there(lines, named, name))
    line = found.position.line + 1
    notes: list[str] = []
    if not found.is_exact:
        notes.append(f"`{named.symbol}` is not in line {named.line}; line {line} is meant.")
    elif near is None:
        notes.append(f"`{named.symbol}` is taken from line {line}, the first one that holds it.")
    if named.occurrence > found.occurrences:
        notes.append(f"Line {line} holds it {found.occurrences} times; the last one is meant.")
    return Place(path=path, position=found.position, note=" ".join(notes))


def _not_there(lines: TextLines, named: NamedSymbol, name: str) -> str:
    others = lines_with(lines, named.symbol, MAX_LINES_NAMED + 1)
    if not others:
        return (
            f"`{named.symbol}` is nowhere in {name}. Give the symbol's text as it stands in the "
            "file, or look for it with the operation workspace_symbols."
        )
    numbers = ", ".join(str(number + 1) for number in others[:MAX_LINES_NAMED])
    more = " and more" if len(others) > MAX_LINES_NAMED else ""
    return (
        f"`{named.symbol}` is not in or near line {named.line} of {name}. It stands in the lines "
        f"{numbers}{more}; name one of them."
    )
