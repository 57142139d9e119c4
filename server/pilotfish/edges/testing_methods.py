"""``_pilotfish/testing/*``: what tests ask of a server that was started for them.

Owns: decoding, the answers.
Does not own: making a new engine (``edges.lsp.server``), the clock (``util.forced_clock``).
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from pilotfish.core.errors import InvalidField
from pilotfish.edges.channel import Handler
from pilotfish.session.manager import SessionManager
from pilotfish.session.session import Session
from pilotfish.util.forced_clock import ForcedClock
from pilotfish.wire import testing as wire
from pilotfish.wire.method import Empty


class TestingMethods:
    """Serves one client, with one engine."""

    __test__ = False

    def __init__(
        self,
        manager: SessionManager,
        clock: ForcedClock,
        *,
        open_documents: Callable[[], int],
        begin_anew: Callable[[], Awaitable[None]],
    ) -> None:
        """Set it up.

        Args:
            manager: The engine's sessions.
            clock: The engine's clock.
            open_documents: How many documents the editor has open.
            begin_anew: Ends the engine and begins another one.
        """
        self._manager = manager
        self._clock = clock
        self._open_documents = open_documents
        self._begin_anew = begin_anew

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            wire.TESTING_STATS.name: Handler(params=Empty, call=self._stats),
            wire.TESTING_RESET.name: Handler(params=Empty, call=self._reset),
            wire.TESTING_CLOCK.name: Handler(params=wire.ClockParams, call=self._turn),
        }

    async def _stats(self, _: Empty) -> wire.StatsResponse:
        sessions = self._manager.open_sessions()
        children: list[dict[str, Any]] = [
            {"pid": child.pid, "purpose": child.purpose, "label": child.label}
            for child in self._manager.children()
        ]
        return wire.StatsResponse(
            pid=os.getpid(),
            memory_bytes=self._manager.memory_bytes(),
            pending_tasks=len(asyncio.all_tasks()),
            open_documents=self._open_documents(),
            sessions=len(sessions),
            children=children,
            counts=_counts(sessions),
        )

    async def _reset(self, _: Empty) -> Empty:
        self._clock.release()
        await self._begin_anew()
        return Empty()

    async def _turn(self, params: wire.ClockParams) -> wire.ClockResponse:
        clock = self._clock
        begin_ms = clock.now_ms() if params.now_ms is None else params.now_ms
        if begin_ms + params.advance_ms > wire.LAST_MS:
            raise InvalidField("advanceMs", "there are no dates so late.")
        if params.now_ms is not None:
            clock.hold(params.now_ms)
        if "advance_ms" in params.model_fields_set:
            clock.advance(params.advance_ms)
        return wire.ClockResponse(now_ms=clock.now_ms(), held=clock.is_held, waits=clock.waits)


def _counts(sessions: Sequence[Session]) -> dict[str, int]:
    """Return what sessions hold that has to go again: a leak shows here first."""
    return {
        "agents": sum(len(session.roster.running()) for session in sessions),
        "agentWork": sum(session.workbench.agents.busy() for session in sessions),
        "listeners": sum(session.log.listeners for session in sessions),
        "queuedPrompts": sum(len(session.queue) for session in sessions),
        "openQuestions": sum(len(session.inbox.open_questions()) for session in sessions),
    }
