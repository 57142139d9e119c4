"""Definitions, references and hovers in one folder.

Owns: collecting candidates from the file itself, the database and open documents, within caps.
Does not own: which of them are meant (``resolve``).
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from pilotfish.codeintel.facts import FileFacts
from pilotfish.codeintel.index.common_js import required
from pilotfish.codeintel.index.default_exports import (
    default_definition,
    default_import,
    default_name,
    default_source,
    whole_file,
)
from pilotfish.codeintel.index.imports import lies_in, module_of
from pilotfish.codeintel.index.local_names import local_binding, uses_of_others
from pilotfish.codeintel.index.resolve import (
    Asked,
    are_kin,
    likeliest,
    original_name,
    visible_definitions,
)
from pilotfish.codeintel.index.rows import (
    FoundSymbol,
    file_facts,
    files_using,
    known_file,
    symbols_named,
)
from pilotfish.codeintel.index.specifiers import files_meant
from pilotfish.codeintel.index.views import FileView, FileViews, definitions_of
from pilotfish.codeintel.index.workspace_index import WorkspaceIndex
from pilotfish.ports.code import Location, Position, Span
from pilotfish.util.fenced import fenced

MAX_CANDIDATES = 500
"""Definitions of one name that are looked at."""

MAX_DEFINITIONS = 20
"""Definitions that one question is answered with."""

MAX_USING_FILES = 400
"""Files whose uses of a name are collected; those that use it most come first."""

MAX_REFERENCES = 2_000
"""References that one question is answered with."""

MAX_WEIGHED = 20_000
"""Uses of which it is found out whether they are of local names."""

_MAX_HOVERED = 3

_MAX_PASSED_ON = 3
"""Modules that pass a name on until it is given up."""


class Lookup:
    """Answers about one folder."""

    def __init__(self, index: WorkspaceIndex, views: FileViews) -> None:
        self._index = index
        self._views = views

    @property
    def root(self) -> Path:
        """The folder."""
        return self._index.root

    async def view(self, path: str) -> FileView | None:
        """Return a file as it is now."""
        return await self._views.view(path)

    async def asked(self, path: str, position: Position) -> Asked | None:
        """Return the name at a position; None where none is known."""
        view = await self._views.view(path)
        found = None if view is None else view.name_at(position)
        return None if view is None or found is None else Asked(view, *found)

    async def meanings(self, asked: Asked, depth: int = 0) -> list[FoundSymbol]:
        """Return the definitions that a name most likely means.

        Args:
            asked: The name.
            depth: How many modules have passed it on already.
        """
        view = asked.view
        here = visible_definitions(asked)
        bound = None if here else local_binding(asked)
        if here or bound is not None:
            span = view.facts.definitions[here[0]].name_span if bound is None else bound.span
            return (
                await self._required(view, asked.name, span, depth) if len(here) < 2 else []
            ) or [found_in(view, at) for at in here[:MAX_DEFINITIONS]]
        found = await self._default_export(asked, depth)
        if not found:
            found = likeliest(asked, await self._named(asked))
        original = None if found else original_name(asked)
        if original is not None:
            other = asked._replace(name=original)
            found = likeliest(other, await self._named(other))
        if not found:
            found = await self._passed_on(asked, depth)
        return (found or _members(asked))[:MAX_DEFINITIONS]

    async def _default_export(self, asked: Asked, depth: int) -> list[FoundSymbol]:
        """Return what a name means that is the default export of a file; the file itself where it does not tell."""
        view = await self._module(asked.view, default_import(asked))
        if view is None:
            return []
        return (
            await self._default_of(view, depth)
            or [
                found_in(view, at)
                for at, one in definitions_of(view.facts, asked.name)
                if one.parent < 0
            ]
            or [whole_file(view)]
        )

    async def _required(
        self, view: FileView, name: str, span: Span, depth: int
    ) -> list[FoundSymbol]:
        """Return what the variable whose name stands at a place stands for, where a module was required as it."""
        if not are_kin(view.facts.language, "javascript"):
            return []
        wanted = required(view, name, span)
        other = None if wanted is None else await self._module(view, wanted.module)
        if wanted is None or other is None:
            return []
        if wanted.name in {"", "default"}:
            return await self._default_of(other, depth) or [whole_file(other)]
        return await self._exported(other, wanted.name, depth)

    async def _exported(self, view: FileView, name: str, depth: int) -> list[FoundSymbol]:
        found = [
            found_in(view, at) for at, one in definitions_of(view.facts, name) if one.parent < 0
        ]
        if found or depth >= _MAX_PASSED_ON:
            return found
        other = await self._module(view, default_source(view))
        return [] if other is None else await self._exported(other, name, depth + 1)

    async def _default_of(self, view: FileView, depth: int) -> list[FoundSymbol]:
        at = default_definition(view)
        if at is not None:
            return [found_in(view, at)]
        if depth >= _MAX_PASSED_ON:
            return []
        named = default_name(view)
        if isinstance(named, FoundSymbol):
            return [named]
        if named is not None:
            return await self.meanings(named, depth + 1)
        other = await self._module(view, default_source(view))
        return [] if other is None else await self._default_of(other, depth + 1)

    async def _module(self, importer: FileView, specifier: str) -> FileView | None:
        """Return the file that another one means by what it imports."""
        if not specifier:
            return None
        root = self._index.root
        paths = await asyncio.to_thread(files_meant, root, importer.path, specifier)
        if not paths:
            return None
        known = await self._index.ask(
            lambda reader: [path for path in paths if known_file(reader, path) is not None]
        )
        there = next(
            (path for path in paths if path in (known or ()) or self._views.is_open(path)), None
        )
        return None if there is None else await self._views.view(there)

    async def _passed_on(self, asked: Asked, depth: int) -> list[FoundSymbol]:
        """Return what a name means that the module which it comes from has imported as another's."""
        module = module_of(asked.view, asked.name) if depth < _MAX_PASSED_ON else ()
        if not module:
            return []
        files = await self._index.ask(
            lambda reader: files_using(reader, asked.name, MAX_USING_FILES)
        )
        for path in (file.path for file in files or () if lies_in(file.path, module)):
            view = None if path == asked.view.path else await self._views.view(path)
            for use in () if view is None else view.facts.references.named(asked.name):
                if view is not None and use.role == "import":
                    return await self.meanings(Asked(view, asked.name, use.span), depth + 1)
        return []

    async def definitions(self, path: str, position: Position) -> list[Location] | None:
        """Return where what a position names is defined."""
        asked = await self.asked(path, position)
        if asked is None:
            return None
        found = await self.meanings(asked)
        if not found:
            bound = local_binding(asked)
            return [] if bound is None else [self.location(path, bound.span)]
        return [self.location(one.path, one.definition.name_span) for one in found]

    async def references(self, path: str, position: Position) -> list[Location] | None:
        """Return the uses of the name at a position, with its definitions; the own file first."""
        asked = await self.asked(path, position)
        if asked is None:
            return None
        view = asked.view
        here = visible_definitions(asked)
        scope = _local_scope(asked, here)
        if scope is not None:
            spans = [
                one.span
                for one in view.facts.references.named(asked.name)
                if here or Asked(view, one.name, one.span).receiver is None
            ]
            spans += [view.facts.definitions[at].name_span for at in here]
            chosen = sorted({one for one in spans if scope.start <= one.start < scope.end})
            return [self.location(path, one) for one in chosen]
        found = [self.location(path, view.facts.definitions[at].name_span) for at in here]
        found += [
            self.location(one.path, one.definition.name_span) for one in await self.meanings(asked)
        ]
        found += await self._uses(asked.name, await self.using(asked.name, view))
        own = self._index.root / path
        ordered = sorted(
            dict.fromkeys(found[:MAX_REFERENCES]),
            key=lambda one: (one.path != own, one.path.parent != own.parent, one),
        )
        return list(ordered)

    async def _uses(self, name: str, using: Sequence[tuple[str, FileFacts]]) -> list[Location]:
        """Return where files use a name that is no local one there."""
        held = {path: self._views.open_text(path) for path, _ in using}

        def collect() -> list[Location]:
            found: list[Location] = []
            left = MAX_WEIGHED
            for path, facts in using:
                uses = facts.references.named(name)[:MAX_REFERENCES]
                left -= len(uses)
                view = None if left < 0 else self._views.with_text(path, facts, held[path])
                if view is not None:
                    uses = uses_of_others(view, uses)
                found += [self.location(path, one.span) for one in uses]
                if len(found) >= MAX_REFERENCES:
                    break
            return found

        return await asyncio.to_thread(collect)

    async def hover(self, path: str, position: Position) -> str | None:
        """Return what a position names, as Markdown; None when that is not known."""
        asked = await self.asked(path, position)
        if asked is None:
            return None
        found = await self.meanings(asked)
        parts = [_describe(one) for one in found[:_MAX_HOVERED]]
        if len(found) > _MAX_HOVERED:
            parts.append(f"and {len(found) - _MAX_HOVERED} more with this name")
        return "\n\n---\n\n".join(parts) or None

    async def using(self, name: str, own: FileView) -> list[tuple[str, FileFacts]]:
        """Return files that use a name, in languages that are kin, with their facts."""
        known = await self._index.ask(lambda reader: [
            (file, file_facts(reader, file))
            for file in files_using(reader, name, MAX_USING_FILES)
            if file.path != own.path and are_kin(file.language, own.facts.language)
        ])  # fmt: skip
        found = {own.path: own.facts}
        for path in self._views.open_files():
            view = await self._views.view(path)
            if view is not None and are_kin(view.facts.language, own.facts.language):
                found[path] = view.facts
        for file, facts in known or ():
            # What an editor holds counts, not what the index has of it.
            if not self._views.is_open(file.path):
                found[file.path] = facts
        return list(found.items())

    def location(self, path: str, span: Span) -> Location:
        """Return a place as others see it."""
        return Location(self._index.root / path, span)

    async def _named(self, asked: Asked) -> list[FoundSymbol]:
        """Return what has a name; of the own file, which tells itself what it sees, what is asked of something."""
        name, own = asked.name, asked.view.path
        known = await self._index.ask(lambda reader: symbols_named(reader, [name], MAX_CANDIDATES))
        found = [one for one in known or () if not self._views.is_open(one.path)]
        found += await open_symbols(self._views, lambda each: each == name)
        elsewhere = [one for one in found if one.path != own]
        return elsewhere if asked.receiver is None else elsewhere + _members(asked)


