"""Code actions: entries of the editor's lightbulb that start a prompt.

Owns: which actions a range has and the prompt that each one sends.
Does not own: outlines (``edges.lsp.outlines``), what the client does with the command (it opens the
chat with the prompt).
"""

from collections.abc import Sequence
from typing import NamedTuple

from lsprotocol import types

from pilotfish.codeintel.enclosing import enclosing
from pilotfish.edges.lsp.prompt_places import (
    DOCUMENT,
    EXPLAIN,
    START_PROMPT,
    TEST,
    described,
    lines_of,
    place_of,
    position_of,
    prompt_argument,
    range_of,
)
from pilotfish.ports.code import Symbol

MAX_DIAGNOSTICS = 10
"""Diagnostics that one action names."""

MAX_RELATED = 5
"""Related places that are named for one diagnostic."""

MAX_MESSAGE_CHARS = 1_000
"""Longest message of a diagnostic in a prompt."""

MAX_SHOWN_LINES = 150
"""Longest symbol that goes into a prompt as a whole."""


class _Selection(NamedTuple):
    """An action on a selection; ``{}`` in the prompt is the place."""

    title: str
    prompt: str
    send: bool
    inline: bool = False


_ON_SELECTION = (
    _Selection("Ask Pilotfish about the selection", "{}: ", send=False),
    _Selection("Edit the selection with Pilotfish", "Change {}: ", send=False, inline=True),
    _Selection("Explain the selection with Pilotfish", EXPLAIN, send=True),
    _Selection("Document the selection with Pilotfish", DOCUMENT, send=True),
    _Selection("Test the selection with Pilotfish", TEST, send=True),
)


def code_actions(
    params: types.CodeActionParams, symbols: Sequence[Symbol]
) -> list[types.CodeAction]:
    """Return the actions for a range of a document with these symbols."""
    actions: list[types.CodeAction] = []
    if params.context.diagnostics:
        actions.append(_fix(params, params.context.diagnostics, symbols))
    if params.range.start != params.range.end:
        place = f"{place_of(params.text_document.uri)}:{lines_of(params.range)}"
        around = described(enclosing(symbols, position_of(params.range.start)))
        place = f"{place} (in {around})" if around else place
        actions += [
            _start(
                each.title, each.prompt.format(place), params, send=each.send, inline=each.inline
            )
            for each in _ON_SELECTION
        ]
    return actions


def _fix(
    params: types.CodeActionParams,
    diagnostics: Sequence[types.Diagnostic],
    symbols: Sequence[Symbol],
) -> types.CodeAction:
    named = diagnostics[:MAX_DIAGNOSTICS]
    place = place_of(params.text_document.uri)
    lines: list[str] = []
    shown = params.range
    for one in named:
        chain = enclosing(symbols, position_of(one.range.start))
        lines += _diagnostic_lines(one, place, described(chain))
        shown = _joined(shown, one.range)
        if chain and _line_count(chain[-1]) <= MAX_SHOWN_LINES:
            shown = _joined(shown, range_of(chain[-1].span))
    noun = "this diagnostic" if len(named) == 1 else "these diagnostics"
    prompt = f"Fix {noun} and check that nothing else breaks:\n" + "\n".join(lines)
    action = _start("Fix with Pilotfish", prompt, params, send=True, shown=shown)
    action.kind = types.CodeActionKind.QuickFix
    action.diagnostics = list(named)
    return action


def _diagnostic_lines(one: types.Diagnostic, place: str, around: str) -> list[str]:
    label = " ".join(part for part in (one.source, str(one.code or "")) if part)
    label = f"[{label}] " if label else ""
    within = f" (in {around})" if around else ""
    first = f"- {place}:{one.range.start.line + 1}{within}: {label}{_message(one.message)}"
    related = [
        f"  see {place_of(each.location.uri)}:{each.location.range.start.line + 1}: "
        f"{_message(each.message)}"
        for each in (one.related_information or ())[:MAX_RELATED]
    ]
    return [first, *related]


def _message(text: str) -> str:
    return text if len(text) <= MAX_MESSAGE_CHARS else text[: MAX_MESSAGE_CHARS - 1] + "…"


def _start(
    title: str,
    prompt: str,
    params: types.CodeActionParams,
    *,
    send: bool,
    inline: bool = False,
    shown: types.Range | None = None,
) -> types.CodeAction:
    uri = params.text_document.uri
    argument = prompt_argument(prompt, uri, shown or params.range, send=send, inline=inline)
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.Refactor,
        command=types.Command(title=title, command=START_PROMPT, arguments=[argument]),
    )


def _joined(one: types.Range, other: types.Range) -> types.Range:
    starts = (one.start, other.start)
    ends = (one.end, other.end)
    return types.Range(
        start=min(starts, key=lambda each: (each.line, each.character)),
        end=max(ends, key=lambda each: (each.line, each.character)),
    )


def _line_count(symbol: Symbol) -> int:
    return symbol.span.end.line - symbol.span.start.line + 1
