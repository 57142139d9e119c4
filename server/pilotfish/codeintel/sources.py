"""Who is asked about code, in which order.

Owns: the choice among the sources, and saying which one answered.
Does not own: the sources (``ports.code``), what the model is told (``tools.lsp``).
See also: design §7.
"""

import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from pilotfish.ports.code import (
    CallDirection,
    CallLink,
    CodeSource,
    FileChange,
    LocateKind,
    Location,
    Position,
    Symbol,
)
from pilotfish.util.records import dataclass

logger = logging.getLogger(__name__)

T = TypeVar("T")

_CODE = re.compile(r"^ {0,3}(`{3,}|~{3,}) *(?!diff\b)[\w+#-]", re.MULTILINE)
"""The begin of code in a language; a difference is none."""


@dataclass(frozen=True, slots=True)
class Told(Generic[T]):
    """An answer and who gave it."""

    answer: T
    source: str


class CodeSources:
    """Asks the sources, best first; one that has nothing to say is followed by the next.

    An empty answer counts as one: that source knows, and there is nothing. None means that no
    source knows. A source that raises, which it must not, has nothing to say.
    """

    def __init__(self, sources: Sequence[CodeSource] = ()) -> None:
        self._sources = tuple(sources)

    @property
    def names(self) -> tuple[str, ...]:
        """The sources, best first."""
        return tuple(source.name for source in self._sources)

    def without(self, source: CodeSource | None) -> "CodeSources":
        """Return the same without one of them: the editor must not be asked what it asks."""
        return CodeSources([one for one in self._sources if one is not source])

    def with_source(self, source: CodeSource, at: int) -> "CodeSources":
        """Return these sources with one more, at a place of the order from 0."""
        return CodeSources((*self._sources[:at], source, *self._sources[at:]))

    async def locate(
        self, kind: LocateKind, path: Path, position: Position
    ) -> Told[Sequence[Location]] | None:
        """Find what belongs to the symbol at a position."""
        return await self._first(lambda source: source.locate(kind, path, position))

    async def hover(self, path: Path, position: Position) -> Told[str] | None:
        """Return signature and documentation of the symbol at a position, as Markdown.

        In an editor all kinds of extensions show something: what shows no code (a spell checker's word,
        who changed a line) is no answer, but told after that of the next source that shows some.
        """
        aside: Told[str] | None = None
        for source in self._sources:
            answer = await _answer(source, lambda one: one.hover(path, position))
            if answer is None or (aside is not None and not shows_code(answer)):
                continue
            if not answer.strip() or shows_code(answer):
                told = Told(answer, source.name)
                return told if aside is None else _with(told, aside)
            aside = Told(answer, source.name)
        return aside

    async def document_symbols(self, path: Path) -> Told[Sequence[Symbol]] | None:
        """Return the symbols of a file as a forest, in the order of the text."""
        return await self._first(lambda source: source.document_symbols(path))

    async def workspace_symbols(self, query: str, limit: int) -> Told[Sequence[Symbol]] | None:
        """Find symbols of the project by a part of their name, best first."""
        return await self._first(lambda source: source.workspace_symbols(query, limit))

    async def calls(
        self, direction: CallDirection, path: Path, position: Position
    ) -> Told[Sequence[CallLink]] | None:
        """Return who calls the function at a position, or what it calls."""
        return await self._first(lambda source: source.calls(direction, path, position))

    async def rename(
        self, path: Path, position: Position, new_name: str
    ) -> Told[Sequence[FileChange]] | None:
        """Work out a rename of the symbol at a position. Changes nothing."""
        return await self._first(lambda source: source.rename(path, position, new_name))

    async def loading(self, path: Path | None, told: Told[T] | None) -> tuple[str, ...]:
        """Return who has not read the project yet, of those that were asked.

        Args:
            path: The file that was asked about; None: the project.
            told: The answer that was given.
        """
        found = await self._of_each(told, lambda source: source.loading(path))
        return tuple(dict.fromkeys(name for several in found for name in several))

    async def failures(self, path: Path | None, told: Told[T] | None) -> tuple[str, ...]:
        """Return who cannot answer any more, or not with what is new, and why; of those that were asked.

        Args:
            path: The file that was asked about; None: the project.
            told: The answer that was given.
        """
        found = await self._of_each(told, lambda source: source.failures(path))
        return tuple(sentence for several in found for sentence in several)

    async def _of_each(
        self, told: Told[T] | None, ask: Callable[[CodeSource], Awaitable[Sequence[str]]]
    ) -> list[Sequence[str]]:
        return [await _answer(source, ask) or () for source in self._asked_for(told)]

    def _asked_for(self, told: Told[T] | None) -> Iterator[CodeSource]:
        """Yield the sources that were asked until one had an answer."""
        for source in self._sources:
            yield source
            if told is not None and source.name == told.source:
                return

    async def _first(self, ask: Callable[[CodeSource], Awaitable[T | None]]) -> Told[T] | None:
        for source in self._sources:
            answer = await _answer(source, ask)
            if answer is not None:
                return Told(answer, source.name)
        return None


async def _answer(source: CodeSource, ask: Callable[[CodeSource], Awaitable[T | None]]) -> T | None:
    try:
        return await ask(source)
    except Exception:  # a source's bug costs what that source knows, not what the next one does
        logger.exception("%s failed to answer a question about code", source.name)
        return None


def shows_code(hover: str) -> bool:
    """Tell whether a hover shows a signature or the like, as language servers do."""
    return _CODE.search(hover) is not None


def _with(told: Told[str], aside: Told[str]) -> Told[str]:
    return Told(f"{told.answer.rstrip()}\n\n{aside.answer}", f"{told.source} and {aside.source}")
