"""Calls that wait for the user.

Owns: judging all of them again when rules or mode have changed, and ending the wait of those that
no longer need the user.
Does not own: the questions (``ports.interaction``), what the outcome means (``gate``).
"""

from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import Any

from pilotfish.core.permission import PermissionDecision
from pilotfish.util.records import dataclass


@dataclass(kw_only=True, eq=False)
class Waiter:
    """A call whose question is open."""

    withdraw: Callable[[], None]
    """Ends the wait, unless the user has answered already."""
    decide: Callable[[], Awaitable[PermissionDecision]]
    """Judges the call by what holds now."""
    settled: PermissionDecision | None = None
    """Set when a later rule made the question needless."""


class WaitingCalls:
    """The open questions' calls of one session."""

    def __init__(self) -> None:
        self._waiting: list[Waiter] = []
        self.changes = 0
        """How often rules or mode have changed: a call judged before a change is not among those
        that wait when the change judges them again, and must notice by itself."""

    @contextmanager
    def waiting(
        self, withdraw: Callable[[], None], decide: Callable[[], Awaitable[PermissionDecision]]
    ) -> Generator[Waiter]:
        """Count a call among those that wait, inside the block.

        Its question must be open before anything else runs: what is withdrawn sooner would still be asked.
        """
        waiter = Waiter(withdraw=withdraw, decide=decide)
        self._waiting.append(waiter)
        try:
            yield waiter
        finally:
            self._waiting.remove(waiter)

    def judge_again(self) -> Coroutine[Any, Any, None]:
        """Note a change at once, and judge every waiting call by it as soon as that is awaited.

        What needs no user any more stops waiting.
        """
        self.changes += 1
        return self._judge_all(self.changes)

    async def _judge_all(self, change: int) -> None:
        for waiter in tuple(self._waiting):
            decision = await waiter.decide()
            if change != self.changes:
                return  # it was judged by what held before; the later change judges all of them
            if decision.behavior != "ask" and waiter in self._waiting:
                waiter.settled = decision
                waiter.withdraw()