async def open_symbols(views: FileViews, wanted: Callable[[str], bool]) -> list[FoundSymbol]:
    """Return the symbols of open documents whose names are wanted."""
    found: list[FoundSymbol] = []
    for path in views.open_files():
        view = await views.view(path)
        if view is not None:
            found += [
                found_in(view, at)
                for at, one in enumerate(view.facts.definitions)
                if wanted(one.name)
            ]
    return found


def found_in(view: FileView, at: int) -> FoundSymbol:
    """Return a definition of a view as the database would have it."""
    return FoundSymbol(
        view.path, view.facts.language, at, view.facts.definitions[at], view.container(at)
    )


def _members(asked: Asked) -> list[FoundSymbol]:
    """Return whatever has the name in the file itself."""
    view = asked.view
    return [found_in(view, at) for at, _ in definitions_of(view.facts, asked.name)]


def _local_scope(asked: Asked, here: list[int]) -> Span | None:
    """Return the function that a local name belongs to."""
    view = asked.view
    if here and all(view.is_local(at) for at in here):
        return view.facts.definitions[view.facts.definitions[here[0]].parent].span
    bound = None if here else local_binding(asked)
    return None if bound is None else view.facts.definitions[bound.function].span


def _describe(one: FoundSymbol) -> str:
    definition = one.definition
    signature = definition.signature or definition.name
    place = f"{one.path}:{definition.name_span.start.line + 1}"
    within = f" in `{one.container}`" if one.container else ""
    parts = [fenced(signature, one.language)]
    if definition.doc:
        parts.append(definition.doc)
    parts.append(f"*{definition.kind.replace('_', ' ')}*{within} — `{place}`")
    return "\n\n".join(parts)
