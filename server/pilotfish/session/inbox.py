"""The inbox: open questions to the user.

Owns: that every question is stored before it is shown, is answered at most once, and always ends:
by an answer, by a cancel, or with its session.
Does not own: how it is shown (edges), what an answer does (``permissions.gate``).
"""

import asyncio
from collections.abc import Callable

from pilotfish.core.events import KeptEvent, QuestionAsked, QuestionResolved
from pilotfish.core.ids import RequestId
from pilotfish.core.permission import PermissionAnswer, PermissionQuestion

WITHDRAWN = PermissionAnswer(kind="withdrawn")


class Inbox:
    """Open questions of one session; implements ``ports.interaction.InteractionPort``."""

    def __init__(self, emit: Callable[[KeptEvent], None], can_ask: Callable[[], bool]) -> None:
        self._emit = emit
        self._can_ask = can_ask
        self._waiting: dict[RequestId, asyncio.Future[PermissionAnswer]] = {}
        self._questions: dict[RequestId, PermissionQuestion] = {}

    @property
    def can_ask(self) -> bool:
        """Whether a client that can answer is attached."""
        return self._can_ask()

    def open_questions(self) -> tuple[PermissionQuestion, ...]:
        """Return the open questions, oldest first."""
        return tuple(self._questions.values())

    async def ask(self, question: PermissionQuestion) -> PermissionAnswer:
        """Store the question, wait for its answer; a cancelled wait withdraws it."""
        future: asyncio.Future[PermissionAnswer] = asyncio.get_running_loop().create_future()
        self._waiting[question.request_id] = future
        self._questions[question.request_id] = question
        self._emit(QuestionAsked(question=question))
        answer = WITHDRAWN
        try:
            answer = await future
        finally:
            self._waiting.pop(question.request_id, None)
            self._questions.pop(question.request_id, None)
            self._emit(
                QuestionResolved(
                    request_id=question.request_id, answer=answer.kind, feedback=answer.feedback
                )
            )
        return answer

    def answer(self, request_id: RequestId, answer: PermissionAnswer) -> bool:
        """Answer a question; False when it is not open (answered before, or withdrawn)."""
        future = self._waiting.get(request_id)
        if future is None or future.done():
            return False
        future.set_result(answer)
        return True

    def withdraw_all(self) -> None:
        """Close every open question without an answer: nobody is left to give one."""
        for future in self._waiting.values():
            if not future.done():
                future.set_result(WITHDRAWN)
