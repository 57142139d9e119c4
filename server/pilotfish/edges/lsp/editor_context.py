"""Where the user is in the editor, as a note for the model.

Owns: the last ``_pilotfish/editor/context`` and its text; which files were looked at lately.
"""

from collections.abc import Sequence
from pathlib import Path

from pilotfish.edges.lsp.addresses import path_of
from pilotfish.util.fenced import fenced
from pilotfish.wire.editor import EditorContextParams

MAX_SELECTION_CHARS = 10_000
"""Longest selection that goes into a prompt."""

MAX_OPEN_FILES = 20
"""Open tabs that are named."""


MAX_LATELY = 50
"""Files that count as looked at lately."""


class EditorContext:
    """Remembers the latest context; the next prompt carries it."""

    def __init__(self) -> None:
        self._latest: EditorContextParams | None = None
        self._lately: dict[str, None] = {}
        """Files in the order in which they were last in front, the latest at the end."""

    def update(self, params: EditorContextParams) -> None:
        """Take over what the editor reports."""
        self._latest = params
        if params.active_uri is not None:
            self._lately.pop(params.active_uri, None)
            self._lately[params.active_uri] = None
        while len(self._lately) > MAX_LATELY:
            self._lately.pop(next(iter(self._lately)))

    def lately(self) -> Sequence[Path]:
        """Return the files that were in front and those that are open, the latest first."""
        opened = () if self._latest is None else self._latest.open_uris
        uris_lately = dict.fromkeys([*reversed(self._lately), *opened])
        return [path for path in map(path_of, uris_lately) if path is not None]

    def describe(self) -> list[str]:
        """Return the notes for a prompt; empty when nothing is open."""
        latest = self._latest
        if latest is None or latest.active_uri is None:
            return []
        lines = [f"The user has {_name(latest.active_uri)} open in the editor."]
        if latest.selection is not None and latest.selected_text:
            first, last = latest.selection.start_line + 1, latest.selection.end_line + 1
            text = latest.selected_text[:MAX_SELECTION_CHARS]
            lines.append(f"Lines {first} to {last} are selected:\n{fenced(text)}")
        others = [uri for uri in latest.open_uris if uri != latest.active_uri][:MAX_OPEN_FILES]
        if others:
            lines.append("Other open files: " + ", ".join(_name(uri) for uri in others))
        lines.append("This may or may not matter for the request.")
        return ["\n".join(lines)]


def _name(uri: str) -> str:
    return str(path_of(uri) or uri)
