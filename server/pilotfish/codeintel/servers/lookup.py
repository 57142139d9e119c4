"""What our language servers find in the files as they are now.

Owns: having a file judged because somebody asks, or telling what is known of the project.
Does not own: what edits change (``diagnostics``), judgements (``judge``).
"""

import asyncio
import logging
from collections.abc import Iterable
from pathlib import Path

from pilotfish.codeintel.servers.access import ServerAccess
from pilotfish.codeintel.servers.detect import Found
from pilotfish.codeintel.servers.documents import MAX_DOCUMENT_CHARS
from pilotfish.codeintel.servers.judge import judge_workspace
from pilotfish.codeintel.servers.reach import Reach
from pilotfish.codeintel.servers.refresh import read_all, refresh
from pilotfish.codeintel.servers.rpc import ServerFailure
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.codeintel.servers.shadow import look_at_all
from pilotfish.ports.diagnostics import Problem, ProblemList

logger = logging.getLogger(__name__)

LOOK_LIMIT_S = 5.0
"""How long a question may take, a start of the server included."""


class ServerProblems:
    """One per conversation."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    async def of_file(self, path: Path) -> ProblemList | None:
        """Have a file judged as it is now; None when no server of ours does so in time."""
        access = self._reach.access()
        text = (await read_all(self._reach.read, [path]))[path]
        if text is None or len(text) > MAX_DOCUMENT_CHARS:
            return None
        asked = await self._reach.pool.servers_for(path, access)
        answers = await asyncio.gather(*(self._judged(one, access, path, text) for one in asked))
        given = [server for server in answers if server is not None]
        found = [problem for server in given for problem in server.findings.of(path)]
        complete = len(given) == len(asked)
        return _told(given, {path: found}, complete=complete) if given else None

    async def of_project(self) -> ProblemList | None:
        """Return what is known of the project; None when no server runs that looks at it."""
        access = self._reach.access()
        servers = [
            server
            for server in self._reach.pool.alive()
            if any(server.found.root.is_relative_to(root) for root in access.roots)
        ]
        if not servers or not access.trusted or not access.enabled:
            return None
        whole = await asyncio.gather(*(self._all_judged(server) for server in servers))
        problems: dict[Path, list[Problem]] = {}
        for server in servers:
            for path, found in server.findings.known().items():
                problems.setdefault(path, []).extend(found)
        return _told(servers, problems, complete=all(whole))

    async def _judged(
        self, found: Found, access: ServerAccess, path: Path, text: str
    ) -> LanguageServer | None:
        try:
            async with asyncio.timeout(LOOK_LIMIT_S):
                server = await self._reach.pool.get(found, access)
                async with server.turn_of(self._reach.opener):
                    await refresh(server, self._reach.read, {path})
                    judged = await look_at_all(server, [(path, text)], LOOK_LIMIT_S)
        except (ServerFailure, TimeoutError) as error:
            logger.info("%s did not look at a file: %s", found.definition.name, error or "too slow")
            return None
        return server if judged else None

    async def _all_judged(self, server: LanguageServer) -> bool:
        try:
            async with asyncio.timeout(LOOK_LIMIT_S), server.turn_of(self._reach.opener):
                await refresh(server, self._reach.read)
                some_file = next(iter(server.documents.paths()), server.found.root)
                return await judge_workspace(server, some_file, LOOK_LIMIT_S)
        except (ServerFailure, TimeoutError) as error:
            logger.info("%s did not look at all: %s", server.name, error or "too slow")
            return False


def _told(
    servers: Iterable[LanguageServer], problems: dict[Path, list[Problem]], *, complete: bool
) -> ProblemList:
    names = ", ".join(sorted({server.name for server in servers}))
    return ProblemList(source=names, problems=problems, complete=complete)
