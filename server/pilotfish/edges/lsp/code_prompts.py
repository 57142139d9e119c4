"""Prompts that begin in the editor: code actions and code lenses of one connection.

Owns: giving both the outline of the document, and whether they are wanted.
Does not own: which there are and what they say (``code_actions``, ``code_lenses``).
"""

import logging
from typing import Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from pilotfish.edges.localise import Translate
from pilotfish.edges.lsp.code_actions import code_actions
from pilotfish.edges.lsp.code_lenses import code_lenses
from pilotfish.edges.lsp.outlines import Outlines
from pilotfish.ports.code import Symbol
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)


class CodePrompts:
    """Entries of the editor that start a prompt."""

    def __init__(
        self,
        server: LanguageServer,
        tasks: TaskScope,
        translate: Translate,
        *,
        starts_prompts: bool,
    ) -> None:
        """Set it up.

        Args:
            server: The connection.
            tasks: For what goes on beside it.
            translate: Puts titles into the editor's language.
            starts_prompts: Whether the editor knows the command behind the entries; one that does not
                is offered none, since each would fail.
        """
        self.translate = translate
        """Puts a text of ours into the editor's language."""
        self._server = server
        self._tasks = tasks
        self._outlines = Outlines(server)
        self._has_lenses = False
        self._starts_prompts = starts_prompts
        self._has_actions = starts_prompts

    async def symbols(self, uri: str) -> tuple[Symbol, ...]:
        """Return the outline of an open document; none where its language is not known."""
        return await self._outlines.of(uri)

    def configure(self, settings: dict[str, Any]) -> None:
        """Take over the editor's settings; a client that shows lenses looks again when that changes."""
        self._has_actions = self._starts_prompts and _switch(settings, "codeActions") is not False
        wanted = self._starts_prompts and _switch(settings, "codeLens") is True
        if wanted == self._has_lenses:
            return
        self._has_lenses = wanted
        self._tasks.start(self._refresh(), name="code lens refresh")

    def closed(self, uri: str) -> None:
        """Forget a closed document."""
        self._outlines.closed(uri)

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return the actions for a range; none while they are off."""
        if not self._has_actions:
            return []
        needed = params.context.diagnostics or params.range.start != params.range.end
        symbols = await self._outlines.of(params.text_document.uri) if needed else ()
        actions = code_actions(params, symbols)
        for action in actions:
            action.title = self.translate(action.title)
            if action.command is not None:
                action.command.title = action.title
        return actions

    async def lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """Return the lenses of a document; none while they are off."""
        if not self._has_lenses:
            return []
        uri = params.text_document.uri
        return code_lenses(uri, await self._outlines.of(uri), self.translate)

    async def _refresh(self) -> None:
        capabilities = self._server.client_capabilities.workspace
        lens = capabilities.code_lens if capabilities is not None else None
        if lens is None or not lens.refresh_support:
            return
        try:
            await self._server.workspace_code_lens_refresh_async(None)
        except JsonRpcException as error:
            logger.info("the editor did not look at code lenses again: %s", error)


def _switch(settings: dict[str, Any], name: str) -> object:
    """Return what a section says about whether it is wanted; None when it does not say."""
    section = settings.get(name)
    return cast("dict[str, Any]", section).get("enabled") if isinstance(section, dict) else None
