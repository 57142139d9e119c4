"""The method behind "Show All": whole outputs of calls.

Owns: decoding, one call into the session layer, the answer.
"""

from collections.abc import Mapping

from pilotfish.core.ids import SessionId, ToolUseId
from pilotfish.edges.channel import Handler
from pilotfish.session.manager import SessionManager
from pilotfish.wire import outputs as wire


class OutputMethods:
    """Serves one client."""

    def __init__(self, manager: SessionManager) -> None:
        self._manager = manager

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {wire.OUTPUT.name: Handler(params=wire.OutputParams, call=self._output)}

    async def _output(self, params: wire.OutputParams) -> wire.OutputResponse:
        session, call = SessionId(params.session_id), ToolUseId(params.tool_call_id)
        found = await self._manager.whole_output(session, call)
        return wire.OutputResponse(text=found.text, path=str(found.path), bytes=found.size)
