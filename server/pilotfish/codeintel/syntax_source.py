"""What the syntax of one file tells, with nobody else to ask.

Owns: ``ports.code.CodeSource`` for the outline of a file, open or not; everything else is for others.
Does not own: extraction (``codeintel.symbols``), open documents (``ports.editor``).
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from pilotfish.codeintel.languages import FIRST_LINE_CHARS, grammar_of
from pilotfish.codeintel.silent_source import SilentSource
from pilotfish.codeintel.symbols import document_forest, extract_facts
from pilotfish.ports.code import Symbol
from pilotfish.ports.editor import EditorPort
from pilotfish.util.regular_file import read_regular

MAX_FILE_BYTES = 5_000_000
"""Largest file that is looked at."""


class SyntaxSource(SilentSource):
    """The last source: it knows every file of a language that has a grammar."""

    name = "the file's syntax"

    def __init__(self, editor: EditorPort) -> None:
        self._editor = editor

    async def document_symbols(self, path: Path) -> Sequence[Symbol] | None:
        """Return the symbols of a file as a forest, in the order of the text."""
        document = self._editor.document(path)
        text = None if document is None else document.text
        return await asyncio.to_thread(_forest, path, text)


def _forest(path: Path, text: str | None) -> tuple[Symbol, ...] | None:
    try:
        content = read_regular(path, MAX_FILE_BYTES) if text is None else text
    except OSError:
        return None
    start = content[:FIRST_LINE_CHARS]
    language = grammar_of(
        path, start.decode("utf-8", "replace") if isinstance(start, bytes) else start
    )
    return None if language is None else document_forest(extract_facts(language, content), path)
