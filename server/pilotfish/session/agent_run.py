"""One sub-agent at work.

Owns: its life from the first prompt to its one end: when it has ended, how, and what it used.
Does not own: its turns (``session.session``), starting it and who waits (``session.subagents``).
See also: design 01 §5.

An agent ends with a turn that leaves nothing of its own to wait for: no queued message, no agent of
its own in the background. Its own commands do not count: they end with it. A turn that fails or is
stopped ends it at once; its agents end with it then (``session.subagents``).
"""

import asyncio
from collections.abc import Callable

from pilotfish.core.agent_events import AgentSpent
from pilotfish.core.agents import AgentFacts, AgentOutcome, EndStatus, unheard_by
from pilotfish.core.errors import SessionError
from pilotfish.core.events import (
    DecisionMade,
    EventRecord,
    ReplyDiscarded,
    ReplyFinished,
    ToolStarted,
    TurnEnded,
)
from pilotfish.core.reasons import TerminalReason
from pilotfish.ports.clock import ClockPort
from pilotfish.session.agent_output import AgentOutput
from pilotfish.session.log import EventLog
from pilotfish.session.session import Session

SHOWN_STEPS = 5
"""The latest steps of an agent that the card of its call shows."""

_STOPPED = "it was stopped"


class AgentRun:
    """An agent that works. Use once: a resumed agent has a new one."""

    def __init__(
        self,
        facts: AgentFacts,
        session: Session,
        *,
        root: EventLog,
        clock: ClockPort,
        on_end: Callable[["AgentRun", AgentOutcome], None],
        worked_ms: int = 0,
    ) -> None:
        """Get ready.

        Args:
            facts: What it was started with.
            session: Its conversation, equipped.
            root: The events of the session that it works for, which bear the costs.
            clock: For the times.
            on_end: Called once, when it has ended.
            worked_ms: How long it has worked in its earlier runs.
        """
        self.facts = facts
        self.session = session
        self._root = root
        self._clock = clock
        self._on_end = on_end
        self._began_s = clock.monotonic_s()
        self._worked_ms = worked_ms
        self._denials = 0
        self._stopping = ""
        self._output = AgentOutput(facts, session.warn)
        self._report: Callable[[str], None] | None = None
        self._last_turn: TurnEnded | None = None
        self._outcome: AgentOutcome | None = None
        self._ended = asyncio.Event()
        self._unlisten = session.log.listen(self._hear)

    @property
    def outcome(self) -> AgentOutcome | None:
        """How it ended; None while it works."""
        return self._outcome

    @property
    def is_stopping(self) -> bool:
        """Whether it is being stopped: what it is told now it would not hear."""
        return self._stopping != ""

    def report_to(self, report: Callable[[str], None] | None) -> None:
        """Tell of its steps from now on, or no longer."""
        self._report = report

    def prompt(self, text: str) -> None:
        """Give it a task or a message; during a turn it hears it at the next step.

        Raises:
            SessionError: It has ended, or too much waits for it.
        """
        if self._outcome is not None:
            raise SessionError(f"The agent {self.facts.agent_id} has ended.")
        self.session.say(text)

    async def ended(self, limit_s: float | None = None) -> None:
        """Wait for its end, at most so long. Giving up the wait does not stop it."""
        try:
            async with asyncio.timeout(limit_s):
                await self._ended.wait()
        except TimeoutError:
            pass

    def begin_stop(self, why: str) -> None:
        """Let the ends of its own agents, which are stopped first, no longer set it to work."""
        self._stopping = self._stopping or why

    async def stop(self, why: str = _STOPPED) -> None:
        """End it, and wait until it has ended."""
        self.begin_stop(why)
        await self.session.cancel()
        self._end("killed", self._stopping)

    def so_far(self) -> str:
        """Return what it has said last, and its latest steps; empty when there is nothing yet."""
        said = self.session.log.conversation.last_words()
        return "\n".join(part for part in (said, self._latest_steps()) if part)

    async def write_report(self) -> None:
        """Have its output file say how it ended."""
        if self._outcome is not None:
            await self._output.finish(self._outcome)

    async def close(self, *, leave_open: bool = False) -> None:
        """Release what belongs to it.

        Args:
            leave_open: Whether the process ends: a turn that runs is then open in its transcript.
        """
        self._unlisten()
        await self._output.close()
        await (self.session.suspend() if leave_open else self.session.close())

    def _hear(self, record: EventRecord) -> None:
        self._output.hear(record)
        match record.event:
            case ReplyFinished() as event:
                self._spend(event)
            case ReplyDiscarded() as event if event.model:
                self._spend(event)
            case ToolStarted() if self._report is not None:
                self._report(self._latest_steps())
            case DecisionMade(behavior="deny"):
                self._denials += 1
            case TurnEnded() as event:
                # The session has to come to rest first: it may go on with what waits.
                asyncio.get_running_loop().call_soon(self._after_turn, event)
            case _:
                pass

    def _spend(self, event: ReplyFinished | ReplyDiscarded) -> None:
        is_whole = isinstance(event, ReplyFinished)
        self._root.emit(
            AgentSpent(
                agent_id=self.facts.agent_id,
                model=event.model,
                usage=event.usage,
                cost_usd=event.cost_usd,
                duration_ms=event.duration_ms if is_whole else 0,
                answer_ms=event.answer_ms if is_whole else 0,
            )
        )

    def _latest_steps(self) -> str:
        return "\n".join(self._output.steps[-SHOWN_STEPS:])

    def look_again(self) -> None:
        """See whether it has ended, because there may be nothing left that it waits for."""
        if self._last_turn is not None:
            asyncio.get_running_loop().call_soon(self._after_turn, self._last_turn)

    def _after_turn(self, end: TurnEnded) -> None:
        self._last_turn = end
        if self.session.state != "idle":
            return
        if self._stopping:
            self._end("killed", self._stopping)
        elif end.reason != "completed":
            self._end(*_failure(end))
        elif self.session.agent_news.waiting:  # those that the user has stopped among them
            self.session.wake()
        elif not self.session.agent_news.running:
            self._end("completed", "")

    def _end(self, status: EndStatus, error: str) -> None:
        if self._outcome is not None:
            return
        used = self.session.data.used.total.usage
        self._outcome = AgentOutcome(
            status=status,
            text=self.session.log.conversation.last_words(),
            error=error,
            total_tokens=used.context_tokens,
            tool_uses=self.session.data.tool_uses,
            denials=self._denials,
            duration_ms=self._worked_ms + round((self._clock.monotonic_s() - self._began_s) * 1000),
            ended_ms=self._clock.now_ms(),
            worktree_kept=None if self.facts.owns_worktree else self.facts.worktree is not None,
            unheard=unheard_by(self.facts.agent_id, self._root.data.agents),
        )
        self._on_end(self, self._outcome)
        self._ended.set()


_LIMITS: frozenset[TerminalReason] = frozenset({"max_turns", "max_budget"})


def _failure(end: TurnEnded) -> tuple[EndStatus, str]:
    if end.reason in ("aborted_streaming", "aborted_tools", "refused"):
        return "killed", _STOPPED
    said = end.message or f"its turn ended with {end.reason}"
    return "failed", f"it came to a limit: {said}" if end.reason in _LIMITS else said
