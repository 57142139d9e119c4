"""Settings files in the editor: diagnostics, hover, completion, quick fixes.

Owns: when they are worked out. A text is looked at in a worker thread, one look per file at a time;
what changes meanwhile is looked at next, so that fast typing costs no queue.
Does not own: what is said (``permissions.language``), its form (``settings_wire``).
"""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from pilotfish.edges.localise import Translate
from pilotfish.edges.lsp import settings_wire
from pilotfish.edges.lsp.addresses import path_of
from pilotfish.edges.lsp.documents import open_document
from pilotfish.edges.lsp.positions import LineIndex
from pilotfish.permissions.language.document import SettingsPlace
from pilotfish.permissions.language.service import Analysis, SettingsLanguage
from pilotfish.util.tasks import TaskScope


class SettingsFiles:
    """The settings files that are open."""

    def __init__(
        self,
        server: LanguageServer,
        language: Callable[[], SettingsLanguage | None],
        tasks: TaskScope,
        translate: Translate,
        *,
        snippets: bool,
    ) -> None:
        self._server = server
        self._language = language
        self._tasks = tasks
        self._snippets = snippets
        self._say = partial(translate, topic="settings")
        self._open: dict[str, SettingsPlace] = {}
        self._dirty: set[str] = set()
        self._looking: set[str] = set()

    def opened(self, uri: str) -> None:
        """Take note of an opened document."""
        place = self._place_of(uri)
        if place is not None:
            self._open[uri] = place
            self._look(uri)

    def changed(self, uri: str) -> None:
        """Take note of a changed text."""
        if uri in self._open:
            self._look(uri)

    def saved(self, uri: str) -> None:
        """Take note of a saved file: the others are judged against it."""
        if self._place_of(uri) is not None:
            self.look_again()

    def closed(self, uri: str) -> None:
        """Forget a closed document; its diagnostics go with it."""
        if self._open.pop(uri, None) is not None:
            self._publish(uri, None, [])

    def has(self, uri: str) -> bool:
        """Tell whether a document is an open settings file."""
        return uri in self._open

    def look_again(self) -> None:
        """Look at all open files: what they are judged against has changed."""
        for uri in self._open:
            self._look(uri)

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Answer ``textDocument/hover``; None for other files."""
        found = await self._analysed(params.text_document.uri)
        language = self._language()
        if found is None or language is None:
            return None
        analysis, lines = found
        offset = lines.offset(params.position)
        said = await asyncio.to_thread(language.hover, analysis, offset, self._root())
        return None if said is None else settings_wire.hover(said, lines, self._say)

    async def complete(self, params: types.CompletionParams) -> types.CompletionList | None:
        """Answer ``textDocument/completion``; None for other files."""
        uri = params.text_document.uri
        place, language = self._open.get(uri), self._language()
        document = open_document(self._server.workspace, uri)
        if place is None or language is None or document is None:
            return None
        text = document.source
        lines = LineIndex(text)
        offset = lines.offset(params.position)
        items = await asyncio.to_thread(language.complete, place, text, offset)
        return types.CompletionList(
            is_incomplete=False,
            items=[
                settings_wire.completion(item, lines, self._say, snippets=self._snippets)
                for item in items
            ],
        )

    async def quick_fixes(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return what would mend the findings in a range; nothing for other files."""
        uri = params.text_document.uri
        document = open_document(self._server.workspace, uri)
        version = None if document is None else document.version
        found = await self._analysed(uri)
        if found is None:
            return []
        analysis, lines = found
        start, end = lines.offset(params.range.start), lines.offset(params.range.end)
        touched = [
            finding
            for finding in analysis.findings
            if finding.span[0] <= end and start <= finding.span[1]
        ]
        return settings_wire.quick_fixes(uri, version, touched, lines, self._say)

    def _place_of(self, uri: str) -> SettingsPlace | None:
        language = self._language()
        path = path_of(uri)
        return None if language is None or path is None else language.place_of(path)

    async def _analysed(self, uri: str) -> tuple[Analysis, LineIndex] | None:
        place, language = self._open.get(uri), self._language()
        document = open_document(self._server.workspace, uri)
        if place is None or language is None or document is None:
            return None
        text = document.source
        analysis = await asyncio.to_thread(language.analyse, place, text, self._root())
        return analysis, LineIndex(text)

    def _look(self, uri: str) -> None:
        self._dirty.add(uri)
        if uri not in self._looking:
            self._looking.add(uri)
            self._tasks.start(self._keep_looking(uri), name="settings file")

    async def _keep_looking(self, uri: str) -> None:
        try:
            while uri in self._dirty and uri in self._open:
                self._dirty.discard(uri)
                document = open_document(self._server.workspace, uri)
                version = None if document is None else document.version
                found = await self._analysed(uri)
                if found is not None and uri in self._open:
                    analysis, lines = found
                    self._publish(
                        uri,
                        version,
                        [
                            settings_wire.diagnostic(uri, finding, lines, self._say)
                            for finding in analysis.findings
                        ],
                    )
        finally:
            self._looking.discard(uri)
            self._dirty.discard(uri)

    def _publish(self, uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=diagnostics)
        )

    def _root(self) -> Path | None:
        """Return the first workspace folder, with whose files the user's own one is compared."""
        folders = [one.uri for one in self._server.workspace.folders.values()]
        return path_of(folders[0]) if folders else None
