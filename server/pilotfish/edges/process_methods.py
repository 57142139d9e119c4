"""The ``_pilotfish/processes/*`` methods.

Owns: the calls to the table of child processes, the answers.
"""

from collections.abc import Mapping

from pilotfish.edges.channel import Handler
from pilotfish.session.manager import SessionManager
from pilotfish.wire import methods
from pilotfish.wire import processes as wire


class ProcessMethods:
    """Serves one client."""

    def __init__(self, manager: SessionManager) -> None:
        self._manager = manager

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            methods.PROCESSES_LIST.name: Handler(params=wire.ProcessesListParams, call=self._list),
            methods.PROCESSES_STOP.name: Handler(params=wire.ProcessStopParams, call=self._stop),
        }

    async def _list(self, _: wire.ProcessesListParams) -> wire.ProcessesListResponse:
        return wire.ProcessesListResponse(
            processes=[
                wire.ProcessEntry(
                    pid=child.pid,
                    purpose=child.purpose,
                    label=child.label,
                    started_at_ms=child.started_ms,
                    leftover=child.leftover,
                )
                for child in self._manager.children()
            ]
        )

    async def _stop(self, params: wire.ProcessStopParams) -> wire.ProcessStopResponse:
        return wire.ProcessStopResponse(taken=self._manager.stop_child(params.pid))
