"""Asking again when a server says that the question came at the wrong moment."""

import asyncio

from pilotfish.codeintel.servers.rpc import ServerFailure, ServerRefusal
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.core.jsontypes import JsonMapping, JsonValue

RETRIES = 5
"""How often a server may ask for a request to be repeated."""

RETRY_PAUSE_S = 0.1
"""Pause before a repetition."""

_REPEAT = frozenset({-32800, -32801, -32802})
"""Cancelled, content modified, cancelled by the server: nothing is wrong, ask again."""


async def ask(
    server: LanguageServer, method: str, params: JsonMapping, limit_s: float
) -> JsonValue:
    """Ask, and ask again where a file changed meanwhile.

    Raises:
        ServerFailure: No answer in time, or the server does not want to give one.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limit_s
    for attempt in range(RETRIES + 1):
        try:
            return await server.rpc.request(method, params, max(deadline - loop.time(), 0))
        except ServerRefusal as refusal:
            if refusal.code not in _REPEAT or attempt == RETRIES:
                raise
        await asyncio.sleep(min(RETRY_PAUSE_S, max(deadline - loop.time(), 0)))
    raise ServerFailure(f"no answer to {method}")
