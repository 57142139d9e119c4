"""Small questions to a cheap model, beside the conversation.

Owns: asking on the session's bill: what a question used counts in the session's sums.
Does not own: the request (``llm.small``), which model is the small one (``session.providers``).
"""

import asyncio
from collections.abc import Callable

from pilotfish.core.events import KeptEvent, SideCallFinished, SideCallPurpose
from pilotfish.core.messages import Usage
from pilotfish.llm.errors import ModelError
from pilotfish.llm.model import Model
from pilotfish.llm.small import SmallQuestion, ask_small
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True)
class SmallModel:
    """The model for side questions, ready to be asked."""

    model: Model
    model_id: str


class SideCalls:
    """Side questions of one session."""

    def __init__(
        self,
        emit: Callable[[KeptEvent], None],
        small_model: Callable[[], SmallModel | None],
        cost_of: Callable[[str, Usage], float | None],
    ) -> None:
        self._emit = emit
        self._small_model = small_model
        self._cost_of = cost_of
        self._asking = 0
        self._all_answered = asyncio.Event()
        self._all_answered.set()

    def available(self) -> bool:
        """Tell whether there is a model to ask: the built-in demo answers no side questions."""
        return self._small_model() is not None

    async def ask(self, purpose: SideCallPurpose, question: SmallQuestion) -> str:
        """Ask once and return the answer's text, which may be empty.

        Raises:
            ModelError: The call failed or took too long, or there is no model to ask.
        """
        small = self._small_model()
        if small is None:
            raise ModelError("not_configured", "The built-in demo answers no side questions.")
        self._asking += 1
        self._all_answered.clear()
        try:
            answer = await ask_small(small.model, small.model_id, question)
        finally:
            self._asking -= 1
            if self._asking == 0:
                self._all_answered.set()
        self._emit(
            SideCallFinished(
                purpose=purpose,
                model=answer.model,
                usage=answer.usage,
                cost_usd=self._cost_of(answer.model, answer.usage),
            )
        )
        return answer.text

    async def settled(self) -> None:
        """Wait until no question is on its way; each has its own limit."""
        await self._all_answered.wait()
