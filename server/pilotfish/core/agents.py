"""Sub-agents as data.

Owns: what is known of an agent from its start, and how it ended.
Does not own: running one (``session.subagents``), definitions of agents (``agents``).
See also: design 01 §4 to §6.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from pilotfish.core.ids import AgentId, ToolUseId
from pilotfish.core.permission import AgentMode, PermissionMode
from pilotfish.util.records import dataclass

AgentStatus: TypeAlias = Literal["running", "completed", "failed", "killed"]
"""All but ``running`` are final; an agent that is resumed runs again, which is an event of its own."""

EndStatus: TypeAlias = Literal["completed", "failed", "killed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentWorktree:
    """A git worktree that an agent has to itself."""

    path: str
    branch: str
    """Empty when a hook made the worktree and named none."""
    owner: str = ""
    """The agent that it was made for; those that it starts work in it as well."""
    empty: tuple[str, ...] = ()
    """Folders of submodules, which were empty in it at its beginning; for reading."""


MemoryScope: TypeAlias = Literal["user", "project", "local"]
"""Whose an agent's memory is: the user's in all projects, the project's, or the user's in this one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentMemory:
    """What an agent of this kind keeps for the next one."""

    folder: str
    """Its real path; empty when there is none, whatever the definition asks for."""
    scope: MemoryScope
    limited_tools: tuple[str, ...] = ()
    """Tools that it has for its memory alone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentFacts:
    """What an agent was started with."""

    agent_id: AgentId
    agent_type: str
    """The name of its definition."""
    description: str
    """Three to five words for people."""
    prompt: str
    name: str | None
    """Under which other agents may write to it, beside its id."""
    parent: AgentId
    """``main`` or another agent: who hears of its end."""
    parent_call: ToolUseId | None
    """The call that started it; None when the user did."""
    depth: int
    """1 for an agent of the main one, 2 for an agent of that, and so on."""
    model: str
    effort: str = ""
    """How hard its model is to try; empty: what the settings say."""
    color: str
    """A colour's name; empty leaves it to the client."""
    is_background: bool
    """Whether nobody waited for it from the start on."""
    cwd: str
    call_mode: PermissionMode | None = None
    """The permission mode that the call asked for."""
    definition_mode: AgentMode | None = None
    """The one that its definition asked for. What it works in is for the permissions to say."""
    worktree: AgentWorktree | None = None
    output_path: str = ""
    """The file with its final text, which others may read."""
    memory: AgentMemory | None = None
    only_tools: tuple[str, ...] | None = None
    """Tools that it has at most; None: those of its definition."""
    started_ms: int
    """Wall clock."""

    @property
    def owns_worktree(self) -> bool:
        """Whether its worktree was made for it, rather than for an agent that started it."""
        return self.worktree is not None and self.worktree.owner == self.agent_id


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentOutcome:
    """How an agent ended, and what it used."""

    status: EndStatus
    text: str
    """What it said last; of an agent that did not finish, as far as it came."""
    error: str = ""
    """Why it failed or was stopped; empty when it finished."""
    total_tokens: int = 0
    tool_uses: int = 0
    denials: int = 0
    """Calls that it was not permitted."""
    duration_ms: int = 0
    """How long it worked, all its runs together."""
    ended_ms: int = 0
    """Wall clock."""
    worktree_kept: bool | None = False
    """Whether its worktree is still there, with changes; None: that is being found out."""
    unheard: tuple[AgentId, ...] = ()
    """Agents of its own of whose end it has not heard; those that worked at its end are stopped."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentEntry:
    """An agent as the session's events tell it so far."""

    facts: AgentFacts
    is_background: bool
    """Whether nobody waits for it now."""
    outcome: AgentOutcome | None = None
    """None while it runs."""
    told: bool = False
    """Whether whoever started it knows how it ended."""
    runs: int = 1
    """How often it was set to work: resuming it is one more."""
    idle_ms: int = 0
    """How long it did nothing between its ends and its resumptions."""

    @property
    def agent_id(self) -> AgentId:
        """Its id."""
        return self.facts.agent_id

    @property
    def tree_path(self) -> str | None:
        """The worktree that it works in; None in the session's tree."""
        return None if self.facts.worktree is None else self.facts.worktree.path

    @property
    def status(self) -> AgentStatus:
        """What it does."""
        return "running" if self.outcome is None else self.outcome.status


def unheard_by(agent: AgentId, agents: Mapping[AgentId, AgentEntry]) -> tuple[AgentId, ...]:
    """Return the agents in the background that one has started and of whose end it has not heard.

    Args:
        agent: Who has started them.
        agents: All agents of the session.
    """
    return tuple(
        one.agent_id
        for one in agents.values()
        if one.facts.parent == agent and one.is_background and not one.told
    )


def of_unheard(outcome: AgentOutcome) -> str:
    """Tell whoever hears of an end of the agents that only the ended one would have heard of."""
    if not outcome.unheard:
        return ""
    named = ", ".join(outcome.unheard)
    return (
        f"It has not heard what became of agents that it had started: {named}. Those that still "
        "worked are stopped. TaskOutput shows how far each came."
    )


def of_tree(facts: AgentFacts, outcome: AgentOutcome) -> str:
    """Tell whoever hears of an end where the work is; empty where it is in their own tree."""
    tree = facts.worktree
    if tree is None or not facts.owns_worktree or outcome.worktree_kept is False:
        return ""
    where = f"{tree.path} on the branch {tree.branch}" if tree.branch else tree.path
    if outcome.worktree_kept is None:
        return (
            f"It worked in its own working tree {where}, which goes by itself if it holds nothing."
        )
    return f"Its changes are in its own working tree {where}; nothing is merged."
