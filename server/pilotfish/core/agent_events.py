"""What becomes of a session's agents.

Owns: those of the kept events (``core.events``) that are about sub-agents. They are in the list of the
session that the user talks with, however deep an agent is.
"""

from typing import Literal

from pilotfish.core.agents import AgentEntry, AgentFacts, AgentOutcome
from pilotfish.core.ids import AgentId
from pilotfish.core.messages import Usage
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentStarted:
    """A sub-agent began to work. What it does is in its own transcript."""

    facts: AgentFacts
    type: Literal["agent_started"] = "agent_started"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentBackgrounded:
    """Nobody waits for an agent any more; it goes on."""

    agent_id: AgentId
    type: Literal["agent_backgrounded"] = "agent_backgrounded"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSpent:
    """A model call of an agent, on the session's bill."""

    agent_id: AgentId
    model: str
    usage: Usage
    cost_usd: float | None
    """None when the model's price is not known."""
    duration_ms: int = 0
    """How long the call took; 0 for one that broke off."""
    answer_ms: int | None = None
    """Of the attempt that answered, alone. None: an earlier version did not say."""
    type: Literal["agent_spent"] = "agent_spent"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentEnded:
    """An agent came to its end; this is written once for each time it was set to work."""

    agent_id: AgentId
    outcome: AgentOutcome
    type: Literal["agent_ended"] = "agent_ended"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTold:
    """Whoever started an agent knows how it ended."""

    agent_id: AgentId
    type: Literal["agent_told"] = "agent_told"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTreeSettled:
    """It is known what became of the worktree of an agent that has ended."""

    agent_id: AgentId
    kept: bool
    """Whether it is still there, because it holds work or nobody can tell."""
    type: Literal["agent_tree_settled"] = "agent_tree_settled"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentResumed:
    """An agent that had ended was set to work again, in the background."""

    agent_id: AgentId
    entry: AgentEntry | None = None
    """What is known of it, where the session did not keep that at hand any more."""
    type: Literal["agent_resumed"] = "agent_resumed"
