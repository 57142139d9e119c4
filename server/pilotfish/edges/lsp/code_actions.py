"""Code actions: entries of the editor's lightbulb that start a prompt.

Owns: which actions a range has and the prompt that each one sends.
Does not own: what the client does with the command (it opens the chat with the prompt).
"""

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pygls import uris

START_PROMPT = "pilotfish.startPrompt"
"""Client command; one argument: prompt, whether to send at once, uri, range."""

MAX_DIAGNOSTICS = 10
"""Diagnostics that one action names."""


def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the actions for a range."""
    actions: list[types.CodeAction] = []
    diagnostics = params.context.diagnostics
    if diagnostics:
        actions.append(_fix(params, diagnostics))
    if params.range.start != params.range.end:
        actions.append(_start(params, "Ask Pilotfish about the selection", "", send=False))
        actions.append(_start(params, "Edit the selection with Pilotfish", "Change ", send=False))
    return actions


def _fix(
    params: types.CodeActionParams, diagnostics: Sequence[types.Diagnostic]
) -> types.CodeAction:
    place = _place(params.text_document.uri)
    lines = [
        f"- {place}:{one.range.start.line + 1}: {_label(one)}{one.message}"
        for one in diagnostics[:MAX_DIAGNOSTICS]
    ]
    noun = "this diagnostic" if len(lines) == 1 else "these diagnostics"
    action = _start(
        params,
        "Fix with Pilotfish",
        f"Fix {noun} and check that nothing else breaks:\n" + "\n".join(lines),
        send=True,
    )
    return types.CodeAction(
        title=action.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=list(diagnostics[:MAX_DIAGNOSTICS]),
        command=action.command,
    )


def _start(
    params: types.CodeActionParams, title: str, prompt: str, *, send: bool
) -> types.CodeAction:
    argument = {
        "prompt": prompt or _reference(params),
        "send": send,
        "uri": params.text_document.uri,
        "range": {
            "start": {
                "line": params.range.start.line,
                "character": params.range.start.character,
            },
            "end": {"line": params.range.end.line, "character": params.range.end.character},
        },
    }
    if prompt and not send:
        argument["prompt"] = prompt + _reference(params)
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.Refactor,
        command=types.Command(title=title, command=START_PROMPT, arguments=[argument]),
    )


def _reference(params: types.CodeActionParams) -> str:
    first = params.range.start.line + 1
    last = params.range.end.line + 1
    if params.range.end.character == 0 and last > first:
        last -= 1
    lines = f"{first}" if first == last else f"{first}-{last}"
    return f"{_place(params.text_document.uri)}:{lines}: "


def _place(uri: str) -> str:
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return str(Path(path)) if path else uri


def _label(diagnostic: types.Diagnostic) -> str:
    parts = [part for part in (diagnostic.source, str(diagnostic.code or "")) if part]
    return f"[{' '.join(parts)}] " if parts else ""
