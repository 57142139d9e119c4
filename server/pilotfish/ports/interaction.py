"""Asking the user."""

from typing import Protocol

from pilotfish.core.dialogs import PlanAnswer, PlanQuestion, UserAnswer, UserQuestion
from pilotfish.core.ids import RequestId
from pilotfish.core.permission import PermissionAnswer, PermissionQuestion


class InteractionPort(Protocol):
    """Puts permission questions to the user. The session's inbox implements it."""

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

    def withdraw(self, request_id: RequestId) -> None:
        """End the wait for an answer with ``withdrawn``, unless there is one already."""
        ...


class DialogPort(Protocol):
    """Puts to the user what tools want to know. The session's inbox implements it.

    The rules of ``InteractionPort.ask`` hold for both kinds.
    """

    @property
    def can_ask(self) -> bool:
        """Whether somebody is there to answer."""
        ...

    @property
    def can_ask_forms(self) -> bool:
        """Whether somebody is there who can fill in a form, as ``ask_user`` needs."""
        ...

    async def ask_user(self, question: UserQuestion) -> UserAnswer:
        """Put the model's questions."""
        ...

    async def review_plan(self, question: PlanQuestion) -> PlanAnswer:
        """Put a plan."""
        ...
