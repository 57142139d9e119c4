"""The method about kinds of agents.

Owns: the answer's shape. Does not own: definitions (``agents``), where they are read from (the engine).
"""

from collections.abc import Callable, Mapping

from pilotfish.agents.loader import KnownAgents
from pilotfish.agents.model import AgentDefinition
from pilotfish.definitions.catalog import Listed, listed
from pilotfish.edges.channel import Handler
from pilotfish.session.manager import SessionManager
from pilotfish.session.session import Session
from pilotfish.wire import agent_methods
from pilotfish.wire import agent_types as wire


class AgentTypeMethods:
    """Serves one client."""

    def __init__(self, manager: SessionManager, session: Callable[[str], Session]) -> None:
        self._manager = manager
        self._session = session

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            agent_methods.TYPES.name: Handler(params=wire.AgentTypesParams, call=self._types),
        }

    async def _types(self, params: wire.AgentTypesParams) -> wire.AgentTypesResponse:
        # A client that has not begun a session yet may send an empty id.
        session = self._session(params.session_id) if params.session_id else None
        known = await self._manager.agent_types(None if session is None else session.data.cwd)
        return to_response(known)


def to_response(known: KnownAgents) -> wire.AgentTypesResponse:
    """Return everything that was found, for a client or a program."""
    return wire.AgentTypesResponse(
        types=[_to_entry(row) for row in listed(known)],
        problems=[
            wire.AgentTypeProblem(
                path=str(problem.path),
                line=problem.line,
                text=problem.text,
                severity=problem.severity,
            )
            for problem in known.problems
        ],
        untrusted=[str(path) for path in known.untrusted],
        folders=[
            wire.AgentTypesFolder(source=source, path=str(path))
            for source, path in known.homes.items()
        ],
    )


def _to_entry(row: Listed[AgentDefinition]) -> wire.AgentTypeEntry:
    found = row.found
    return wire.AgentTypeEntry(
        name=found.agent_type,
        description=found.description,
        source=found.source,
        path=None if found.path is None else str(found.path),
        tools=None if found.tools is None else list(found.tools),
        disallowed_tools=list(found.disallowed_tools),
        model=found.model,
        permission_mode=found.permission_mode,
        background=found.background,
        isolation=found.isolation,
        color=found.color,
        replaced_by=None if row.replaced_by is None else row.replaced_by.source,
    )
