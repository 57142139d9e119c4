"""A file as questions see it: its text and what its syntax tells, unsaved changes included.

Owns: choosing between the editor's text, the disk and what the index keeps; a small cache.
Does not own: open documents (``ports.editor``), the index.
"""

import asyncio
import bisect
import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from pilotfish.codeintel.facts import Definition, FileFacts
from pilotfish.codeintel.index.reading import decode, facts_of
from pilotfish.codeintel.index.selection import MAX_FILE_BYTES, code_language
from pilotfish.ports.code import Position, Span
from pilotfish.ports.editor import EditorPort
from pilotfish.util.records import dataclass
from pilotfish.util.regular_file import open_regular

MAX_CACHED = 128
"""Files that are kept between questions; people and models ask often of the same."""

MAX_OPEN = 100
"""Open documents whose unsaved text is looked at by questions about all files."""

MAX_BESIDE = 1_000
"""Characters on each side of a name that tell what it is; one line may hold a whole file."""

MAX_LINES_BESIDE = 50
"""Lines that what belongs together may be apart."""

_FUNCTIONS = frozenset({"function", "method", "constructor"})


@dataclass(frozen=True, kw_only=True, slots=True)
class FileView:
    """A file at one moment."""

    path: str
    """Relative to the root of the index."""
    facts: FileFacts
    lines: Sequence[str]
    """Of its text."""

    def name_at(self, position: Position) -> tuple[str, Span] | None:
        """Return the name at a position and where it stands; its end still counts."""
        for one in self.facts.definitions:
            if _touches(one.name_span, position):
                return one.name, one.name_span
        found = self.facts.references
        at = bisect.bisect_right(found, position, key=lambda each: each.span.start)
        for one in found[max(0, at - 1) : at + 1]:
            if _touches(one.span, position):
                return one.name, one.span
        return None

    def definition_at(self, span: Span) -> int | None:
        """Return the definition whose name stands at a place."""
        for at, one in enumerate(self.facts.definitions):
            if one.name_span == span:
                return at
        return None

    def enclosing(self, position: Position, *, function: bool = False) -> int | None:
        """Return the innermost definition, or function, around a position."""
        inner: int | None = None
        for at, one in enumerate(self.facts.definitions):
            if one.span.start > position:
                break
            if position < one.span.end and (not function or one.kind in _FUNCTIONS):
                inner = at
        return inner

    def functions_around(self, position: Position) -> Iterator[int]:
        """Yield the functions around a place, the innermost first."""
        at = self.enclosing(position, function=True)
        while at is not None and at >= 0:
            if self.facts.definitions[at].kind in _FUNCTIONS:
                yield at
            at = self.facts.definitions[at].parent

    def functions_around_all(self, positions: Iterable[Position]) -> Iterator[tuple[int, ...]]:
        """Yield the functions around each of many places, which are in the order of the text."""
        numbered = enumerate(self.facts.definitions)
        known = [(at, one) for at, one in numbered if one.kind in _FUNCTIONS]
        functions = iter(sorted(known, key=lambda each: each[1].span.start))
        around: list[tuple[int, Definition]] = []
        ahead = next(functions, None)
        for position in positions:
            while ahead is not None and ahead[1].span.start <= position:
                around.append(ahead)
                ahead = next(functions, None)
            around = [one for one in around if position < one[1].span.end]
            yield tuple(at for at, _ in around)

    def is_local(self, at: int) -> bool:
        """Tell whether a definition belongs to a function and means nothing outside of it."""
        parent = self.facts.definitions[at].parent
        while parent >= 0:
            if self.facts.definitions[parent].kind in _FUNCTIONS:
                return self.facts.definitions[at].kind not in {"field", "property"}
            parent = self.facts.definitions[parent].parent
        return False

    def container(self, at: int) -> str:
        """Return the name of what a definition belongs to; empty at the top."""
        one = self.facts.definitions[at]
        return one.scope or (self.facts.definitions[one.parent].name if one.parent >= 0 else "")

    def before(self, span: Span) -> str:
        """Return what stands on the line before a place, at most so much."""
        end = span.start.character
        return _part(self.line(span.start.line), max(0, end - MAX_BESIDE), end)

    def after(self, span: Span) -> str:
        """Return what stands on the line after a place, at most so much."""
        start = span.end.character
        return _part(self.line(span.end.line), start, start + MAX_BESIDE)

    def between(self, start: Position, end: Position) -> str | None:
        """Return what stands between two places, without ends of lines; None when that is too much."""
        if not 0 <= end.line - start.line <= MAX_LINES_BESIDE:
            return None
        parts: list[str] = []
        for row in range(start.line, end.line + 1):
            begin = start.character if row == start.line else 0
            most = begin + MAX_BESIDE + 1
            stop = min(end.character, most) if row == end.line else most
            parts.append(_part(self.line(row), begin, stop))
        return None if any(len(part) > MAX_BESIDE for part in parts) else "".join(parts)

    def line(self, number: int) -> str:
        """Return a line without its end; empty past the end of the text."""
        return self.lines[number] if number < len(self.lines) else ""


