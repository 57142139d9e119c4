"""Telling an editor which of our code features count for which languages, while it runs.

Owns: dynamic registrations with an editor that says which languages nobody else serves. One that does
not say so is told once, in the answer to ``initialize`` (``edges.lsp.capabilities``).
"""

import asyncio
import logging

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from pilotfish.edges.lsp.feature_gate import FeatureGate
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

ANSWER_LIMIT_S = 10.0
"""How long the editor may take to register."""

_METHODS = (
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
    types.TEXT_DOCUMENT_FOLDING_RANGE,
    types.TEXT_DOCUMENT_SELECTION_RANGE,
    types.TEXT_DOCUMENT_DEFINITION,
    types.TEXT_DOCUMENT_REFERENCES,
    types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY,
    types.TEXT_DOCUMENT_RENAME,
)


class CodeRegistration:
    """Keeps the editor's registrations in step with the gate."""

    def __init__(self, server: LanguageServer, gate: FeatureGate, tasks: TaskScope) -> None:
        self._server = server
        self._gate = gate
        self._tasks = tasks
        self._registered: list[types.Registration] = []
        self._number = 0
        self._lock = asyncio.Lock()

    def renew(self) -> None:
        """Bring the registrations in step; does nothing for an editor that was told at the start."""
        if self._gate.tells_languages:
            self._tasks.start(self._renew(), name="register code features")

    async def _renew(self) -> None:
        async with self._lock:
            wanted = self._wanted()
            if [one.register_options for one in wanted] == [
                one.register_options for one in self._registered
            ]:
                return
            old, self._registered = self._registered, wanted
            try:
                async with asyncio.timeout(ANSWER_LIMIT_S):
                    if old:
                        await self._server.client_unregister_capability_async(
                            types.UnregistrationParams(
                                unregisterations=[
                                    types.Unregistration(id=one.id, method=one.method)
                                    for one in old
                                ]
                            )
                        )
                    if wanted:
                        await self._server.client_register_capability_async(
                            types.RegistrationParams(registrations=wanted)
                        )
            except (TimeoutError, JsonRpcException) as error:
                logger.warning("the editor did not register code features: %r", error)

    def _wanted(self) -> list[types.Registration]:
        gate = self._gate
        if not gate.serves_any:
            return []
        selector: list[types.TextDocumentFilterLanguage | types.TextDocumentFilterScheme]
        if gate.mode == "on":
            selector = [types.TextDocumentFilterScheme(scheme="file")]
        else:
            selector = [
                types.TextDocumentFilterLanguage(language=language, scheme="file")
                for language in sorted(gate.languages)
            ]
        plain = types.TextDocumentRegistrationOptions(document_selector=[*selector])
        wanted = [self._registration(method, plain) for method in _METHODS]
        pull = types.DiagnosticRegistrationOptions(
            document_selector=[*selector],
            inter_file_dependencies=False,
            workspace_diagnostics=False,
            identifier="pilotfish",
        )
        wanted.append(self._registration(types.TEXT_DOCUMENT_DIAGNOSTIC, pull))
        wanted.append(
            self._registration(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolRegistrationOptions())
        )
        return wanted

    def _registration(self, method: str, options: object) -> types.Registration:
        self._number += 1
        return types.Registration(
            id=f"pilotfish-{self._number}", method=method, register_options=options
        )
