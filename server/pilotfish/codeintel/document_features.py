"""What the syntax of one document tells an editor.

Owns: symbols, folds, selection steps and problems of a text, its embedded languages included; the
trees behind them.
Does not own: the documents, who asks (``edges.lsp.code_features``), other files (``codeintel.sources``).
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pilotfish.codeintel.embedded import EmbeddedText, embedded_texts
from pilotfish.codeintel.folding import MAX_FOLDS, Fold, folds_of
from pilotfish.codeintel.languages import (
    CHECKED_LANGUAGES,
    FIRST_LINE_CHARS,
    WITH_PARTS,
    grammar_of,
    language_named,
)
from pilotfish.codeintel.open_trees import THREAD_FROM_BYTES, OpenTrees, ParsedText
from pilotfish.codeintel.selection import selection_steps
from pilotfish.codeintel.symbols import document_forest, extract_facts
from pilotfish.codeintel.syntax import SyntaxProblem, problems_of
from pilotfish.ports.code import Position, Span, Symbol
from pilotfish.util.records import dataclass

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentText:
    """An open document as it is now."""

    key: str
    """Tells it from others, such as its address."""
    path: Path
    language_id: str
    """What the editor takes it for; its name says more where both are known."""
    text: str

    @property
    def language(self) -> str | None:
        """The grammar for it, or None."""
        return grammar_of(self.path, self.text[:FIRST_LINE_CHARS]) or language_named(
            self.language_id
        )


class DocumentFeatures:
    """Reads documents; keeps their trees."""

    def __init__(self) -> None:
        self.trees = OpenTrees()
        """The trees of documents that were asked about."""

    def forget(self, key: str) -> None:
        """Let go of a closed document."""
        self.trees.forget(key)

    async def symbols(self, document: DocumentText) -> tuple[Symbol, ...] | None:
        """Return a document's symbols as a forest; None when its language has no grammar."""
        language = document.language
        if language is None:
            return None
        parsed = await self.trees.parse(document.key, language, document.text)
        if parsed is None:
            facts = await asyncio.to_thread(extract_facts, language, document.text)
            return document_forest(facts, document.path)
        return await _off_loop(parsed, lambda text: _symbols(text, document.path))

    async def folds(self, document: DocumentText) -> tuple[Fold, ...] | None:
        """Return what can be folded; None when that is not known."""
        parsed = await self._parsed(document)
        return None if parsed is None else await _off_loop(parsed, _folds)

    async def selections(
        self, document: DocumentText, positions: list[Position]
    ) -> list[tuple[Span, ...]] | None:
        """Return for each position the ranges around it, smallest first; None when not known."""
        parsed = await self._parsed(document)
        if parsed is None:
            return None
        parts = await _off_loop(parsed, _parts)
        return [selection_steps(parsed, parts, position) for position in positions]

    async def problems(self, document: DocumentText) -> tuple[SyntaxProblem, ...] | None:
        """Return what does not parse; None when that cannot be told."""
        if document.language not in CHECKED_LANGUAGES | WITH_PARTS:
            return None
        parsed = await self._parsed(document)
        return None if parsed is None else await _off_loop(parsed, problems_of)

    async def _parsed(self, document: DocumentText) -> ParsedText | None:
        language = document.language
        if language is None:
            return None
        return await self.trees.parse(document.key, language, document.text)


async def _off_loop(parsed: ParsedText, work: Callable[[ParsedText], T]) -> T:
    """Do blocking work on a text: in a thread when it is long."""
    if len(parsed.data) > THREAD_FROM_BYTES:
        return await asyncio.to_thread(work, parsed)
    return work(parsed)


def _symbols(parsed: ParsedText, path: Path) -> tuple[Symbol, ...]:
    return document_forest(parsed.facts, path)


def _folds(parsed: ParsedText) -> tuple[Fold, ...]:
    """Return what folds, in the parts as well; of two that begin in a line the longer one."""
    best = {fold.start: fold for fold in folds_of(parsed)}
    for part in _parts(parsed):
        inner = ParsedText(language=part.language, data=parsed.data, tree=part.tree)
        for fold in folds_of(inner):
            if fold.start not in best or best[fold.start].end < fold.end:
                best[fold.start] = fold
    return tuple(sorted(best.values())[:MAX_FOLDS])


def _parts(parsed: ParsedText) -> tuple[EmbeddedText, ...]:
    return embedded_texts(parsed.language, parsed.tree, parsed.data)
