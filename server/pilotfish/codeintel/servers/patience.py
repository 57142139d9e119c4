"""How much a question may cost whoever asks it.

Owns: how long it waits, for which servers one is started, whether one that loads the project is waited
for, who is not waited for again for a while.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from pilotfish.codeintel.servers.detect import Found, Key
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.util.records import dataclass

REQUEST_LIMIT_S = 5.0
"""How long one question may take, a start of the server included; then the next source is asked."""

BENCH_S = 10.0
"""How long a server is left out that has kept somebody waiting in vain."""


MayStart = Callable[[Found, Path], Awaitable[bool]]
"""Tells whether a server that does not run is started for a question about a file."""


async def any_may_start(_found: Found, _path: Path) -> bool:
    """Tell that any server may: nobody else can answer."""
    return True


async def none_may_start(_found: Found, _path: Path) -> bool:
    """Tell that none may: only those that run are asked."""
    return False


async def light_may_start(found: Found, _path: Path) -> bool:
    """Tell that those may which are light enough to run beside the editor's."""
    return found.definition.beside_editor


SETTLE_S = 1.0
"""So long after its start a server that has not said so may be about to load the project."""


class Bench:
    """Servers that have kept somebody waiting in vain. A server that was started since is not on it."""

    def __init__(self, pause_s: float = BENCH_S) -> None:
        self._pause_s = pause_s
        self._seats: dict[Key, tuple[LanguageServer | None, float]] = {}

    def put(self, found: Found, server: LanguageServer | None) -> None:
        """Leave a server out for a while; None: one that did not get ready."""
        now = asyncio.get_running_loop().time()
        self._seats[found.key] = server, now + self._pause_s

    def holds(self, found: Found, server: LanguageServer | None) -> bool:
        """Tell whether a server is left out now; None: it does not run."""
        seat = self._seats.get(found.key)
        now = asyncio.get_running_loop().time()
        return seat is not None and seat[0] is server and now < seat[1]


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """What a question may cost."""

    limit_s: float = REQUEST_LIMIT_S
    """How long it may take, a start of the server included."""
    may_start: MayStart = any_may_start
    waits_for_load: bool = True
    """Whether an empty answer of a server that loads the project is worth asking again, within the limit.
    Nobody believes it in either case."""
    settle_s: float = SETTLE_S
    bench: Bench | None = None
    """Who is left out for a while; None where each question is worth the wait."""