class FileViews:
    """Makes views of the files of one folder."""

    def __init__(self, root: Path, editor: EditorPort) -> None:
        self._root = root
        self._editor = editor
        self._cache: OrderedDict[str, tuple[object, FileView]] = OrderedDict()

    async def view(self, path: str) -> FileView | None:
        """Return a file as it is now; None when it is gone, too large or no code."""
        if code_language(path) is None:
            return None
        document = self._editor.document(self._root / path)
        if document is not None:
            state: object = ("open", document.version, hash(document.text))
            return await self._cached(path, state, document.text)
        state, text = await asyncio.to_thread(self._load, path)
        return None if text is None else await self._cached(path, state, text)

    def open_files(self) -> list[str]:
        """Return the files of the folder that an editor holds, at most so many."""
        found = (
            path.relative_to(self._root).as_posix()
            for path in self._editor.open_paths()
            if path.is_relative_to(self._root)
        )
        return sorted(path for path in set(found) if code_language(path))[:MAX_OPEN]

    def is_open(self, path: str) -> bool:
        """Tell whether an editor holds a file."""
        return self.open_text(path) is not None

    def open_text(self, path: str) -> str | None:
        """Return the text of a file that an editor holds."""
        document = self._editor.document(self._root / path)
        return None if document is None else document.text

    def with_text(self, path: str, facts: FileFacts, text: str | None) -> FileView | None:
        """Return a file of which the facts are known; None when it cannot be read. Blocks where no text is given."""
        if text is None:
            _, text = self._load(path)
        return None if text is None else FileView(path=path, facts=facts, lines=_lines_of(text))

    async def _cached(self, path: str, state: object, text: str) -> FileView | None:
        known = self._cache.get(path)
        if known is not None and known[0] == state:
            self._cache.move_to_end(path)
            return known[1]
        view = await asyncio.to_thread(_make, path, text)
        if view is not None:
            self._cache[path] = state, view
            if len(self._cache) > MAX_CACHED:
                self._cache.popitem(last=False)
        return view

    def _load(self, path: str) -> tuple[object, str | None]:
        try:
            with open_regular(self._root / path) as file:
                found, data = os.fstat(file.fileno()), file.read(MAX_FILE_BYTES + 1)
        except OSError:
            return None, None
        if len(data) > MAX_FILE_BYTES:
            return None, None
        return (found.st_mtime_ns, found.st_size), decode(data)


def _make(path: str, text: str) -> FileView | None:
    facts = facts_of(path, text)
    if facts is None:
        return None
    return FileView(path=path, facts=facts, lines=_lines_of(text))


def _lines_of(text: str) -> Sequence[str]:
    return text.replace("\r\n", "\n").split("\n")


def definitions_of(facts: FileFacts, name: str) -> list[tuple[int, Definition]]:
    """Return the definitions of a name with their numbers."""
    return [(at, one) for at, one in enumerate(facts.definitions) if one.name == name]


def _touches(span: Span, position: Position) -> bool:
    return span.start <= position <= span.end


def _part(line: str, start: int, end: int) -> str:
    """Return a part of a line between places that are counted in UTF-16 units."""
    if line.isascii():
        return line[start:end]
    return _in_units(line)[start * 2 : end * 2].decode("utf-16-le", "replace")


@lru_cache(maxsize=2)  # a long line is asked about over and over
def _in_units(line: str) -> bytes:
    return line.encode("utf-16-le", "surrogatepass")
