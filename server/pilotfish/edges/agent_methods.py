"""The ``_pilotfish/agents/*`` methods.

Owns: decoding, one call into the session layer, the answer.
"""

from collections.abc import Callable, Mapping

from pilotfish.core.errors import SessionError
from pilotfish.core.ids import AgentId, ToolUseId
from pilotfish.edges.agent_wire import changed_of, row_to_wire
from pilotfish.edges.channel import Handler
from pilotfish.edges.snapshots import snapshot_of
from pilotfish.session.manager import SessionManager
from pilotfish.session.session import Session
from pilotfish.wire import agent_methods as methods
from pilotfish.wire import agents as wire
from pilotfish.wire.method import Empty

STOPPED_BY_USER = "the user stopped it"


class AgentMethods:
    """Serves one client."""

    def __init__(self, manager: SessionManager, session: Callable[[str], Session]) -> None:
        self._manager = manager
        self._session = session

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            methods.LIST.name: Handler(params=wire.AgentsListParams, call=self._list),
            methods.VIEW.name: Handler(params=wire.AgentViewParams, call=self._view),
            methods.UNVIEW.name: Handler(params=wire.AgentsUnviewParams, call=self._unview),
            methods.SEND.name: Handler(params=wire.AgentSendParams, call=self._send),
            methods.STOP.name: Handler(params=wire.AgentParams, call=self._stop),
            methods.BACKGROUND.name: Handler(
                params=wire.AgentBackgroundParams, call=self._background
            ),
            methods.DISMISS.name: Handler(params=wire.AgentParams, call=self._dismiss),
            methods.COMPARE.name: Handler(params=wire.AgentParams, call=self._compare),
            methods.MERGE.name: Handler(params=wire.AgentParams, call=self._merge),
            methods.PRUNE.name: Handler(params=wire.AgentParams, call=self._prune),
        }

    async def _list(self, params: wire.AgentsListParams) -> wire.AgentsListResponse:
        if params.session_id is not None:
            shown = changed_of(self._session(params.session_id))
            return wire.AgentsListResponse(
                agents=shown.agents,
                foreground=shown.foreground,
                with_work=shown.with_work,
                viewing=shown.viewing,
                viewed=shown.viewed,
                revision=shown.revision,
            )
        every = [changed_of(session) for session in self._manager.open_sessions()]
        return wire.AgentsListResponse(
            agents=[row for one in every for row in one.agents],
            foreground=[row for one in every for row in one.foreground],
            with_work=[row for one in every for row in one.with_work],
            viewing=None,
            revision=0,
        )

    async def _view(self, params: wire.AgentViewParams) -> wire.AgentViewResponse:
        session, agent = self._session(params.session_id), AgentId(params.agent_id)
        session.roster.view(agent, params.viewer)
        entry = session.roster.row(agent).entry
        snapshot = await snapshot_of(session, params.since_seq, entry)
        row = row_to_wire(session.id, session.roster.row(agent))
        return wire.AgentViewResponse(row=row, snapshot=snapshot, prompt=entry.facts.prompt)

    async def _unview(self, params: wire.AgentsUnviewParams) -> Empty:
        self._session(params.session_id).roster.unview(params.viewer)
        return Empty()

    async def _send(self, params: wire.AgentSendParams) -> wire.AgentSendResponse:
        if not params.text.strip():
            raise SessionError("text: the message is empty.")
        agents = self._session(params.session_id).workbench.agents
        delivery = await agents.send(AgentId(params.agent_id), params.text)
        return wire.AgentSendResponse(delivery=delivery)

    async def _stop(self, params: wire.AgentParams) -> wire.AgentStopResponse:
        session, agent = self._session(params.session_id), AgentId(params.agent_id)
        session.roster.row(agent)  # says so when there is none
        stopped = await session.workbench.agents.stop(agent, STOPPED_BY_USER)
        return wire.AgentStopResponse(stopped=stopped)

    async def _background(self, params: wire.AgentBackgroundParams) -> wire.AgentMovedResponse:
        agents = self._session(params.session_id).workbench.agents
        return wire.AgentMovedResponse(
            moved=agents.move_to_background(ToolUseId(params.tool_call_id))
        )

    async def _dismiss(self, params: wire.AgentParams) -> Empty:
        self._session(params.session_id).roster.dismiss(AgentId(params.agent_id))
        return Empty()

    async def _compare(self, params: wire.AgentParams) -> wire.AgentCompareResponse:
        session, agent = self._session(params.session_id), AgentId(params.agent_id)
        files = await session.workbench.agents.trees.compare(agent)
        tree = session.data.agents[agent].facts.worktree
        return wire.AgentCompareResponse(
            branch="" if tree is None else tree.branch,
            files=[
                wire.AgentMergeFile(
                    path=each.path,
                    tree_path=each.tree_path,
                    action=each.action,
                    added=each.added,
                    removed=each.removed,
                    reason=each.reason,
                )
                for each in files
            ],
        )

    async def _merge(self, params: wire.AgentParams) -> wire.AgentMergeResponse:
        session = self._session(params.session_id)
        outcome = await session.workbench.agents.trees.merge(AgentId(params.agent_id))
        return wire.AgentMergeResponse(
            changed=list(outcome.changed),
            refused=[
                wire.AgentMergeRefusal(path=path, reason=why) for path, why in outcome.refused
            ],
        )

    async def _prune(self, params: wire.AgentParams) -> wire.AgentPruneResponse:
        session = self._session(params.session_id)
        branch = await session.workbench.agents.trees.remove(AgentId(params.agent_id))
        return wire.AgentPruneResponse(branch=branch)
