"""What a request for a sub-agent comes to.

Owns: which definition, model, folder and tools an agent gets; why it cannot be started.
Does not own: definitions (``agents``), starting (``session.subagents``), the mode
(``session.agent_standing``).
See also: design 01 §4.2 to §4.5, 03 §1.5, §1.6.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from pilotfish.agents.model import GENERAL_PURPOSE, INHERIT, SMALL, AgentDefinition
from pilotfish.config.schema import Settings
from pilotfish.core.agents import AgentFacts, AgentMemory, AgentWorktree
from pilotfish.core.commands import SkillInvoked
from pilotfish.core.errors import AgentError
from pilotfish.core.ids import AgentId, new_agent_id
from pilotfish.llm.choose import ProviderChoice
from pilotfish.llm.errors import ModelError
from pilotfish.ports.agents import AgentRequest, AgentType
from pilotfish.session.agent_bench import AgentJob, AgentKit
from pilotfish.session.agent_memory import memory_of, recall
from pilotfish.session.agent_worktree import AgentWorktrees
from pilotfish.session.permission_source import results_folder
from pilotfish.session.skill_preload import preload
from pilotfish.session.tool_offer import ToolOffer
from pilotfish.tooling.registry import ToolRegistry
from pilotfish.util.records import dataclass

MODEL_VARIABLE = "PILOTFISH_SUBAGENT_MODEL"
"""The environment's word on which model all agents use; it wins over call and definition."""

TIERS = frozenset({"opus", "sonnet", "haiku"})
"""Short names that a call may give for a model."""

MAX_POOLS = 16
"""Sets of tools that are kept, so that agents alike get the very same request prefix."""

MAX_OFFERS = 200
"""Agents whose list of tools is kept for when they go on; an older one pays for its cache once."""

_MAINS_OWN = frozenset({"EnterPlanMode", "ExitPlanMode", "EnterWorktree", "ExitWorktree"})
"""Tools about the conversation with the user and where it works; no agent has them."""

_WRITING = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "Agent"})
"""Tools without which an agent changes no file by itself; what its commands do is judged one by one."""


@dataclass(frozen=True, kw_only=True)
class Starter:
    """An agent that starts others, the main one included."""

    agent_id: AgentId
    depth: int
    """0 for the main agent."""
    model: Callable[[], str]
    effort: Callable[[], str]
    """Returns what was chosen; empty: nothing was."""
    cwd: Callable[[], Path]
    worktree: AgentWorktree | None = None
    """The working tree of its own, where those that it starts work as well."""


class _Offered:
    """What one agent is offered, by its task as it is now."""

    def __init__(self, job: AgentJob, pool: Callable[[AgentJob], ToolRegistry]) -> None:
        self.job = job
        self.offer = ToolOffer(lambda: pool(self.job))


