"""Sessions that nobody looks at any more.

Owns: when such a session is let go of: at once when nothing of it runs or waits or was granted for it
alone, else as soon as that is so. Its turn, its agents and its commands go on until then, its questions stay open.
Does not own: ending it (``session.manager``), who looks at it (edges).
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager

from pilotfish.core.ids import SessionId
from pilotfish.session.session import Session
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope


@dataclass(frozen=True, kw_only=True, slots=True)
class _Left:
    session: Session
    stop_listening: Callable[[], None]


class LeftSessions:
    """The sessions that one client has left."""

    def __init__(self, end: Callable[[SessionId, Callable[[], bool]], Awaitable[None]]) -> None:
        """Set it up.

        Args:
            end: Ends a session, unless that is not meant any more when it comes to it: its second
                argument tells.
        """
        self._end = end
        self._tasks = TaskScope("left sessions")
        self._left: dict[SessionId, _Left] = {}
        self._asked: Counter[SessionId] = Counter()
        """Requests that are being answered, for each session that there are any for."""
        self._ending: set[SessionId] = set()

    def leave(self, session: Session) -> None:
        """Nobody looks at a session any more."""
        if session.id in self._left:
            return
        stop_listening = session.log.listen(lambda _: self._look_at(session.id))
        self._left[session.id] = _Left(session=session, stop_listening=stop_listening)
        self._look_at(session.id)

    def take_up(self, session_id: SessionId) -> None:
        """Somebody looks at a session again, or it has ended."""
        left = self._left.pop(session_id, None)
        if left is not None:
            left.stop_listening()

    @contextmanager
    def hold(self, session_id: SessionId) -> Generator[None]:
        """Keep a session while something is asked of it: what a prompt brings may take a while to read."""
        self._asked[session_id] += 1
        try:
            yield
        finally:
            self._asked[session_id] -= 1
            if self._asked[session_id] == 0:
                del self._asked[session_id]
                self._look_at(session_id)

    async def close(self) -> None:
        """Let go of nothing any more."""
        for session_id in tuple(self._left):
            self.take_up(session_id)
        await self._tasks.close()

    def _look_at(self, session_id: SessionId) -> None:
        if self._may_end(session_id) and session_id not in self._ending:
            self._ending.add(session_id)
            self._tasks.start(self._let_go(session_id), name=session_id)

    def _may_end(self, session_id: SessionId) -> bool:
        left = self._left.get(session_id)
        return left is not None and session_id not in self._asked and is_quiet(left.session)

    async def _let_go(self, session_id: SessionId) -> None:
        try:
            left = self._left.get(session_id)
            if left is not None:  # its name is asked for after its first turn
                await left.session.workbench.side_calls.settled()
                await self._end(session_id, lambda: self._may_end(session_id))
        finally:
            self._ending.discard(session_id)


def is_quiet(session: Session) -> bool:
    """Tell whether nothing of a session runs or waits, or would be lost with it.

    A command that the user wants to go on without its session does not count. What the user allowed
    for the session does: whoever comes back to it would be asked again.
    """
    if session.state != "idle" or session.queue or session.workbench.holds_grants():
        return False
    agents, tasks = session.data.agents.values(), session.data.background.values()
    return not any(
        each.outcome is None or (each.is_background and each.outcome.worktree_kept is None)
        for each in agents
    ) and not any(each.status == "running" and not each.kept for each in tasks)
