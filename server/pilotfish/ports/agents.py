"""Sub-agents as the tools see them."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from typing_extensions import override

from pilotfish.core.agents import AgentEntry
from pilotfish.core.calls import ToolProgress
from pilotfish.core.errors import AgentError
from pilotfish.core.ids import AgentId, ToolUseId
from pilotfish.core.permission import PermissionMode, PermissionRule
from pilotfish.core.tree_merge import MergeFile, MergeOutcome
from pilotfish.util.records import dataclass

Delivery = Literal["queued", "resumed"]
"""What became of a message: a running agent hears it at its next step; one that had ended goes on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentType:
    """A kind of agent that may be started."""

    name: str
    description: str
    """When to use it, in the words of whoever defined it."""
    tools: str
    """What it may use, for people and model."""
    is_read_only: bool
    """Whether it has no tool that changes files, so that plan mode permits it."""
    is_one_shot: bool = False
    """Whether nobody goes on with it after its answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRequest:
    """What a call wants of an agent."""

    description: str
    prompt: str
    agent_type: str = ""
    """Empty: ``general-purpose``."""
    model: str | None = None
    effort: str | None = None
    """How hard its model is to try; None: as its definition says, else as its parent's."""
    rules: tuple[PermissionRule, ...] = ()
    """What it is granted beside the session's rules; they never beat one that asks or denies."""
    only_tools: frozenset[str] | None = None
    """Tools that it may have at most; None: those of its definition."""
    in_background: bool = False
    name: str | None = None
    mode: PermissionMode | None = None
    """What the model asks for; it never raises anything above the parent's."""
    isolated: bool = False
    """Whether it gets a git worktree of its own, whatever its definition says."""
    cwd: str | None = None
    """Where it works; None: where its parent does."""
    call: ToolUseId
    on_progress: Callable[[ToolProgress], None]
    """Live news for the card of the call."""


class AgentSpawner(Protocol):
    """The agents of one agent, the main one included. ``session.subagents`` implements it."""

    def types(self) -> Sequence[AgentType]:
        """Return what may be started, in the order in which the model is told of it."""
        ...

    def problem(self, request: AgentRequest) -> str:
        """Return why an agent cannot be started, and what to do; empty when it can."""
        ...

    async def run(self, request: AgentRequest) -> AgentEntry:
        """Start an agent; return when it has ended, or goes on in the background.

        A cancelled wait ends an agent that somebody waits for, with its partial result on record.

        Raises:
            AgentError: It cannot be started, or failed before it said anything.
        """
        ...

    def find(self, address: str) -> AgentEntry | None:
        """Return an agent of this session by its id, or by its name if an agent has that.

        The session keeps all that run at hand, and the latest that have ended.
        """
        ...

    async def recall(self, address: str) -> AgentEntry | None:
        """Return an agent as ``find`` does, one that is not kept at hand any more included.

        Raises:
            AgentError: What is not at hand cannot be read.
        """
        ...

    def running(self) -> Sequence[AgentEntry]:
        """Return the agents of this session that work, oldest first."""
        ...

    def so_far(self, agent: AgentId) -> str:
        """Return what a running agent has said last, and its latest steps."""
        ...

    async def wait(self, agent: AgentId, limit_s: float) -> None:
        """Wait until an agent has ended, at most so long."""
        ...

    def tell(self, agent: AgentId) -> None:
        """Note that the model is being shown how an agent ended."""
        ...

    async def send(self, agent: AgentId, text: str) -> Delivery:
        """Write to an agent; one that has ended goes on with the message, in the background.

        Raises:
            AgentError: There is none, too much waits for it, or it cannot be resumed.
        """
        ...

    async def stop(self, agent: AgentId) -> bool:
        """End a running agent and its own ones; False when it had ended."""
        ...


class TreeDesk(Protocol):
    """What people can do with agents' own worktrees. ``session.agent_trees`` implements it."""

    async def compare(self, agent: AgentId) -> Sequence[MergeFile]:
        """Say what merging an ended agent's own worktree would do.

        Raises:
            PilotfishError: It has none, or what changed cannot be told.
        """
        ...

    async def merge(self, agent: AgentId) -> MergeOutcome:
        """Bring what is in an ended agent's own worktree into the session's tree.

        Raises:
            PilotfishError: It has none, what changed cannot be told, or a turn is running.
        """
        ...

    async def remove(self, agent: AgentId) -> str:
        """Remove an ended agent's own worktree, if all that it holds is in the session's tree.

        Returns:
            The branch, if it stays for commits that are nowhere else; empty when it is gone, too.

        Raises:
            PilotfishError: It has none, or holds what is nowhere else; nothing was removed.
        """
        ...


class AgentDesk(Protocol):
    """What people can do with the agents of a session. ``session.subagents`` implements it."""

    async def send(self, agent: AgentId, text: str) -> Delivery:
        """Write to an agent; see ``AgentSpawner.send``."""
        ...

    async def stop(self, agent: AgentId, why: str) -> bool:
        """End a running agent and its own ones, and say why; False when it had ended."""
        ...

    def move_to_background(self, call: ToolUseId) -> bool:
        """Let a call wait for its agent no longer; False when it does not, or cannot be let go."""
        ...

    @property
    def trees(self) -> TreeDesk:
        """Their worktrees."""
        ...

    def busy(self) -> int:
        """Return how many things go on for agents: runs, waits, what follows an end. 0: nothing."""
        ...


class NoAgents(AgentSpawner):
    """Stands in where there is nobody to hand work to."""

    _WHY = "No agents can be started here."

    def types(self) -> Sequence[AgentType]:
        """Return nothing."""
        return ()

    @override
    def problem(self, request: AgentRequest) -> str:
        """Say that there are none."""
        return self._WHY

    @override
    async def run(self, request: AgentRequest) -> AgentEntry:
        """Refuse."""
        raise AgentError(self._WHY)

    @override
    def find(self, address: str) -> AgentEntry | None:
        """Return nothing."""
        return None

    @override
    async def recall(self, address: str) -> AgentEntry | None:
        """Return nothing."""
        return None

    def running(self) -> Sequence[AgentEntry]:
        """Return nothing."""
        return ()

    @override
    def so_far(self, agent: AgentId) -> str:
        """Return nothing."""
        return ""

    async def wait(self, agent: AgentId, limit_s: float) -> None:
        """Return at once."""

    def tell(self, agent: AgentId) -> None:
        """Do nothing."""

    @override
    async def send(self, agent: AgentId, text: str) -> Delivery:
        """Refuse."""
        raise AgentError(self._WHY)

    @override
    async def stop(self, agent: AgentId) -> bool:
        """Return that there was nothing to stop."""
        return False
