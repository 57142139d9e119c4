"""Agents of a session: the rows of the selector, looking into one, steering it."""

from typing import Literal

from pydantic import Field

from pilotfish.core.tree_merge import MergeAction
from pilotfish.wire.base import WireModel
from pilotfish.wire.session import AgentStatus, SnapshotResponse


class AgentWorktree(WireModel):
    """The working tree of its own in which an agent works."""

    path: str
    branch: str
    changed: bool
    """Whether it holds work that is not in the session's own tree."""


class AgentRow(WireModel):
    """An agent as a list shows it. Elapsed time is the client's to count."""

    session_id: str
    """The session that the user talks with, however deep the agent is."""
    agent_id: str
    agent_type: str
    description: str
    name: str | None
    """What other agents call it by, where it was given a name."""
    status: AgentStatus
    is_background: bool
    started_at_ms: int
    ended_at_ms: int | None
    """None while it runs."""
    idle_ms: int = 0
    """How long it did nothing between its runs, which is no part of its elapsed time."""
    tokens: int
    tool_uses: int
    activity: str
    """What it does now, in a few words; may be empty."""
    activity_tool: str = ""
    """The tool whose title this is."""
    open_questions: int
    """Questions of this agent that wait for the user."""
    color: str | None
    model: str
    parent_agent_id: str
    """``main`` or the agent that started it."""
    parent_tool_call_id: str | None
    depth: int
    """1 for agents that the main conversation started."""
    cwd: str
    worktree: AgentWorktree | None
    output_file: str
    """The file that holds what it said at its end; may be empty."""
    can_resume: bool
    """Whether a message would make it go on, though it has ended."""
    evict_at_ms: int | None
    """When the row goes by itself; None while it runs or is looked at."""
    error: str
    """Why it failed; empty otherwise."""


class AgentsListParams(WireModel):
    """``_pilotfish/agents/list``: of one session, or of all open ones."""

    session_id: str | None = None


class AgentsListResponse(WireModel):
    """What the selector shows. All of it comes from one moment."""

    agents: list[AgentRow]
    """Those in the background that are still listed, by their start."""
    foreground: list[AgentRow] = Field(default_factory=list[AgentRow])
    """Those that run within a tool call, for the cards of these calls."""
    with_work: list[AgentRow] = Field(default_factory=list[AgentRow])
    """Those that have ended, are listed no longer and have left work in worktrees of their own."""
    viewing: str | None
    """The agent whose transcript somebody looked at last; None: nobody looks at any."""
    viewed: list[str] = Field(default_factory=list[str])
    """All agents that are looked at."""
    revision: int
    """Grows with every change of the session's agents; what carries a smaller one is older. 0 when
    the agents of several sessions were asked for."""


class AgentsChangedParams(AgentsListResponse):
    """``_pilotfish/agents/changed``: the selector of a session is no longer what it was."""

    session_id: str


class AgentParams(WireModel):
    """``_pilotfish/agents/stop`` and ``dismiss``: one agent."""

    session_id: str
    agent_id: str


class AgentViewParams(WireModel):
    """``_pilotfish/agents/view``: look into an agent until ``unview`` or another ``view``."""

    session_id: str
    agent_id: str
    since_seq: int = 0
    viewer: str = ""
    """Which view of the client looks: each looks at one agent at a time."""


class AgentViewResponse(WireModel):
    """The agent as it stands.

    What comes after follows as ``session/update`` of the session, with the agent's id and the
    agent's own ``seq`` in ``_meta.pilotfish``.
    """

    row: AgentRow
    snapshot: SnapshotResponse
    """Of the agent; its ``sessionId`` is the session's."""
    prompt: str = ""
    """What it was told to do. Of a fork, whose own copy of it stands inside another message."""


class AgentsUnviewParams(WireModel):
    """``_pilotfish/agents/unview``: back to the main conversation."""

    session_id: str
    viewer: str = ""
    """Which view goes back."""


class AgentSendParams(WireModel):
    """``_pilotfish/agents/send``: a message of the user to an agent."""

    session_id: str
    agent_id: str
    text: str


class AgentSendResponse(WireModel):
    """What became of the message."""

    delivery: Literal["queued", "resumed"]
    """``queued``: it runs and reads it at its next step. ``resumed``: it goes on with it."""


class AgentMergeFile(WireModel):
    """A file that differs between an agent's worktree and the commit that it began with."""

    path: str
    """In the session's tree, absolute."""
    tree_path: str
    """In the agent's."""
    action: MergeAction
    """``change``: only the agent changed it. ``merge``: both trees did, in different lines.
    ``conflict``: it would be left alone."""
    added: int
    removed: int
    reason: str
    """With ``conflict``: why."""


class AgentCompareResponse(WireModel):
    """What merging an agent's worktree would do."""

    branch: str
    files: list[AgentMergeFile]


class AgentMergeRefusal(WireModel):
    """A file that was left alone."""

    path: str
    reason: str


class AgentMergeResponse(WireModel):
    """What came of a merge. The worktree is still there."""

    changed: list[str]
    refused: list[AgentMergeRefusal]


class AgentPruneResponse(WireModel):
    """An agent's worktree is gone."""

    branch: str
    """Its branch, if that stays for commits that are nowhere else; empty when it is gone, too."""


class AgentStopResponse(WireModel):
    """Whether there was anything to stop."""

    stopped: bool


class AgentBackgroundParams(WireModel):
    """``_pilotfish/agents/background``: let the agent of a running call go on beside the turn."""

    session_id: str
    tool_call_id: str


class AgentMovedResponse(WireModel):
    """Whether it was moved."""

    moved: bool
    """False when the call has ended already, or is none of an agent's."""
