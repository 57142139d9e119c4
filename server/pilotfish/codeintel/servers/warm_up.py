"""Having servers ready before they are needed: what an agent reads, it may change next.

Owns: starting light servers in the background, and having them look at what was read.
Does not own: the servers (``pool``), what comes of an edit (``diagnostics``).
"""

import logging
from pathlib import Path

from pilotfish.codeintel.latest_first import LatestFirst
from pilotfish.codeintel.servers.documents import MAX_DOCUMENT_CHARS
from pilotfish.codeintel.servers.reach import Reach
from pilotfish.codeintel.servers.refresh import read_all
from pilotfish.codeintel.servers.rpc import ServerFailure
from pilotfish.codeintel.servers.shadow import look_at_all

logger = logging.getLogger(__name__)

LOOK_LIMIT_S = 10.0
"""How long a server may take over one file; nobody waits for it, but it is not free meanwhile."""


class WarmUp:
    """One per conversation."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._queue = LatestFirst(self._look, reach.pool.scope, name="warm up")

    def seen(self, path: Path) -> None:
        """Take note of a file that was read. Costs nothing."""
        access = self._reach.access()
        if not access.trusted or not access.enabled:
            return
        if any(path.suffix.lower() in one.languages for one in access.table):
            self._queue.add(path)

    async def _look(self, path: Path) -> None:
        access = self._reach.access()
        for found in await self._reach.pool.servers_for(path, access):
            if not found.definition.beside_editor or not self._reach.pool.may_start(found):
                continue
            try:
                server = await self._reach.pool.get(found, access)
                async with server.turn_of(self._reach.opener):
                    text = (await read_all(self._reach.read, [path]))[path]
                    if text is not None and len(text) <= MAX_DOCUMENT_CHARS:
                        await look_at_all(server, [(path, text)], LOOK_LIMIT_S)
            except ServerFailure as failure:
                logger.info("%s is not ready: %s", found.definition.name, failure)