class AgentPlanner:
    """Works out requests for the agents of one session."""

    def __init__(
        self, kit: AgentKit, definitions: Callable[[], Mapping[str, AgentDefinition]]
    ) -> None:
        """Set it up.

        Args:
            kit: What the session shares with its agents.
            definitions: Returns the definitions that count now, by name.
        """
        self._kit = kit
        self._definitions = definitions
        self.trees = AgentWorktrees(kit.services.worktrees, kit.session.id)
        """Makes and removes the working trees that agents have to themselves."""
        self._pools: dict[frozenset[str], ToolRegistry] = {}
        self._offers: dict[AgentId, _Offered] = {}
        self._last_start_ms = 0

    def types(self, starter: Starter) -> list[AgentType]:
        """Return the kinds of agents that may be started; none where no more may be."""
        if starter.depth >= self._settings.agents.max_depth:
            return []
        return startable(self._definitions(), self._kit.permissions.denied_agents())

    def problem(self, request: AgentRequest, starter: Starter) -> str:
        """Return why an agent cannot be started, and what to do; empty when it can."""
        limit = self._settings.agents.max_depth
        if starter.depth >= limit:
            return (
                f"An agent at depth {starter.depth} may start no others (setting agents.maxDepth is "
                f"{limit}). Do the work yourself, or report what should be handed out."
            )
        wanted = request.agent_type or GENERAL_PURPOSE
        if wanted in self._kit.permissions.denied_agents():
            return f"A permission rule forbids agents of the type {wanted!r}. {_NO_OTHER}"
        definition = self._definitions().get(wanted)
        if definition is None:
            known = ", ".join(one.name for one in self.types(starter)) or "none"
            return f"There is no agent type {wanted!r}. There are: {known}."
        if (request.isolated or definition.isolation) and not self._kit.permissions.is_trusted:
            return (
                "An agent's own worktree is made with git, which runs only in folders that the user "
                "trusts."
            )
        return _missing_parts(definition) or self._problem_with_model(
            definition, request.model, starter.model()
        )

    async def plan(self, request: AgentRequest, starter: Starter) -> AgentJob:
        """Work out what an agent is started with.

        Raises:
            AgentError: It cannot be started.
        """
        problem = self.problem(request, starter)
        if problem:
            raise AgentError(problem)
        started_ms = self._next_start_ms()
        definition = self._definitions()[request.agent_type or GENERAL_PURPOSE]
        kit, agent_id = self._kit, new_agent_id()
        cwd = await asyncio.to_thread(self._folder, request.cwd, starter)
        memory = await asyncio.to_thread(self._memory_of, definition)
        tree = starter.worktree
        if request.isolated or definition.isolation:
            # Last: nothing may be waited for that could leave a tree without its agent.
            place = await self.trees.prepare(agent_id, cwd)
            cwd, tree = place.cwd, place.worktree
        outputs = results_folder(kit.services.state_folder, kit.session.id)
        may_go_on = self._settings.agents.background
        facts = AgentFacts(
            agent_id=agent_id,
            agent_type=definition.agent_type,
            description=request.description,
            prompt=request.prompt,
            name=request.name,
            parent=starter.agent_id,
            parent_call=request.call,
            depth=starter.depth + 1,
            model=self._model_of(definition, request.model, starter.model()).model,
            effort=request.effort or definition.effort or starter.effort(),
            color=definition.color,
            is_background=may_go_on and (request.in_background or definition.background),
            cwd=str(cwd),
            call_mode=request.mode,
            definition_mode=definition.permission_mode,
            worktree=tree,
            output_path=str(outputs / f"agent-{agent_id}.md"),
            memory=memory,
            only_tools=None if request.only_tools is None else tuple(sorted(request.only_tools)),
            started_ms=started_ms,
        )
        return AgentJob(facts=facts, definition=definition)

    def _next_start_ms(self) -> int:
        """The time now, wall clock; later than any before, for lists of agents are ordered by it.

        Taken before anything is waited for: agents that one reply starts stand in the order of its calls.
        """
        self._last_start_ms = max(self._last_start_ms + 1, self._kit.services.clock.now_ms())
        return self._last_start_ms

    def job_of(self, facts: AgentFacts) -> AgentJob:
        """Return the task of an agent that goes on, by its definition as it is now.

        Raises:
            AgentError: There is no such definition any more.
        """
        definition = self._definitions().get(facts.agent_type)
        if definition is None or facts.agent_type in self._kit.permissions.denied_agents():
            raise AgentError(
                f"There is no agent type {facts.agent_type!r} any more, so {facts.agent_id} cannot go "
                "on."
            )
        return AgentJob(facts=facts, definition=definition)

    async def recall(self, job: AgentJob) -> AgentJob:
        """Give an agent what it knows from earlier ones of its kind."""
        return replace(job, memory=await asyncio.to_thread(recall, job.facts.memory))

    def first_prompt(self, job: AgentJob) -> str:
        """Return what the agent is told first."""
        parts = (job.definition.initial_prompt.strip(), job.facts.prompt)
        return "\n\n".join(part for part in parts if part)

    async def preloaded(self, job: AgentJob) -> list[SkillInvoked]:
        """Return the skills that the agent knows from the start."""
        kit = self._kit
        return await preload(kit.skills, job.definition.skills, kit.session.warn)

    def offer(self, job: AgentJob) -> ToolOffer:
        """Return what an agent's model knows of its tools; the same when it goes on after its end."""
        agent = job.facts.agent_id
        offered = self._offers.pop(agent, None) or _Offered(job, self.pool)
        if len(self._offers) >= MAX_OFFERS:
            del self._offers[next(iter(self._offers))]
        offered.job = job
        self._offers[agent] = offered
        return offered.offer

    def pool(self, job: AgentJob) -> ToolRegistry:
        """Return the tools that an agent has now; the same object for agents with the same."""
        registry, permissions = self._kit.registry, self._kit.permissions
        kept = job.definition.pool(registry.names()) - _MAINS_OWN - permissions.removed_tools()
        if job.facts.depth >= self._settings.agents.max_depth:
            kept -= {"Agent"}
        if job.facts.is_background:
            kept -= {"AskUserQuestion"}
        if job.facts.only_tools is not None:
            kept &= frozenset(job.facts.only_tools)
        pool = self._pools.get(kept)
        if pool is None:
            if len(self._pools) >= MAX_POOLS:
                del self._pools[next(iter(self._pools))]
            pool = registry.without(frozenset(registry.names()) - kept)
            self._pools[kept] = pool
        return pool

    def _memory_of(self, definition: AgentDefinition) -> AgentMemory | None:
        kit = self._kit
        project = Path(kit.session.data.cwd)
        trusted = kit.permissions.is_trusted
        memory, problem = memory_of(definition, kit.services.state_folder, project, trusted=trusted)
        if problem:
            kit.session.warn(f"The agent {definition.agent_type} works without memory: {problem}.")
        return memory

    @property
    def _settings(self) -> Settings:
        return self._kit.settings()

    def _problem_with_model(self, definition: AgentDefinition, asked: str | None, own: str) -> str:
        try:
            self._model_of(definition, asked, own).require_usable()
        except ModelError as error:
            return str(error)
        return ""

    def _model_of(self, definition: AgentDefinition, asked: str | None, own: str) -> ProviderChoice:
        """Choose by the environment, the call, the definition, else what its starter uses."""
        kit, settings = self._kit, self._settings.model
        ordered = kit.services.environment.get(MODEL_VARIABLE, "").strip()
        name = ordered or asked or definition.model or INHERIT
        providers = kit.services.providers
        if name == INHERIT:
            return providers.choose(settings, own)
        if name == SMALL:
            return providers.choose_small(settings, own) or providers.choose(settings, own)
        if name.lower() in TIERS:
            return providers.choose_tier(settings, name, own)
        return providers.choose(settings, name)

    def _folder(self, asked: str | None, starter: Starter) -> Path:
        """Return where an agent works; blocks for a moment.

        Raises:
            AgentError: There is no such folder in the workspace.
        """
        here = starter.cwd()
        if asked is None:
            return here
        folder = (here / asked).resolve()
        roots = (
            self._kit.permissions.folders()
            if starter.worktree is None
            else (Path(starter.worktree.path),)
        )
        if not folder.is_dir() or not any(folder.is_relative_to(root) for root in roots):
            raise AgentError(f"cwd: {asked[:200]} is not a folder of the workspace.")
        return folder


