"""What would be decided about a call that nobody makes.

Owns: preparing such a call, and judging it all the same when it cannot be prepared. Runs nothing.
"""

import asyncio

from pilotfish.core.calls import CallScope, RejectedCall, ToolCall
from pilotfish.core.ids import MAIN_AGENT, SessionId, new_tool_use_id, new_turn_id
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import PermissionDecision
from pilotfish.engine.state import TurnIdentity
from pilotfish.permissions.assumed import assume_call
from pilotfish.ports.tool_runner import ToolRunner
from pilotfish.session.permission_source import PermissionSource


def asking_identity(session: SessionId) -> TurnIdentity:
    """Return whose call it would be: the main agent's, in a turn that there is not."""
    return TurnIdentity(session_id=session, turn_id=new_turn_id(), agent_id=MAIN_AGENT)


async def explain_call(
    tool: str,
    tool_input: JsonObject,
    runner: ToolRunner,
    permissions: PermissionSource,
    scope: CallScope,
) -> PermissionDecision:
    """Return the decision with its trace."""
    call = ToolCall(id=new_tool_use_id(), name=tool, input=tool_input)
    prepared = await runner.prepare(call, scope)
    if isinstance(prepared, RejectedCall):
        # A file that is not there yet, say: what the rules make of the call can be told all the same.
        prepared = await asyncio.to_thread(assume_call, tool, tool_input, scope.cwd)
    return await asyncio.to_thread(permissions.decide, prepared, scope)
