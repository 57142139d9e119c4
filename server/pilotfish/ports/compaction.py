"""Making a conversation shorter when it no longer fits the model.

Owns: the seam between the loop of a turn and whatever shortens conversations.
"""

from typing import Protocol


class Compactor(Protocol):
    """Shortens a conversation."""

    async def before_call(self) -> None:
        """Shorten it where that is due. Called before each model call; bounded in time."""
        ...

    async def make_room(self) -> bool:
        """Shorten it now, because the model refused it for its length; False when that failed."""
        ...
