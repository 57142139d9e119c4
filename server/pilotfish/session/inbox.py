"""The inbox: open questions to the user.

Owns: that every question is stored before it is shown, is answered at most once, and always ends:
by an answer, by a cancel, or with its session.
Does not own: how it is shown (edges), what an answer does (``permissions.gate``, the tools that ask).
"""

import asyncio
import logging
from collections.abc import Callable
from typing import cast

from pilotfish.core.dialogs import (
    Answer,
    PlanAnswer,
    PlanQuestion,
    Question,
    UserAnswer,
    UserQuestion,
)
from pilotfish.core.events import KeptEvent, QuestionAsked, QuestionResolved
from pilotfish.core.ids import RequestId
from pilotfish.core.permission import PermissionAnswer, PermissionQuestion
from pilotfish.util.records import dataclass

logger = logging.getLogger(__name__)

_WITHDRAWN: dict[str, Answer] = {
    "permission": PermissionAnswer(kind="withdrawn"),
    "user": UserAnswer(kind="withdrawn"),
    "plan": PlanAnswer(kind="withdrawn"),
}
"""How each kind of question ends when nobody answers it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Open:
    question: Question
    answer: asyncio.Future[Answer]


class Inbox:
    """Open questions of one session; implements the ports of ``ports.interaction``."""

    def __init__(
        self,
        emit: Callable[[KeptEvent], None],
        can_ask: Callable[[], bool],
        can_ask_forms: Callable[[], bool],
    ) -> None:
        self._emit = emit
        self._can_ask = can_ask
        self._can_ask_forms = can_ask_forms
        self._open: dict[RequestId, _Open] = {}

    @property
    def can_ask(self) -> bool:
        """Whether a client that can answer is attached."""
        return self._can_ask()

    @property
    def can_ask_forms(self) -> bool:
        """Whether a client that can fill in a form is attached."""
        return self._can_ask_forms()

    def open_questions(self) -> tuple[Question, ...]:
        """Return the open questions, oldest first."""
        return tuple(each.question for each in self._open.values())

    async def ask(self, question: PermissionQuestion) -> PermissionAnswer:
        """Put a permission question; a cancelled wait withdraws it."""
        return cast("PermissionAnswer", await self._put(question))

    async def ask_user(self, question: UserQuestion) -> UserAnswer:
        """Put the model's questions; a cancelled wait withdraws them."""
        return cast("UserAnswer", await self._put(question))

    async def review_plan(self, question: PlanQuestion) -> PlanAnswer:
        """Put a plan; a cancelled wait withdraws it."""
        return cast("PlanAnswer", await self._put(question))

    def find(self, request_id: RequestId) -> Question | None:
        """Return an open question."""
        found = self._open.get(request_id)
        return None if found is None else found.question

    def answer(self, request_id: RequestId, answer: Answer) -> bool:
        """Answer a question; False when it is not open (answered before, withdrawn, another kind)."""
        found = self._open.get(request_id)
        if found is None or found.answer.done():
            return False
        if not isinstance(answer, type(_WITHDRAWN[found.question.type])):
            logger.warning("an answer to %s does not fit the question", request_id)
            return False
        found.answer.set_result(answer)
        return True

    def withdraw(self, request_id: RequestId) -> None:
        """Close an open question without an answer."""
        found = self._open.get(request_id)
        if found is not None and not found.answer.done():
            found.answer.set_result(_WITHDRAWN[found.question.type])

    def withdraw_all(self) -> None:
        """Close every open question without an answer: nobody is left to give one."""
        for request_id in self._open:
            self.withdraw(request_id)

    async def _put(self, question: Question) -> Answer:
        """Store the question and wait; what comes back is of the question's own kind."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._open[question.request_id] = _Open(question=question, answer=future)
        self._emit(QuestionAsked(question=question))
        answer = _WITHDRAWN[question.type]
        try:
            answer = await future
        finally:
            self._open.pop(question.request_id, None)
            self._emit(
                QuestionResolved(
                    request_id=question.request_id, answer=answer.kind, feedback=answer.feedback
                )
            )
        return answer
