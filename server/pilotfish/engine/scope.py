"""Where a call's scope comes from: the session knows the working folder, the turn knows the rest."""

from collections.abc import Callable
from typing import Protocol

from pilotfish.core.calls import CallScope, ToolProgress
from pilotfish.engine.state import TurnIdentity


class ScopeSource(Protocol):
    """Builds the scope of one call."""

    def __call__(
        self, identity: TurnIdentity, on_progress: Callable[[ToolProgress], None]
    ) -> CallScope:
        """Return the scope: identity, present working folder, sink for progress."""
        ...
