"""The methods about Pilotfish itself and about commits.

Owns: decoding, one call into the session layer, the answer.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from pilotfish.edges.channel import Handler
from pilotfish.session.manager import SessionManager
from pilotfish.session.session import Session
from pilotfish.wire import methods
from pilotfish.wire import reports as wire


class ReportMethods:
    """Serves one client."""

    def __init__(self, manager: SessionManager, session: Callable[[str], Session]) -> None:
        self._manager = manager
        self._session = session

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            methods.DOCTOR.name: Handler(params=wire.DoctorParams, call=self._doctor),
            methods.COMMIT_MESSAGE.name: Handler(
                params=wire.CommitMessageParams, call=self._commit_message
            ),
        }

    async def _doctor(self, params: wire.DoctorParams) -> wire.DoctorResponse:
        checks = await self._manager.examine(Path(params.cwd))
        return wire.DoctorResponse(
            checks=[
                wire.DoctorCheck(name=check.name, value=check.value, problem=check.problem)
                for check in checks
            ]
        )

    async def _commit_message(self, params: wire.CommitMessageParams) -> wire.CommitMessageResponse:
        workbench = self._session(params.session_id).workbench
        return wire.CommitMessageResponse(message=await workbench.commit_message(Path(params.cwd)))
