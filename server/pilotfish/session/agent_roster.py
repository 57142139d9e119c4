"""The agents of a session, as people see them.

Owns: which agents are listed and until when, which one is looked at, what each does just now, and
telling views that any of it has changed.
Does not own: running agents (``session.subagents``), what became of each (a fold in
``session.state``), the list rule (``session.agent_rows``), what the model hears
(``session.agent_news``).
See also: design 04 §1.5 to §1.8.
"""

import asyncio
from collections.abc import Callable

from pilotfish.core.agent_events import (
    AgentBackgrounded,
    AgentEnded,
    AgentResumed,
    AgentStarted,
    AgentTreeSettled,
)
from pilotfish.core.agents import AgentEntry
from pilotfish.core.errors import AgentError
from pilotfish.core.events import (
    EventRecord,
    QuestionAsked,
    QuestionResolved,
    ReplyFinished,
    ToolStarted,
)
from pilotfish.core.ids import MAIN_AGENT, AgentId
from pilotfish.core.passing_events import AgentsChanged
from pilotfish.ports.clock import ClockPort
from pilotfish.session.agent_rows import DISMISSED, AgentRow, in_foreground, listed, with_work
from pilotfish.session.inbox import Inbox
from pilotfish.session.log import EventLog
from pilotfish.session.session_view import SessionView
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope

GRACE_MS = 30_000
"""How long a row stays after its agent has ended, or after it was last looked at."""

BUNDLE_S = 0.04
"""So far apart are notices of small changes, so that fifty busy agents do not flood a client."""


MAX_VIEWS = 100
"""So many views may look at agents at once; the one that has looked longest is taken to be gone."""


@dataclass
class _Live:
    """An agent that runs."""

    session: SessionView
    stop_listening: Callable[[], None]
    since: int
    """The last event of its earlier lives."""
    activity: str = ""
    tool: str = ""


