"""How prompts that the server writes name places in code.

Owns: the client command that starts a prompt, its argument, what is asked of a place, and the words
for a place and a symbol.
"""

from collections.abc import Sequence
from typing import Any, Literal

from lsprotocol import types

from pilotfish.codeintel.enclosing import qualified_name
from pilotfish.edges.lsp.addresses import path_of
from pilotfish.ports.code import Position, Span, Symbol
from pilotfish.util.records import dataclass

START_PROMPT = "pilotfish.startPrompt"
"""Client command; one argument: prompt, whether to send at once, uri, range."""

Task = Literal["ask", "edit", "explain", "document", "test"]


@dataclass(frozen=True, slots=True)
class TaskPrompt:
    """What can be done with a place in code."""

    words: str
    """The prompt; the place stands for ``{}``."""
    send: bool
    """Whether it is sent at once; else the user goes on writing."""
    inline: bool = False
    """Whether it is best written at the place."""


TASKS: dict[Task, TaskPrompt] = {
    "ask": TaskPrompt("{}: ", send=False),
    "edit": TaskPrompt("Change {}: ", send=False, inline=True),
    "explain": TaskPrompt(
        "Explain {}: what it does, why it is there, who uses it, and what is easy to get wrong "
        "about it.",
        send=True,
    ),
    "document": TaskPrompt(
        "Write or improve the doc comments in {}, in the style that the project uses. "
        "Change no code.",
        send=True,
    ),
    "test": TaskPrompt(
        "Write tests for {} where the project keeps its tests and in its style, and run them.",
        send=True,
    ),
}


def prompt_argument(task: TaskPrompt, place: str, uri: str, shown: types.Range) -> dict[str, Any]:
    """Return the command's argument; the client puts the lines of the range into the prompt.

    Args:
        task: What is to be done.
        place: The words for the place.
        uri: The document.
        shown: The place that the prompt is about.
    """
    start, end = shown.start, shown.end
    return {
        "prompt": task.words.format(place),
        "send": task.send,
        "inline": task.inline,
        "uri": uri,
        "range": {
            "start": {"line": start.line, "character": start.character},
            "end": {"line": end.line, "character": end.character},
        },
    }


def place_of(uri: str) -> str:
    """Return a document's path; what is no file keeps its URI."""
    return str(path_of(uri) or uri)


def lines_of(found: types.Range) -> str:
    """Return the lines of a range, from 1; a line of which nothing is selected does not count."""
    first, last = found.start.line + 1, found.end.line + 1
    if found.end.character == 0 and last > first:
        last -= 1
    return f"{first}" if first == last else f"{first}-{last}"


def described(chain: Sequence[Symbol]) -> str:
    """Return the innermost of the symbols around a place: ``method `Cart.total`, lines 3-9``."""
    if not chain:
        return ""
    symbol = chain[-1]
    kind = symbol.kind.replace("_", " ")
    return f"{kind} `{qualified_name(chain)}`, lines {lines_of(range_of(symbol.span))}"


def selection_of(uri: str, selected: types.Range, chain: Sequence[Symbol]) -> str:
    """Return the words for selected lines in the symbols around them."""
    place = f"{place_of(uri)}:{lines_of(selected)}"
    around = described(chain)
    return f"{place} (in {around})" if around else place


def symbol_of(uri: str, chain: Sequence[Symbol]) -> str:
    """Return the words for the innermost of some symbols."""
    return f"{described(chain)} of {place_of(uri)}"


def position_of(position: types.Position) -> Position:
    """Return a position of the wire as ours."""
    return Position(position.line, position.character)


def range_of(span: Span) -> types.Range:
    """Return our span as a range of the wire."""
    return types.Range(
        start=types.Position(line=span.start.line, character=span.start.character),
        end=types.Position(line=span.end.line, character=span.end.character),
    )
