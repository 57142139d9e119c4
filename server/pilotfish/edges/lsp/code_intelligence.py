"""What the server knows of code, for one editor.

Owns: putting gate, features, diagnostics and registrations together, and what the editor's news mean
for them.
"""

from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from pilotfish.codeintel.sources import CodeSources
from pilotfish.config.code_intelligence import EditorFeatures
from pilotfish.edges.lsp.capabilities import json_at, pulls_diagnostics, tells_languages
from pilotfish.edges.lsp.code_diagnostics import CodeDiagnostics
from pilotfish.edges.lsp.code_features import CodeFeatures
from pilotfish.edges.lsp.code_registration import CodeRegistration
from pilotfish.edges.lsp.feature_gate import FeatureGate
from pilotfish.util.tasks import TaskScope
from pilotfish.wire.editor import LanguagesParams


class CodeIntelligence:
    """Code intelligence for one editor."""

    def __init__(
        self,
        server: LanguageServer,
        sources: Callable[[], CodeSources | None],
        tasks: TaskScope,
        initialize: dict[str, Any],
        *,
        is_taken: Callable[[str], bool],
        is_asked_back: Callable[[str | None], bool],
    ) -> None:
        """Set it up.

        Args:
            server: The connection.
            sources: Who can be asked about code; None while the engine starts.
            tasks: Owns the work that goes on.
            initialize: The parameters of ``initialize``.
            is_taken: Tells whether somebody else of ours publishes diagnostics for a document.
            is_asked_back: Tells whether the editor asks about a document (None: the project) only to
                answer a question of ours; it wants to know what others say then.
        """
        self._gate = FeatureGate(tells_languages=tells_languages(initialize))
        forests = json_at(
            initialize,
            *("capabilities", "textDocument", "documentSymbol"),
            "hierarchicalDocumentSymbolSupport",
        )
        self._features = CodeFeatures(
            server, sources, self._gate, is_asked_back, knows_forests=forests is True
        )
        self._diagnostics = CodeDiagnostics(
            server,
            self._features,
            tasks,
            pulls=pulls_diagnostics(initialize),
            is_taken=is_taken,
        )
        self._registration = CodeRegistration(server, self._gate, tasks)

    def register(self) -> None:
        """Make the handlers known to the server."""
        self._features.register()
        self._diagnostics.register()

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Answer ``textDocument/hover``."""
        return await self._features.hover(params)

    def changed(self, uri: str) -> None:
        """Take note of an opened or changed document."""
        self._diagnostics.changed(uri)

    def closed(self, uri: str) -> None:
        """Forget a closed document."""
        self._features.documents.forget(uri)
        self._diagnostics.closed(uri)

    def configure(self, mode: EditorFeatures) -> None:
        """Take over the setting ``codeIntelligence.editorFeatures``."""
        if mode != self._gate.mode:
            self._gate.mode = mode
            self._look_again()

    async def take_languages(self, params: LanguagesParams) -> None:
        """Take note of the languages that nobody else serves in the editor."""
        languages = frozenset(params.languages)
        if languages != self._gate.languages:
            self._gate.languages = languages
            self._look_again()

    def _look_again(self) -> None:
        self._registration.renew()
        self._diagnostics.look_again()
