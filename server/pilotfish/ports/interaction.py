"""Asking the user."""

from typing import Protocol

from pilotfish.core.permission import PermissionAnswer, PermissionQuestion


class InteractionPort(Protocol):
    """Puts questions to the user. The session's inbox implements it."""

    @property
    def can_ask(self) -> bool:
        """Whether somebody is there to answer."""
        ...

    async def ask(self, question: PermissionQuestion) -> PermissionAnswer:
        """Wait for the answer. Cancelling the wait withdraws the question.

        The question is stored before it is shown. Answers ``withdrawn`` when the last client
        that could answer is gone for good.
        """
        ...
