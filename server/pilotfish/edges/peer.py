"""The client, as those see it who tell and ask it something.

Does not own: how that travels (``edges.channel``).
"""

from typing import Any, Protocol


class Peer(Protocol):
    """The client's end of the agent channel."""

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification."""
        ...

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its result."""
        ...