_NO_OTHER = "Do not use another agent for the same; if it is needed, tell the user."


def startable(
    definitions: Mapping[str, AgentDefinition], denied: frozenset[str]
) -> list[AgentType]:
    """Return the kinds of agents that no rule forbids."""
    return [
        AgentType(
            name=name,
            description=definition.description,
            tools=_tools_of(definition),
            is_read_only=is_read_only(definition),
            is_one_shot=definition.is_one_shot,
        )
        for name, definition in definitions.items()
        if name not in denied
    ]


def is_read_only(definition: AgentDefinition) -> bool:
    """Tell whether an agent has no tool that changes files."""
    return not definition.pool(_WRITING)


def _missing_parts(definition: AgentDefinition) -> str:
    """Return what a definition needs and there is not; it does not start with less than it needs."""
    if definition.required_mcp_servers:
        named = ", ".join(definition.required_mcp_servers)
        return (
            f"The agent {definition.agent_type} needs MCP servers that are not connected: {named}."
        )
    return ""


def _tools_of(definition: AgentDefinition) -> str:
    """Say what an agent may use."""
    listed = "all tools" if definition.tools in (None, ("*",)) else ", ".join(definition.tools)
    without = ", ".join(definition.disallowed_tools)
    return f"{listed} except {without}" if without else listed
