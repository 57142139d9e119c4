"""Calls that wait for the user.

Owns: judging all of them again when rules or mode have changed, and ending the wait of those that
no longer need the user.
Does not own: the questions (``ports.interaction``), what the outcome means (``gate``).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pilotfish.core.permission import PermissionDecision


@dataclass(kw_only=True)
class Waiter:
    """A call whose question is open."""

    task: asyncio.Task[Any]
    """Waits for the answer."""
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

    def add(
        self,
        task: asyncio.Task[Any],
        withdraw: Callable[[], None],
        decide: Callable[[], Awaitable[PermissionDecision]],
    ) -> Waiter:
        """Add a call until its task ends."""
        waiter = Waiter(task=task, withdraw=withdraw, decide=decide)
        self._waiting.append(waiter)
        task.add_done_callback(lambda _: self._waiting.remove(waiter))
        return waiter

    async def judge_again(self) -> None:
        """Judge every waiting call by what holds now; what needs no user any more stops waiting."""
        self.changes += 1
        for waiter in tuple(self._waiting):
            decision = await waiter.decide()
            if decision.behavior != "ask" and not waiter.task.done():
                waiter.settled = decision
                waiter.withdraw()
