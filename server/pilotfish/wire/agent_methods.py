"""The methods about a session's agents."""

from pilotfish.wire import agent_types, agents
from pilotfish.wire.method import Empty, Method

LIST = Method(
    name="_pilotfish/agents/list",
    direction="client_to_server",
    kind="request",
    params=agents.AgentsListParams,
    result=agents.AgentsListResponse,
    doc="The agents that the selector shows.",
)
CHANGED = Method(
    name="_pilotfish/agents/changed",
    direction="server_to_client",
    kind="notification",
    params=agents.AgentsChangedParams,
    doc="The agents of a session are no longer what they were.",
)
VIEW = Method(
    name="_pilotfish/agents/view",
    direction="client_to_server",
    kind="request",
    params=agents.AgentViewParams,
    result=agents.AgentViewResponse,
    doc="Look into an agent; its updates follow until unview.",
)
UNVIEW = Method(
    name="_pilotfish/agents/unview",
    direction="client_to_server",
    kind="request",
    params=agents.AgentsUnviewParams,
    result=Empty,
    doc="Look at the main conversation again.",
)
SEND = Method(
    name="_pilotfish/agents/send",
    direction="client_to_server",
    kind="request",
    params=agents.AgentSendParams,
    result=agents.AgentSendResponse,
    doc="A message of the user to an agent, running or stopped.",
)
STOP = Method(
    name="_pilotfish/agents/stop",
    direction="client_to_server",
    kind="request",
    params=agents.AgentParams,
    result=agents.AgentStopResponse,
    doc="Stop an agent; what it said so far stays.",
)
COMPARE = Method(
    name="_pilotfish/agents/compare",
    direction="client_to_server",
    kind="request",
    params=agents.AgentParams,
    result=agents.AgentCompareResponse,
    doc="What an ended agent has in its own worktree, and what merging that would do.",
)
MERGE = Method(
    name="_pilotfish/agents/merge",
    direction="client_to_server",
    kind="request",
    params=agents.AgentParams,
    result=agents.AgentMergeResponse,
    doc="Bring that into the session's tree; what is there and not committed stays.",
)
PRUNE = Method(
    name="_pilotfish/agents/prune",
    direction="client_to_server",
    kind="request",
    params=agents.AgentParams,
    result=agents.AgentPruneResponse,
    doc="Remove an ended agent's worktree; an error where it holds what the session's tree does not.",
)
DISMISS = Method(
    name="_pilotfish/agents/dismiss",
    direction="client_to_server",
    kind="request",
    params=agents.AgentParams,
    result=Empty,
    doc="Take an agent that has ended off the list at once.",
)
BACKGROUND = Method(
    name="_pilotfish/agents/background",
    direction="client_to_server",
    kind="request",
    params=agents.AgentBackgroundParams,
    result=agents.AgentMovedResponse,
    doc="Let the agent of a running tool call go on in the background.",
)
TYPES = Method(
    name="_pilotfish/agents/types",
    direction="client_to_server",
    kind="request",
    params=agent_types.AgentTypesParams,
    result=agent_types.AgentTypesResponse,
    doc="The kinds of agents that are defined, where, and what is wrong with their files.",
)

AGENT_METHODS = (
    LIST,
    CHANGED,
    VIEW,
    UNVIEW,
    SEND,
    STOP,
    COMPARE,
    MERGE,
    PRUNE,
    DISMISS,
    BACKGROUND,
    TYPES,
)
