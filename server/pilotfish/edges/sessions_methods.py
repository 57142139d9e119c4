"""The ``_pilotfish/sessions/*`` methods: what can be done with stored sessions.

Owns: decoding, one call into the session layer, the answer.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from pilotfish.core.ids import SessionId
from pilotfish.edges.channel import Handler
from pilotfish.session.manager import SessionManager
from pilotfish.wire import methods
from pilotfish.wire import sessions as wire


class SessionsMethods:
    """Serves one client."""

    def __init__(self, manager: SessionManager) -> None:
        self._manager = manager

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            methods.SESSIONS_SEARCH.name: Handler(
                params=wire.SessionsSearchParams, call=self._search
            ),
            methods.SESSIONS_RENAME.name: Handler(
                params=wire.SessionsRenameParams, call=self._rename
            ),
            methods.SESSIONS_EXPORT.name: Handler(
                params=wire.SessionsExportParams, call=self._export
            ),
        }

    async def _search(self, params: wire.SessionsSearchParams) -> wire.SessionsSearchResponse:
        cwd = None if params.cwd is None else Path(params.cwd)
        result = await self._manager.search(params.query, cwd)
        return wire.SessionsSearchResponse(
            found=[
                wire.FoundSession(
                    session_id=one.summary.session_id,
                    title=one.summary.title,
                    cwd=one.summary.cwd,
                    updated_at=iso_time(one.summary.updated_ms),
                    snippet=one.snippet,
                )
                for one in result.found
            ],
            complete=result.complete,
        )

    async def _rename(self, params: wire.SessionsRenameParams) -> wire.SessionsRenameResponse:
        await self._manager.rename(SessionId(params.session_id), params.title)
        return wire.SessionsRenameResponse()

    async def _export(self, params: wire.SessionsExportParams) -> wire.SessionsExportResponse:
        markdown = await self._manager.export(SessionId(params.session_id))
        return wire.SessionsExportResponse(markdown=markdown)


def iso_time(time_ms: int) -> str:
    """Return a wall clock time as ISO 8601, UTC."""
    return datetime.fromtimestamp(time_ms / 1000, UTC).isoformat()
