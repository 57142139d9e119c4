"""A client's end that can be made to wait.

Owns: the order of what is sent while something long is being sent in slices: all else comes after it.
Does not own: what is sent.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from pilotfish.edges.peer import Peer


class HeldPeer:
    """Sends at once, but while it is held."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._waiting: list[tuple[str, dict[str, Any]]] = []
        self._flows = asyncio.Event()
        self._flows.set()

    @contextmanager
    def held(self) -> Generator[Peer]:
        """Hold back whatever comes; gives the end that still sends at once."""
        self._flows.clear()
        try:
            yield self._peer
        finally:
            waiting, self._waiting = self._waiting, []
            try:
                for method, params in waiting:
                    self._peer.notify(method, params)
            finally:
                self._flows.set()

    async def flows(self) -> None:
        """Wait until nothing is held back."""
        await self._flows.wait()

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification, or keep it for later."""
        if self._flows.is_set():
            self._peer.notify(method, params)
        else:
            self._waiting.append((method, params))

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request, once nothing is held back, and wait for its result."""
        await self._flows.wait()
        return await self._peer.ask(method, params)
