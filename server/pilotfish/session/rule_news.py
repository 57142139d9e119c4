"""Who hears of changed rules.

Owns: telling the views that the rules are no longer what they were, and the other sessions that a
settings file has changed.
Does not own: changing rules (``session.rules_desk``, ``session.permission_source``).
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

from pilotfish.config.store import FileDestination
from pilotfish.core.ids import SessionId

RulesListener = Callable[[SessionId | None], None]
"""Hears that rules have changed, of one session or (None) in a file; must not block nor raise."""

FileListener = Callable[[FileDestination, Path, SessionId], Awaitable[None]]
"""Hears that a session has saved a grant into a file, for a project."""


class RuleNews:
    """One for each process."""

    def __init__(self) -> None:
        self._listeners: list[RulesListener] = []
        self._on_saved: FileListener | None = None

    def listen(self, listener: RulesListener) -> None:
        """Add a view, for good."""
        self._listeners.append(listener)

    def when_saved(self, listener: FileListener) -> None:
        """Set who takes a saved grant to the other sessions."""
        self._on_saved = listener

    def tell(self, session_id: SessionId | None = None) -> None:
        """Tell every view that rules have changed."""
        for listener in tuple(self._listeners):
            listener(session_id)

    async def saved(self, destination: FileDestination, root: Path, by: SessionId) -> None:
        """Take a saved grant to everyone that it concerns."""
        if self._on_saved is not None:
            await self._on_saved(destination, root, by)
        self.tell()
