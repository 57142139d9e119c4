"""What our own language servers know of code.

Owns: ``ports.code.CodeSource`` over the pool: whom to ask, with which limits.
Does not own: reading the answers (``convert``), the servers (``pool``).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path

from typing_extensions import override

from pilotfish.codeintel.servers.access import ServerAccess
from pilotfish.codeintel.servers.convert import (
    read_calls,
    read_document_symbols,
    read_hover,
    read_locations,
    read_workspace_edit,
    read_workspace_symbols,
    to_json,
)
from pilotfish.codeintel.servers.detect import Found
from pilotfish.codeintel.servers.patience import Patience
from pilotfish.codeintel.servers.reach import Reach
from pilotfish.codeintel.servers.refresh import refresh, show
from pilotfish.codeintel.servers.repeat import ask
from pilotfish.codeintel.servers.rpc import ServerFailure, ServerRefusal
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.codeintel.servers.shapes import as_list, to_uri
from pilotfish.core.jsontypes import JsonObject, JsonValue
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

logger = logging.getLogger(__name__)

AGAIN_S = 0.25
"""Pause before a server that loads the project is asked again; news of it end the pause."""

PAUSE_S = 0.05
"""Shortest pause, whatever it publishes meanwhile."""

Follow = Callable[[LanguageServer, JsonValue], Awaitable[JsonValue]]
"""Asks on with what a first question has found."""

_LOCATE: dict[LocateKind, tuple[str, str]] = {
    "definition": ("definitionProvider", "textDocument/definition"),
    "references": ("referencesProvider", "textDocument/references"),
    "implementation": ("implementationProvider", "textDocument/implementation"),
    "type_definition": ("typeDefinitionProvider", "textDocument/typeDefinition"),
}

_CALLS: dict[CallDirection, tuple[str, str]] = {
    "incoming": ("callHierarchy/incomingCalls", "from"),
    "outgoing": ("callHierarchy/outgoingCalls", "to"),
}


class LanguageServerSource(CodeSource):
    """Implements ``ports.code.CodeSource``; one per session, or per question of an editor."""

    name = "language servers"

    def __init__(self, reach: Reach, patience: Patience | None = None) -> None:
        self._reach = reach
        self._patience = patience or Patience()

    async def locate(
        self, kind: LocateKind, path: Path, position: Position
    ) -> Sequence[Location] | None:
        """Find what belongs to the symbol at a position."""
        capability, method = _LOCATE[kind]
        params = _at(path, position)
        if kind == "references":
            params["context"] = {"includeDeclaration": True}
        answer = await self._ask(path, capability, method, params)
        return None if answer is None else read_locations(answer[0])

    async def hover(self, path: Path, position: Position) -> str | None:
        """Return signature and documentation of the symbol at a position, as Markdown."""
        answer = await self._ask(path, "hoverProvider", "textDocument/hover", _at(path, position))
        return None if answer is None else read_hover(answer[0])

    async def document_symbols(self, path: Path) -> Sequence[Symbol] | None:
        """Return the symbols of a file as a forest."""
        answer = await self._ask(
            path, "documentSymbolProvider", "textDocument/documentSymbol", _in(path)
        )
        return None if answer is None else read_document_symbols(answer[0], path)

    async def workspace_symbols(self, query: str, limit: int) -> Sequence[Symbol] | None:
        """Find symbols of the project; asks the servers that run already."""
        access = self._reach.access()
        servers = self._of_project(access)
        if not servers:
            return None
        answers = await asyncio.gather(
            *(self._request(one, "workspace/symbol", {"query": query}) for one in servers)
        )
        given = [answer for answer in answers if answer is not None]
        if not given:
            return None
        lists = [read_workspace_symbols(answer, access.roots, limit) for (answer,) in given]
        # They take turns: the one that finds most must not crowd out the others.
        rounds = zip_longest(*lists)
        found = [symbol for several in rounds for symbol in several if symbol is not None]
        return found[:limit]

    async def loading(self, path: Path | None) -> Sequence[str]:
        """Return the servers that start or load the project, by name."""
        access = self._reach.access()
        pool = self._reach.pool
        if path is not None:
            asked = await pool.servers_for(path, access)
            starting = [one.definition.name for one in asked if pool.is_starting(one)]
            servers = [pool.running(one) for one in asked]
        else:
            starting = []
            servers = [*self._of_project(access)]
        loading = [one.name for one in servers if one is not None and one.is_loading()]
        return [*starting, *loading]

    @override
    async def failures(self, path: Path | None) -> Sequence[str]:
        """Return none: a server that does not start is told in the table of ``doctor``."""
        return ()

    def _of_project(self, access: ServerAccess) -> list[LanguageServer]:
        """Return the servers that run in the folders and can search the project."""
        if not access.trusted or not access.enabled:
            return []
        return [
            server
            for server in self._reach.pool.alive()
            if server.can("workspaceSymbolProvider")
            and any(server.found.root.is_relative_to(root) for root in access.roots)
        ]

    async def calls(
        self, direction: CallDirection, path: Path, position: Position
    ) -> Sequence[CallLink] | None:
        """Return who calls the function at a position, or what it calls."""
        method, key = _CALLS[direction]

        async def follow(server: LanguageServer, items: JsonValue) -> JsonValue:
            found: list[JsonValue] = []
            for item in as_list(items)[:5]:
                limit_s = self._patience.limit_s
                answer = await server.rpc.request(method, {"item": item}, limit_s)
                found += as_list(answer)
            return found

        prepare = "textDocument/prepareCallHierarchy"
        answer = await self._ask(
            path, "callHierarchyProvider", prepare, _at(path, position), follow
        )
        return None if answer is None else read_calls(answer[0], key)

    async def rename(
        self, path: Path, position: Position, new_name: str
    ) -> Sequence[FileChange] | None:
        """Work out a rename of the symbol at a position. Changes nothing."""
        params = _at(path, position) | {"newName": new_name}
        answer = await self._ask(path, "renameProvider", "textDocument/rename", params)
        return None if answer is None else read_workspace_edit(answer[0])

    async def _ask(
        self,
        path: Path,
        capability: str,
        method: str,
        params: JsonObject,
        follow: Follow | None = None,
    ) -> tuple[JsonValue] | None:
        """Ask the first server that can tell; None when there is none, in a tuple its answer."""
        access = self._reach.access()
        for found in await self._reach.pool.servers_for(path, access):
            server = self._reach.pool.running(found)
            if not await self._is_worth_it(found, server, path):
                continue
            try:
                async with asyncio.timeout(self._patience.limit_s):
                    server = await self._reach.pool.get(found, access)
                    if not server.can(capability, method):
                        continue
                    ask_it = partial(self._put, server, path, method, params, follow)
                    answer = await self._when_loaded(server, ask_it)
                    if answer is not None:
                        return answer
            except (ServerFailure, TimeoutError) as error:
                self._log(found, method, error)
                self._was_in_vain(found, server, error)
        return None

    async def _is_worth_it(self, found: Found, server: LanguageServer | None, path: Path) -> bool:
        bench = self._patience.bench
        if bench is not None and bench.holds(found, server):
            return False
        return server is not None or await self._patience.may_start(found, path)

    async def _when_loaded(
        self, server: LanguageServer, ask_it: Callable[[], Awaitable[JsonValue]]
    ) -> tuple[JsonValue] | None:
        """Ask until there is an answer or the project is loaded; None: that takes longer than we have.

        A server that still reads the project finds nothing where there is something.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience.limit_s
        while True:
            was_loading = server.is_loading(self._patience.settle_s)
            answer = await ask_it()
            if answer or not was_loading:
                return (answer,)
            left = deadline - loop.time()
            if not self._patience.waits_for_load or left <= AGAIN_S:
                return None
            # A server that publishes list after list is not asked after each of them.
            await asyncio.sleep(PAUSE_S)
            await server.findings.wait(min(AGAIN_S, left))

    def _was_in_vain(self, found: Found, server: LanguageServer | None, error: Exception) -> None:
        bench = self._patience.bench
        # One that others have asked something just now is not to blame.
        is_busy = server is not None and server.turn.locked()
        if bench is not None and not is_busy and not isinstance(error, ServerRefusal):
            bench.put(found, server)

    async def _put(
        self,
        server: LanguageServer,
        path: Path,
        method: str,
        params: JsonObject,
        follow: Follow | None,
    ) -> JsonValue:
        async with server.turn_of(self._reach.opener):
            await refresh(server, self._reach.read, {path})
            await show(server, self._reach.read, self._reach.held())
            text = await asyncio.to_thread(self._reach.read, path)
            if text is not None:
                server.sync(path, text)
            answer = await ask(server, method, params, self._patience.limit_s)
            return answer if follow is None else await follow(server, answer)

    async def _request(
        self, server: LanguageServer, method: str, params: JsonObject
    ) -> tuple[JsonValue] | None:
        """Ask one server about the project."""
        limit_s = self._patience.limit_s
        try:
            async with asyncio.timeout(limit_s):
                return await self._when_loaded(
                    server, lambda: server.rpc.request(method, params, limit_s)
                )
        except (ServerFailure, TimeoutError) as failure:
            self._log(server.found, method, failure)
            return None

    def _log(self, found: Found, method: str, error: Exception) -> None:
        logger.info("%s did not answer %s: %s", found.definition.name, method, error or "too slow")


def _in(path: Path) -> JsonObject:
    return {"textDocument": {"uri": to_uri(path)}}


def _at(path: Path, position: Position) -> JsonObject:
    return {"textDocument": {"uri": to_uri(path)}, "position": to_json(position)}
