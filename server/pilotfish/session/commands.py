"""What the user types behind a slash, as a session sees it.

Owns: the seam between a session and its commands; implemented by ``session.command_desk``.
"""

from collections.abc import Sequence
from typing import Protocol

from typing_extensions import override

from pilotfish.core.commands import (
    CommandFacts,
)
from pilotfish.core.events import PromptSubmitted
from pilotfish.core.messages import ImageBlock, TextBlock
from pilotfish.engine.state import TurnIdentity

Content = Sequence[TextBlock | ImageBlock]


class CommandDesk(Protocol):
    """The commands of one conversation."""

    def listed(self) -> tuple[CommandFacts, ...]:
        """Return what can be typed, in the order of a menu."""
        ...

    async def answer(self, content: Content) -> bool:
        """Answer a command that the model has no part in; False when the prompt is none."""
        ...

    def needs_turn(self, content: Content) -> bool:
        """Tell whether a prompt is a command that begins a turn of its own."""
        ...

    async def begin(self, prompt: PromptSubmitted, identity: TurnIdentity) -> bool:
        """Do what a prompt's command asks for before the model is called, if it is a command.

        Returns:
            Whether the model goes on from there; else the turn is over.
        """
        ...


class NoCommands(CommandDesk):
    """For conversations in which a slash is a slash: those of sub-agents."""

    def listed(self) -> tuple[CommandFacts, ...]:
        """Return nothing."""
        return ()

    @override
    async def answer(self, content: Content) -> bool:
        """Return False."""
        return False

    @override
    def needs_turn(self, content: Content) -> bool:
        """Return False."""
        return False

    @override
    async def begin(self, prompt: PromptSubmitted, identity: TurnIdentity) -> bool:
        """Return True: the model answers."""
        return True
