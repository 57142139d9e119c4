"""The sub-agents of a session.

Owns: setting agents to work and going on with them, how many there may be and how deep, who waits for
one, and that each has one end.
Does not own: an agent's life (``session.agent_run``), what it is made of (``session.agent_bench``,
``session.agent_plan``), how it stands with permissions (``session.agent_standing``).
See also: design 01 §4 to §6.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence

from pilotfish import __version__
from pilotfish.core.agent_events import (
    AgentBackgrounded,
    AgentEnded,
    AgentResumed,
    AgentStarted,
    AgentTold,
)
from pilotfish.core.agents import AgentEntry, AgentFacts, AgentOutcome
from pilotfish.core.calls import ToolProgress
from pilotfish.core.commands import SkillInvoked
from pilotfish.core.errors import AgentError, WorkspaceError
from pilotfish.core.events import SessionCreated
from pilotfish.core.ids import AgentId, ToolUseId
from pilotfish.ports.agents import AgentRequest, AgentType, Delivery
from pilotfish.session.agent_bench import AgentBench, AgentJob, AgentKit
from pilotfish.session.agent_plan import AgentPlanner, Starter
from pilotfish.session.agent_run import AgentRun
from pilotfish.session.agent_sessions import agent_session, is_restored
from pilotfish.session.agent_standing import AgentStandings
from pilotfish.session.agent_trees import AgentTrees
from pilotfish.session.forgotten_agents import forgotten
from pilotfish.session.lost_agents import end_lost, note_ends
from pilotfish.session.recovery import recover
from pilotfish.session.session import Session
from pilotfish.session.tree_merge import TreeMerge
from pilotfish.util.keyed_locks import KeyedLocks
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

PUT_AWAY_LIMIT_S = 30.0
"""How long a session that is closed waits for the worktrees of its agents to be looked at."""


class Subagents:
    """All agents below one session, at whatever depth."""

    def __init__(self, kit: AgentKit, planner: AgentPlanner) -> None:
        """Set it up.

        Args:
            kit: What the session shares with its agents.
            planner: Works out what a request comes to.
        """
        self._kit = kit
        self._places = planner.trees
        self.trees = AgentTrees(
            kit.session,
            planner.trees,
            TreeMerge(kit.session, kit.services.worktrees, kit.context.edits),
            folder=lambda: kit.context.roots[0],
            review=lambda: kit.workbench.review,
            is_trusted=lambda: kit.permissions.is_trusted,
        )
        """Its agents' worktrees."""
        self._planner = planner
        self._standings = AgentStandings(kit.session.data, kit.permissions)
        kit.permissions.standing_of = self._standings.of
        self._root = kit.session.log
        self._runs: dict[AgentId, AgentRun] = {}
        self._sends = KeyedLocks[AgentId]()
        """Messages to one agent are delivered one by one: the first may have to resume it."""
        self._wishes: dict[ToolUseId, asyncio.Event] = {}
        """Calls that wait for an agent; the event says that the user wants them to wait no longer."""
        self._turns = TaskScope("agents")
        self._waits = TaskScope("waits for agents")
        self._cleaning = TaskScope("ended agents")
        self._put_aways: dict[AgentId, asyncio.Task[None]] = {}
        """What goes on after the end of an agent."""
        self._closed = False

    def spawner(self, starter: Starter) -> "Spawner":
        """Return what one agent starts others with, the main one included."""
        return Spawner(self, starter)

    def running(self) -> list[AgentEntry]:
        """Return the agents that work, oldest first."""
        return [entry for entry in self._root.data.agents.values() if entry.outcome is None]

    def find(self, address: str) -> AgentEntry | None:
        """Return an agent by its id, or the latest one of a name."""
        agents = self._root.data.agents
        by_id = agents.get(AgentId(address))
        if by_id is not None:
            return by_id
        named = (entry for entry in reversed(agents.values()) if entry.facts.name == address)
        return next(named, None)

    async def recall(self, address: str) -> AgentEntry | None:
        """Return an agent as ``find`` does, one that is not kept at hand any more included."""
        return self.find(address) or await forgotten(self._root, address)

    def session_of(self, agent: AgentId) -> Session | None:
        """Return the conversation of an agent that works; None for others."""
        run = self._runs.get(agent)
        return None if run is None else run.session

    def types(self, starter: Starter) -> list[AgentType]:
        """Return the kinds of agents that may be started."""
        return self._planner.types(starter)

    def problem(self, request: AgentRequest, starter: Starter) -> str:
        """Return why an agent cannot be started; empty when it can."""
        return self._full() or self._planner.problem(request, starter)

    async def run(self, request: AgentRequest, starter: Starter) -> AgentEntry:
        """Start an agent; return when it has ended, or goes on in the background.

        Raises:
            AgentError: It cannot be started.
        """
        problem = self.problem(request, starter)
        if problem:
            raise AgentError(problem)
        job, skills = await self._prepare(await self._planner.plan(request, starter))
        session = self._session_for(job.facts)
        bench = self._equip(session, job)
        session.log.emit(
            SessionCreated(
                session_id=session.id,
                cwd=job.facts.cwd,
                version=__version__,
                mode=self._kit.session.data.mode,
                model=bench.start_model,
            )
        )
        for skill in skills:
            session.log.emit(skill)
        self._root.emit(AgentStarted(facts=job.facts))
        run = self._set_to_work(job.facts, session)
        run.prompt(self._planner.first_prompt(job))
        self._kit.permissions.hold_for_command(job.facts.agent_id, request.rules)
        if job.facts.is_background:
            return self._entry(job.facts.agent_id)
        return await self._attend(run, request)

    def move_to_background(self, call: ToolUseId) -> bool:
        """Let a call wait for its agent no longer, as the user wants; False when it cannot be."""
        wish = self._wishes.get(call)
        if wish is None or not self._kit.settings().agents.background:
            return False
        wish.set()
        return True

    def so_far(self, agent: AgentId) -> str:
        """Return what a running agent has said last, and its latest steps."""
        run = self._runs.get(agent)
        return "" if run is None else run.so_far()

    async def wait(self, agent: AgentId, limit_s: float) -> None:
        """Wait until an agent has ended, at most so long."""
        run = self._runs.get(agent)
        if run is not None:
            await run.ended(limit_s)

    def tell(self, agent: AgentId) -> None:
        """Note that whoever started an agent knows how it ended."""
        entry = self._root.data.agents.get(agent)
        if entry is not None and entry.outcome is not None and not entry.told:
            self._root.emit(AgentTold(agent_id=agent))

    async def send(self, agent: AgentId, text: str) -> Delivery:
        """Write to an agent; one that has ended, or is being stopped, goes on with the message.

        Raises:
            AgentError: There is none, or it cannot be resumed.
        """
        async with self._sends.hold(agent):
            run = self._runs.get(agent)
            if run is not None and run.is_stopping:
                await run.ended()  # or the message would go with what it was doing
                run = self._runs.get(agent)
            if run is not None:
                run.prompt(text)
                return "queued"
            entry = self._root.data.agents.get(agent) or await self.recall(agent)
            if entry is None:
                raise AgentError(f"There is no agent {agent!r} in this session.")
            await self._resume(entry, text)
            return "resumed"

    async def stop(self, agent: AgentId, why: str = "it was stopped") -> bool:
        """End a running agent and those that it has started; False when it had ended."""
        run = self._runs.get(agent)
        if run is None:
            return False
        because = "the agent that started it was stopped"
        run.begin_stop(why)
        try:
            await self._stop_agents_of(agent, because)
        finally:
            await run.stop(why)
        await self._stop_agents_of(agent, because)  # those that it has started in the meantime
        return True

    async def _stop_agents_of(self, starter: AgentId, why: str) -> None:
        for entry in self.running():
            if entry.facts.parent == starter:
                await self.stop(entry.agent_id, why)

    def busy(self) -> int:
        """Return how many things go on for agents: runs, waits, what follows an end."""
        held = (
            self._runs, self._wishes, self._sends, self._put_aways, self._turns, self._waits,
            self._cleaning, self.trees,
        )  # fmt: skip
        return sum(len(each) for each in held)

    async def settle(self) -> None:
        """Close what an earlier process left open: its agents ended with it.

        They are offered to the user and to whoever started them: a message lets each go on.
        """
        lost = [entry for entry in self.running() if entry.agent_id not in self._runs]
        await end_lost(self._root, lost)
        self._cleaning.start(note_ends(lost), name="notes of lost agents")
        for entry in lost:
            self._kit.session.roster.keep(entry.agent_id)
        await self._free_tasks(*(entry.facts for entry in lost))
        for entry in tuple(self._root.data.agents.values()):
            if entry.outcome is not None and entry.outcome.worktree_kept is None:
                self._put_away_later(entry.facts, self._settle_tree(entry.facts))

    async def close(self) -> None:
        """End everything. When the process ends, what runs is left open in its transcript."""
        self._closed = True
        if self._root.is_frozen:
            runs, self._runs = list(self._runs.values()), {}
            await asyncio.gather(*(run.close(leave_open=True) for run in runs))
        for entry in self.running():  # those whose starter has failed without them among them
            await self.stop(entry.agent_id, "its session was closed")
        if self._put_aways and not self._root.is_frozen:
            await asyncio.wait(tuple(self._put_aways.values()), timeout=PUT_AWAY_LIMIT_S)
        await self._waits.close()
        await self._cleaning.close()
        await self._turns.close()

    def _full(self) -> str:
        """Return why no more agents may run; empty when they may."""
        if len(self._runs) < self._kit.settings().agents.max_running:
            return ""
        return (
            f"{len(self._runs)} agents run already, as many as may (setting agents.maxRunning). "
            "Wait for some to end, or stop some with TaskStop."
        )

    def _require_room(self) -> None:
        """Refuse another agent where no more may run, or none any more."""
        full = "Its session is being closed." if self._closed else self._full()
        if full:
            raise AgentError(full)

    def _entry(self, agent: AgentId) -> AgentEntry:
        return self._root.data.agents[agent]

    def _session_for(self, facts: AgentFacts) -> Session:
        return agent_session(facts, self._kit.session, self._kit.services.clock, self._turns)

    def _equip(self, session: Session, job: AgentJob) -> AgentBench:
        agent = session.agent_id
        holder: list[AgentBench] = []
        starter = Starter(
            agent_id=agent,
            depth=job.facts.depth,
            model=lambda: session.data.model,
            effort=lambda: session.data.effort or job.facts.effort,
            cwd=lambda: holder[0].context.cwd,
            worktree=job.facts.worktree,
        )
        bench = AgentBench(
            self._kit,
            session,
            job,
            spawner=self.spawner(starter),
            offer=self._planner.offer(job),
            prompt_timeout_s=lambda: self._standings.prompt_timeout_s(agent),
        )
        holder.append(bench)
        session.equip(bench)
        return bench

    def _set_to_work(self, facts: AgentFacts, session: Session, worked_ms: int = 0) -> AgentRun:
        run = AgentRun(
            facts,
            session,
            root=self._root,
            clock=self._kit.services.clock,
            on_end=self._ended,
            worked_ms=worked_ms,
        )
        self._runs[facts.agent_id] = run
        self.trees.enter(facts)
        self._kit.session.roster.follow(facts.agent_id, session)
        return run

    async def _attend(self, run: AgentRun, request: AgentRequest) -> AgentEntry:
        """Wait for an agent's end, or until it is to go on without anybody waiting."""
        agents = self._kit.settings().agents
        limit_s = agents.auto_background_ms / 1000 if agents.background else 0.0
        run.report_to(lambda text: request.on_progress(ToolProgress(text=text)))
        wish = self._wishes[request.call] = asyncio.Event()
        try:
            await self._first_of(run, wish, limit_s or None)
        except asyncio.CancelledError:
            await self.stop(run.facts.agent_id, "the turn that waited for it was stopped")
            raise
        finally:
            self._wishes.pop(request.call, None)
            run.report_to(None)
        if run.outcome is None:
            self._root.emit(AgentBackgrounded(agent_id=run.facts.agent_id))
        else:
            if run.facts.owns_worktree or run.outcome.status != "completed":
                # The report says what became of its tree, and whoever takes its work over finds
                # neither its agents nor its commands still at it.
                await self._put_away_done(run.facts.agent_id)
            self.tell(run.facts.agent_id)
        return self._entry(run.facts.agent_id)

    async def _first_of(self, run: AgentRun, wish: asyncio.Event, limit_s: float | None) -> None:
        """Wait for an agent's end, a wish or the limit, whichever comes first."""
        ended = self._waits.start(run.ended(), name="end")
        wished = self._waits.start(wish.wait(), name="wish")
        try:
            await asyncio.wait(
                (ended, wished), timeout=limit_s, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            ended.cancel()
            wished.cancel()

    async def _prepare(self, job: AgentJob) -> tuple[AgentJob, list[SkillInvoked]]:
        """Read what a new agent is to know; what was made for it goes when it is not started."""
        prepared = False
        try:
            job = await self._planner.recall(job)
            skills = await self._planner.preloaded(job)
            await self._kit.services.pace.step()
            self._require_room()  # others may have been quicker
            prepared = True
        finally:
            if not prepared:
                await asyncio.shield(self._places.finish(job.facts))
        return job, skills

    async def _resume(self, entry: AgentEntry, text: str) -> None:
        """Set an agent that has ended to work again, once everything of its earlier life is over."""
        agent, job = entry.agent_id, self._planner.job_of(entry.facts)
        self._require_room()
        await self._put_away_done(agent)
        async with self.trees.taken_up(entry.facts, self._kit.context.cwd):
            session = self._session_for(entry.facts)
            restored = False
            try:
                if not await is_restored(session):
                    raise AgentError(
                        f"The transcript of {agent} is gone, so it cannot go on.",
                        hint="Start a new agent with all that it has to know.",
                    )
                job = await self._planner.recall(job)
                self._require_room()
                restored = True
            finally:
                if not restored:
                    await asyncio.shield(session.close())
            recover(session.log)
            self._equip(session, job)
            worked_ms = 0 if entry.outcome is None else entry.outcome.duration_ms
            kept = agent in self._root.data.agents
            self._root.emit(AgentResumed(agent_id=agent, entry=None if kept else entry))
            self._set_to_work(entry.facts, session, worked_ms).prompt(text)

    def _ended(self, run: AgentRun, outcome: AgentOutcome) -> None:
        """Take note of an end: first that it is one, then what takes longer."""
        agent = run.facts.agent_id
        self._runs.pop(agent, None)
        self._kit.permissions.end_command(agent)
        # Begun before anybody hears of the end: who does finds the tasks free.
        self._put_away_later(run.facts, self._put_away(run))
        self._root.emit(AgentEnded(agent_id=agent, outcome=outcome))
        starter = self._runs.get(run.facts.parent)
        if starter is not None:
            starter.look_again()

    async def _put_away(self, run: AgentRun) -> None:
        await self._free_tasks(run.facts)  # first, in the order of calls that the desk keeps
        await self._end_agents_of(run)
        await run.write_report()
        await run.close()
        await self._settle_tree(run.facts)

    async def _end_agents_of(self, run: AgentRun) -> None:
        """Stop the agents of one that has ended, however it ended: nobody would hear of them.

        Waits until nothing goes on for any, for they may work in the same tree.
        """
        agent = run.facts.agent_id
        await self._stop_agents_of(agent, "the agent that started it has ended")
        for entry in tuple(self._root.data.agents.values()):
            if entry.facts.parent == agent:
                await self._put_away_done(entry.agent_id)

    def _put_away_later(self, facts: AgentFacts, work: Coroutine[None, None, None]) -> None:
        agent = facts.agent_id
        task = self._cleaning.start(work, name=f"end of {agent}")
        self._put_aways[agent] = task
        task.add_done_callback(lambda _: self._put_aways.pop(agent, None))

    async def _put_away_done(self, agent: AgentId) -> None:
        """Wait until nothing goes on after the end of an agent: its worktree is looked at last."""
        task = self._put_aways.get(agent)
        if task is not None:
            await asyncio.wait([task])

    async def _settle_tree(self, facts: AgentFacts) -> None:
        """Let the worktree of an ended agent go, and whoever waits for what becomes of it look again."""
        if facts.worktree is None:
            return
        await self.trees.leave(facts)
        starter = self._runs.get(facts.parent)
        if starter is not None:
            starter.look_again()

    async def _free_tasks(self, *agents: AgentFacts) -> None:
        """Let others take what agents have not finished."""
        owners = frozenset(name for one in agents for name in (one.agent_id, one.name) if name)
        try:
            if owners:
                await self._kit.context.tasks.release(owners)
        except WorkspaceError as error:
            logger.warning("the tasks of %s are still theirs: %s", ", ".join(owners), error)


class Spawner:
    """What one agent starts others with; implements ``ports.agents.AgentSpawner``."""

    def __init__(self, agents: Subagents, starter: Starter) -> None:
        self._agents = agents
        self._starter = starter

    def types(self) -> Sequence[AgentType]:
        """Return what may be started."""
        return self._agents.types(self._starter)

    def problem(self, request: AgentRequest) -> str:
        """Return why an agent cannot be started; empty when it can."""
        return self._agents.problem(request, self._starter)

    async def run(self, request: AgentRequest) -> AgentEntry:
        """Start an agent; return when it has ended, or goes on in the background."""
        return await self._agents.run(request, self._starter)

    def find(self, address: str) -> AgentEntry | None:
        """Return an agent of this session by id or name."""
        return self._agents.find(address)

    async def recall(self, address: str) -> AgentEntry | None:
        """Return an agent as ``find`` does, forgotten ones included."""
        return await self._agents.recall(address)

    def running(self) -> Sequence[AgentEntry]:
        """Return the agents of this session that work, oldest first."""
        return self._agents.running()

    def so_far(self, agent: AgentId) -> str:
        """Return what a running agent has said last, and its latest steps."""
        return self._agents.so_far(agent)

    async def wait(self, agent: AgentId, limit_s: float) -> None:
        """Wait until an agent has ended, at most so long."""
        await self._agents.wait(agent, limit_s)

    def tell(self, agent: AgentId) -> None:
        """Note that the model is being shown how an agent ended."""
        self._agents.tell(agent)

    async def send(self, agent: AgentId, text: str) -> Delivery:
        """Write to an agent."""
        return await self._agents.send(agent, text)

    async def stop(self, agent: AgentId) -> bool:
        """End a running agent and its own ones."""
        return await self._agents.stop(agent)
