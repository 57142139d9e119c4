"""Code actions: entries of the editor's lightbulb that start a prompt.

Owns: which actions a range has and the prompt that each one sends.
Does not own: outlines (``edges.lsp.outlines``), what the client does with the command (it opens the
chat with the prompt).
"""

from collections.abc import Sequence
from typing import Any

from lsprotocol import types

from pilotfish.codeintel.enclosing import enclosing
from pilotfish.edges.lsp.prompt_places import (
    START_PROMPT,
    TASKS,
    Task,
    TaskPrompt,
    described,
    place_of,
    position_of,
    prompt_argument,
    range_of,
    selection_of,
)
from pilotfish.ports.code import Symbol
from pilotfish.util.text_span import shortened

MAX_DIAGNOSTICS = 10
"""Diagnostics that one action names."""

MAX_RELATED = 5
"""Related places that are named for one diagnostic."""

MAX_MESSAGE_CHARS = 1_000
"""Longest message of a diagnostic in a prompt."""

MAX_SHOWN_LINES = 150
"""Longest symbol that goes into a prompt as a whole."""


_ON_SELECTION: tuple[tuple[str, Task], ...] = (
    ("Ask Pilotfish about the selection", "ask"),
    ("Edit the selection with Pilotfish", "edit"),
    ("Explain the selection with Pilotfish", "explain"),
    ("Document the selection with Pilotfish", "document"),
    ("Test the selection with Pilotfish", "test"),
)


def code_actions(
    params: types.CodeActionParams, symbols: Sequence[Symbol]
) -> list[types.CodeAction]:
    """Return the actions for a range of a document with these symbols."""
    actions: list[types.CodeAction] = []
    uri, selected = params.text_document.uri, params.range
    if params.context.diagnostics:
        actions.append(_fix(params, params.context.diagnostics, symbols))
    if selected.start != selected.end:
        place = selection_of(uri, selected, enclosing(symbols, position_of(selected.start)))
        actions += [
            _start(title, prompt_argument(TASKS[task], place, uri, selected))
            for title, task in _ON_SELECTION
        ]
    return actions


def fix_argument(
    uri: str,
    selected: types.Range,
    diagnostics: Sequence[types.Diagnostic],
    symbols: Sequence[Symbol],
) -> dict[str, Any]:
    """Return what the command that fixes some diagnostics carries."""
    named = diagnostics[:MAX_DIAGNOSTICS]
    place = place_of(uri)
    lines: list[str] = []
    shown = selected
    for one in named:
        chain = enclosing(symbols, position_of(one.range.start))
        lines += _diagnostic_lines(one, place, described(chain))
        shown = _joined(shown, one.range)
        if chain and _line_count(chain[-1]) <= MAX_SHOWN_LINES:
            shown = _joined(shown, range_of(chain[-1].span))
    noun = "this diagnostic" if len(named) == 1 else "these diagnostics"
    task = TaskPrompt(f"Fix {noun} and check that nothing else breaks:\n{{}}", send=True)
    return prompt_argument(task, "\n".join(lines), uri, shown)


def _fix(
    params: types.CodeActionParams,
    diagnostics: Sequence[types.Diagnostic],
    symbols: Sequence[Symbol],
) -> types.CodeAction:
    argument = fix_argument(params.text_document.uri, params.range, diagnostics, symbols)
    action = _start("Fix with Pilotfish", argument)
    action.kind = types.CodeActionKind.QuickFix
    action.diagnostics = list(diagnostics[:MAX_DIAGNOSTICS])
    return action


def _diagnostic_lines(one: types.Diagnostic, place: str, around: str) -> list[str]:
    label = " ".join(part for part in (one.source, str(one.code or "")) if part)
    label = f"[{label}] " if label else ""
    within = f" (in {around})" if around else ""
    first = f"- {place}:{one.range.start.line + 1}{within}: {label}{shortened(one.message, MAX_MESSAGE_CHARS)}"
    related = [
        f"  see {place_of(each.location.uri)}:{each.location.range.start.line + 1}: "
        f"{shortened(each.message, MAX_MESSAGE_CHARS)}"
        for each in (one.related_information or ())[:MAX_RELATED]
    ]
    return [first, *related]


def _start(title: str, argument: dict[str, Any]) -> types.CodeAction:
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