class AgentRoster:
    """The agents of one session, its agents' own ones included."""

    def __init__(self, log: EventLog, inbox: Inbox, clock: ClockPort) -> None:
        """Follow a session.

        Args:
            log: The events of the session that the user talks with.
            inbox: Its open questions, those of its agents included.
            clock: For the times.
        """
        self._log = log
        self._inbox = inbox
        self._clock = clock
        self._live: dict[AgentId, _Live] = {}
        self._evict_at: dict[AgentId, int | None] = {}
        """When rows go that do not go by the rule: None stays."""
        self._views: dict[str, AgentId] = {}
        """Which view looks at which agent, the latest last."""
        self._revision = 0
        self._scope = TaskScope("roster")
        self._eviction: asyncio.Task[None] | None = None
        self._next_eviction: int | None = None
        self._bundle: asyncio.TimerHandle | None = None
        self._announced_s = -BUNDLE_S
        """When views were told last, by the loop's clock."""
        self._closed = False
        self._stop_listening = log.listen(self._hear)

    @property
    def viewed(self) -> tuple[AgentId, ...]:
        """The agents that are looked at, the one that somebody looked at last at the end."""
        agents = self._log.data.agents
        return tuple(dict.fromkeys(one for one in self._views.values() if one in agents))

    @property
    def revision(self) -> int:
        """Grows with every change."""
        return self._revision

    def rows(self) -> list[AgentRow]:
        """Return what a list of agents shows."""
        return listed(self._rows(), self._clock.now_ms())

    def foreground(self) -> list[AgentRow]:
        """Return the agents that run within a tool call."""
        return in_foreground(self._rows())

    def with_work(self) -> list[AgentRow]:
        """Return the ended agents that are listed no longer and whose worktrees hold work."""
        return with_work(self._rows(), self._clock.now_ms())

    def row(self, agent: AgentId) -> AgentRow:
        """Return one agent, whether it is listed or not.

        Raises:
            AgentError: There is none of that id.
        """
        return self._row(self._entry(agent))

    def live(self, agent: AgentId) -> SessionView | None:
        """Return the session of an agent that runs; None when it does not."""
        found = self._live.get(agent)
        return None if found is None else found.session

    def running(self) -> tuple[AgentId, ...]:
        """Return the agents that are followed while they run."""
        return tuple(self._live)

    def followed_since(self, agent: AgentId) -> int:
        """Return the event after which a running agent was set to work; 0 for its beginning."""
        found = self._live.get(agent)
        return 0 if found is None else found.since

    def shown(self) -> frozenset[AgentId]:
        """Return the running agents whose events a client is sent.

        These are those that are looked at, and those that run in the foreground of the main
        conversation or of another that is shown.
        """
        shown = set(self.viewed)
        # Parents come before their own agents.
        for agent, entry in self._log.data.agents.items():
            parent = entry.facts.parent
            if not entry.is_background and (parent == MAIN_AGENT or parent in shown):
                shown.add(agent)
        return frozenset(shown & self._live.keys())

    def follow(self, agent: AgentId, session: SessionView) -> None:
        """Show what an agent does while it runs; done once for each time it is set to work.

        Args:
            agent: One that the session's events tell of.
            session: The agent's own.
        """
        self._let_go(agent)

        def hear(record: EventRecord) -> None:
            self._hear_agent(agent, record)

        self._live[agent] = _Live(
            session=session,
            stop_listening=session.log.listen(hear),
            since=session.log.restored_seq,
        )
        self._touch()

    def view(self, agent: AgentId, viewer: str = "") -> None:
        """Look at an agent: it stays listed until it is left.

        Args:
            agent: Which one.
            viewer: Who looks: each looks at one agent at a time, and several may at the same.

        Raises:
            AgentError: There is none of that id.
        """
        self._entry(agent)
        if self._views.get(viewer) != agent:
            self._release(viewer)
            if len(self._views) >= MAX_VIEWS:
                self._release(next(iter(self._views)))
            self._views[viewer] = agent
        self._evict_at[agent] = None
        self._rearrange(at_once=True)

    def unview(self, viewer: str = "") -> None:
        """Look at the main conversation again."""
        if viewer in self._views:
            self._release(viewer)
            self._rearrange(at_once=True)

    def dismiss(self, agent: AgentId) -> None:
        """Take the row of an agent that has ended out of the list.

        Raises:
            AgentError: There is none of that id, or it still runs.
        """
        if self._entry(agent).outcome is None:
            raise AgentError("The agent still runs.", hint="Stop it first.")
        self._views = {one: seen for one, seen in self._views.items() if seen != agent}
        self._evict_at[agent] = DISMISSED
        self._rearrange(at_once=True)

    def keep(self, agent: AgentId) -> None:
        """Let the row of an agent stay until somebody looks at it, dismisses it or resumes it."""
        self._evict_at[agent] = None
        self._rearrange()

    async def close(self) -> None:
        """Tell nobody any more."""
        self._closed = True
        self._stop_listening()
        for agent in tuple(self._live):
            self._let_go(agent)
        if self._bundle is not None:
            self._bundle.cancel()
            self._bundle = None
        await self._scope.close()

    def _rows(self) -> list[AgentRow]:
        return [self._row(entry) for entry in self._log.data.agents.values()]

    def _row(self, entry: AgentEntry) -> AgentRow:
        live, outcome = self._live.get(entry.agent_id), entry.outcome
        data = None if live is None else live.session.data
        tokens = 0 if outcome is None else outcome.total_tokens
        uses = 0 if outcome is None else outcome.tool_uses
        return AgentRow(
            entry=entry,
            tokens=tokens if data is None else data.used.total.usage.context_tokens,
            tool_uses=uses if data is None else data.tool_uses,
            activity="" if live is None else live.activity,
            activity_tool="" if live is None else live.tool,
            open_questions=sum(
                question.agent_id == entry.agent_id for question in self._inbox.open_questions()
            ),
            evict_at_ms=self._evict_time(entry),
        )

    def _evict_time(self, entry: AgentEntry) -> int | None:
        if entry.outcome is None:
            return None
        return self._evict_at.get(entry.agent_id, entry.outcome.ended_ms + GRACE_MS)

    def _entry(self, agent: AgentId) -> AgentEntry:
        entry = self._log.data.agents.get(agent)
        if entry is None:
            raise AgentError(f"agentId: this session has no agent {agent!r}.")
        return entry

    def _hear(self, record: EventRecord) -> None:
        match record.event:
            case AgentStarted() | AgentBackgrounded() | AgentTreeSettled():
                self._touch()
            case AgentResumed(agent_id=agent):
                if agent not in self._views.values():
                    self._evict_at.pop(agent, None)
                self._rearrange()
            case AgentEnded(agent_id=agent):
                self._let_go(agent)
                self._rearrange()
            case QuestionAsked() | QuestionResolved() if self._live:
                self._touch(soon=True)
            case _:
                pass

    def _hear_agent(self, agent: AgentId, record: EventRecord) -> None:
        match record.event:
            case ToolStarted(tool=tool, title=title):
                self._live[agent].activity, self._live[agent].tool = title, tool
                self._touch()
            case ReplyFinished():
                self._touch()
            case _:
                pass

    def _let_go(self, agent: AgentId) -> None:
        live = self._live.pop(agent, None)
        if live is not None:
            live.stop_listening()

    def _release(self, viewer: str) -> None:
        """Leave what somebody looks at; when it has ended, its row goes a while after the last has left."""
        left = self._views.pop(viewer, None)
        entry = None if left is None else self._log.data.agents.get(left)
        if left is None or entry is None or left in self._views.values():
            return
        self._evict_at.pop(left, None)
        if entry.outcome is not None:
            self._evict_at[left] = self._clock.now_ms() + GRACE_MS

    def _touch(self, *, soon: bool = False) -> None:
        """Take note of a change; views hear of it together with others that follow.

        Args:
            soon: It is what users wait for: nothing but the others of this very moment goes along.
        """
        if self._closed:
            return
        self._revision += 1
        if self._bundle is not None:
            if not soon:
                return
            self._bundle.cancel()
        loop = asyncio.get_running_loop()
        rest_s = 0.0 if soon else max(0.0, self._announced_s + BUNDLE_S - loop.time())
        self._bundle = loop.call_later(rest_s, self._announce)

    def _rearrange(self, *, at_once: bool = False) -> None:
        """Take note of a change after which another row may be the first to go."""
        self._touch(soon=True)
        self._await_eviction()
        if at_once:
            self._announce()

    def _announce(self) -> None:
        if self._bundle is not None:
            self._bundle.cancel()
            self._bundle = None
        self._announced_s = asyncio.get_running_loop().time()
        self._log.tell(AgentsChanged(revision=self._revision))

    def _await_eviction(self) -> None:
        """Have one timer, for the row that goes first."""
        times = [row.evict_at_ms for row in self.rows() if row.evict_at_ms is not None]
        first = min(times, default=None)
        if first == self._next_eviction or self._closed:
            return
        if self._eviction is not None:
            self._eviction.cancel()
        self._next_eviction = first
        self._eviction = (
            None if first is None else self._scope.start(self._evict(first), name="eviction")
        )

    async def _evict(self, at_ms: int) -> None:
        await self._clock.sleep(max(0, at_ms - self._clock.now_ms()) / 1000)
        self._eviction = self._next_eviction = None  # the next timer must not cancel this task
        for agent in [one for one in self._evict_at if one not in self._log.data.agents]:
            del self._evict_at[agent]
        self._rearrange()
