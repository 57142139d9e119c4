"""Notebook cells as the model sees them.

Owns: the form of cells and outputs, their limits, pictures as pictures. Blocking; call in a thread.
Does not own: the notebook format (``workspace.notebook``).
"""

import base64
import binascii
import re
from typing import Any, cast

from pilotfish.core.errors import WorkspaceError
from pilotfish.core.messages import ImageBlock, TextBlock
from pilotfish.workspace.notebook import Cell, Notebook, joined
from pilotfish.workspace.pictures import fit_picture

MAX_OUTPUT_CHARS = 2_000
"""Characters shown of one output."""

MAX_OUTPUTS = 20
"""Outputs shown of one cell."""

MAX_PICTURES = 8
"""Pictures shown of one notebook."""

_TERMINAL_CODES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_PICTURE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_TEXT_TYPES = ("text/plain", "text/markdown", "text/html", "image/svg+xml", "application/json")


class CellWriter:
    """Writes cells one after the other."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook
        self._blocks: list[TextBlock | ImageBlock] = []
        self._lines: list[str] = []
        self._pictures = 0

    def add(self, cell: Cell) -> None:
        """Write a cell with its outputs."""
        language = self._notebook.language if cell.kind == "code" else ""
        count = cell.data.get("execution_count")
        attributes = [
            f'id="{cell.id}"',
            f'type="{cell.kind}"',
            *([f'language="{language}"'] if language else []),
            *([f'run="{count}"'] if isinstance(count, int) else []),
        ]
        self._lines += [f"<cell {' '.join(attributes)}>", cell.source, "</cell>"]
        outputs = cell.data.get("outputs")
        if not isinstance(outputs, list) or not outputs:
            return
        shown = cast("list[object]", outputs)
        self._lines.append(f'<outputs of="{cell.id}">')
        for output in shown[:MAX_OUTPUTS]:
            if isinstance(output, dict):
                self._add_output(cast("dict[str, Any]", output))
        if len(shown) > MAX_OUTPUTS:
            self._lines.append(f"... ({len(shown) - MAX_OUTPUTS} more outputs)")
        self._lines.append("</outputs>")

    def blocks(self) -> tuple[TextBlock | ImageBlock, ...]:
        """Return everything that was written."""
        self._close_text()
        return tuple(self._blocks)

    def _add_output(self, output: dict[str, Any]) -> None:
        if output.get("output_type") == "stream":
            self._add_text(joined(output.get("text")))
        elif output.get("output_type") == "error":
            trace = output.get("traceback")
            lines = cast("list[object]", trace) if isinstance(trace, list) else []
            plain = f"{output.get('ename')}: {output.get('evalue')}"
            self._add_text("\n".join(str(line) for line in lines) or plain)
        elif isinstance(output.get("data"), dict):
            self._add_data(cast("dict[str, Any]", output["data"]))

    def _add_data(self, data: dict[str, Any]) -> None:
        """Write the form of an output that tells most: a picture, else the plainest text."""
        for kind in _PICTURE_TYPES:
            if kind in data and self._add_picture(joined(data[kind])):
                return
        for kind in _TEXT_TYPES:
            if kind in data:
                self._add_text(joined(data[kind]) or str(data[kind]))
                return
        self._lines.append(f"(output of type {', '.join(data) or 'unknown'}, not shown)")

    def _add_picture(self, encoded: str) -> bool:
        if self._pictures >= MAX_PICTURES:
            self._lines.append("(picture, not shown: there are too many)")
            return True
        try:
            picture = fit_picture(base64.b64decode(encoded), "the output")
        except (WorkspaceError, binascii.Error):
            return False
        self._pictures += 1
        self._close_text()
        self._blocks.append(picture.block)
        return True

    def _add_text(self, text: str) -> None:
        plain = _TERMINAL_CODES.sub("", text).rstrip("\n")
        if len(plain) > MAX_OUTPUT_CHARS:
            plain = (
                f"{plain[:MAX_OUTPUT_CHARS]}\n... (output cut: {len(plain):,} characters in all)"
            )
        self._lines.append(plain)

    def _close_text(self) -> None:
        if self._lines:
            self._blocks.append(TextBlock(text="\n".join(self._lines)))
            self._lines = []
