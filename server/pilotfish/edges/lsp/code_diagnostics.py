"""Syntax diagnostics for the editor, pulled or pushed.

Owns: when a document is looked at. An editor that can pull is never pushed to. One look at a document
at a time, a moment after the last change.
Does not own: what does not parse (``codeintel.document_features``), for whom (``edges.lsp.feature_gate``).
"""

import asyncio
import contextlib
import hashlib
from collections.abc import Callable

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from pilotfish.edges.lsp import code_wire
from pilotfish.edges.lsp.code_features import CodeFeatures, as_function
from pilotfish.edges.lsp.documents import open_document
from pilotfish.util.tasks import TaskScope

PUSH_DELAY_S = 0.25
"""How long a text must rest before its problems are pushed: half-typed code never parses."""


class CodeDiagnostics:
    """Tells the editor what does not parse."""

    def __init__(
        self,
        server: LanguageServer,
        features: CodeFeatures,
        tasks: TaskScope,
        *,
        pulls: bool,
        is_taken: Callable[[str], bool],
    ) -> None:
        """Set it up.

        Args:
            server: The connection.
            features: What reads the documents.
            tasks: Owns the looks.
            pulls: Whether the editor asks by itself.
            is_taken: Tells whether somebody else of ours publishes for a document.
        """
        self._server = server
        self._features = features
        self._tasks = tasks
        self._pulls = pulls
        self._is_taken = is_taken
        self._changed: dict[str, asyncio.Event] = {}
        """Documents that are being looked at."""
        self._told: set[str] = set()
        """Documents of which problems were pushed."""

    def register(self) -> None:
        """Make the handler known to the server."""
        options = types.DiagnosticOptions(
            inter_file_dependencies=False, workspace_diagnostics=False, identifier="pilotfish"
        )
        self._server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(as_function(self.pull))

    async def pull(
        self, params: types.DocumentDiagnosticParams
    ) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
        """Answer ``textDocument/diagnostic``."""
        found = await self._find(params.text_document.uri) or []
        told = repr([(one.range, one.message) for one in found])
        result_id = hashlib.sha256(told.encode()).hexdigest()[:16]
        if result_id == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
        return types.RelatedFullDocumentDiagnosticReport(items=found, result_id=result_id)

    def changed(self, uri: str) -> None:
        """Take note of an opened or changed document."""
        if self._pulls or self._is_taken(uri):
            return
        known = self._changed.get(uri)
        if known is not None:
            known.set()
            return
        self._changed[uri] = event = asyncio.Event()
        self._tasks.start(self._look(uri, event), name="syntax diagnostics")

    def closed(self, uri: str) -> None:
        """Forget a closed document; its diagnostics go with it."""
        if uri in self._told:
            self._publish(uri, None, [])

    def look_again(self) -> None:
        """Look at all documents: for whom they are has changed."""
        for document in list(self._server.workspace.text_documents.values()):
            self.changed(document.uri)

    async def _look(self, uri: str, changed: asyncio.Event) -> None:
        try:
            changed.set()
            while changed.is_set():
                await _rest(changed)
                document = open_document(self._server.workspace, uri)
                version = None if document is None else document.version
                found = await self._find(uri) or []
                if open_document(self._server.workspace, uri) is None:
                    return
                if not changed.is_set() and (found or uri in self._told):
                    self._publish(uri, version, found)
        finally:
            del self._changed[uri]

    async def _find(self, uri: str) -> list[types.Diagnostic] | None:
        document = None if self._is_taken(uri) else self._features.text_of(uri)
        found = None if document is None else await self._features.documents.problems(document)
        return None if found is None else [code_wire.diagnostic(problem) for problem in found]

    def _publish(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        if found:
            self._told.add(uri)
        else:
            self._told.discard(uri)
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=found)
        )


async def _rest(changed: asyncio.Event) -> None:
    """Wait until nothing has changed for a moment."""
    while changed.is_set():
        changed.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PUSH_DELAY_S):
                await changed.wait()
