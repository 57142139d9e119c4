"""Where the user is in the editor, as a note for the model.

Owns: the last ``_pilotfish/editor/context`` and its text.
"""

from pathlib import Path

from pygls import uris

from pilotfish.wire.editor import EditorContextParams

MAX_SELECTION_CHARS = 10_000
"""Longest selection that goes into a prompt."""

MAX_OPEN_FILES = 20
"""Open tabs that are named."""


class EditorContext:
    """Remembers the latest context; the next prompt carries it."""

    def __init__(self) -> None:
        self._latest: EditorContextParams | None = None

    def update(self, params: EditorContextParams) -> None:
        """Take over what the editor reports."""
        self._latest = params

    def describe(self) -> list[str]:
        """Return the notes for a prompt; empty when nothing is open."""
        latest = self._latest
        if latest is None or latest.active_uri is None:
            return []
        lines = [f"The user has {_name(latest.active_uri)} open in the editor."]
        if latest.selection is not None and latest.selected_text:
            first, last = latest.selection.start_line + 1, latest.selection.end_line + 1
            text = latest.selected_text[:MAX_SELECTION_CHARS]
            lines.append(f"Lines {first} to {last} are selected:\n```\n{text}\n```")
        others = [uri for uri in latest.open_uris if uri != latest.active_uri][:MAX_OPEN_FILES]
        if others:
            lines.append("Other open files: " + ", ".join(_name(uri) for uri in others))
        lines.append("This may or may not matter for the request.")
        return ["\n".join(lines)]


def _name(uri: str) -> str:
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return str(Path(path)) if path else uri
