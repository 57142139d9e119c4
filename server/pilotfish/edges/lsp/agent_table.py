"""The methods of the agent channel that an editor may call.

Owns: putting the tables of all edges together for one engine.
Does not own: what the methods do, the methods of tests (``edges.testing_methods``).
"""

from typing import Any

from pilotfish.edges.agent_methods import AgentMethods
from pilotfish.edges.agent_type_methods import AgentTypeMethods
from pilotfish.edges.aside_methods import AsideMethods
from pilotfish.edges.channel import Handler, LatePeer
from pilotfish.edges.commands import CommandMethods
from pilotfish.edges.edits_methods import EditsMethods
from pilotfish.edges.lsp.asked_prompts import AskedPrompts
from pilotfish.edges.lsp.code_prompts import CodePrompts
from pilotfish.edges.lsp.editor import LspEditor
from pilotfish.edges.lsp.editor_context import EditorContext
from pilotfish.edges.mention_methods import MentionMethods
from pilotfish.edges.output_methods import OutputMethods
from pilotfish.edges.permission_methods import PermissionMethods
from pilotfish.edges.pilotfish_methods import PilotfishMethods
from pilotfish.edges.process_methods import ProcessMethods
from pilotfish.edges.queue_methods import QueueMethods
from pilotfish.edges.report_methods import ReportMethods
from pilotfish.edges.session_methods import SessionMethods
from pilotfish.edges.sessions_methods import SessionsMethods
from pilotfish.edges.task_methods import TaskMethods
from pilotfish.edges.terminals import ClientTerminals
from pilotfish.session.manager import SessionManager
from pilotfish.util.records import dataclass
from pilotfish.wire import methods
from pilotfish.wire.editor import EditorContextParams


@dataclass(frozen=True, kw_only=True, slots=True)
class EditorSide:
    """What the methods need of the connection."""

    peer: LatePeer
    client: dict[str, Any]
    """The client's capabilities of the agent channel; empty when it knows nothing of us."""
    context: EditorContext
    editor: LspEditor
    prompts: CodePrompts


def agent_table(
    manager: SessionManager, sessions: SessionMethods, side: EditorSide
) -> dict[str, Handler]:
    """Return the methods, and let the engine know what the client can do for it."""
    if side.client.get("terminal"):
        manager.offer_terminals(ClientTerminals(side.peer, manager.watch_outside))
    rules = PermissionMethods(manager, sessions.session, side.peer)
    if side.client:
        rules.follow()

    async def take_context(params: EditorContextParams) -> None:
        side.context.update(params)

    return {
        **sessions.handlers(),
        **PilotfishMethods(manager, sessions.session).handlers(),
        **SessionsMethods(manager).handlers(),
        **AsideMethods(sessions.session, side.peer).handlers(),
        **QueueMethods(sessions.session).handlers(),
        **rules.handlers(),
        **EditsMethods(sessions.session).handlers(),
        **TaskMethods(sessions.session).handlers(),
        **AgentMethods(manager, sessions.session).handlers(),
        **AgentTypeMethods(manager, sessions.session).handlers(),
        **CommandMethods(manager, sessions.session).handlers(),
        **ProcessMethods(manager).handlers(),
        **ReportMethods(manager, sessions.session).handlers(),
        **OutputMethods(manager).handlers(),
        **MentionMethods(manager, sessions.session, side.context.lately).handlers(),
        **AskedPrompts(side.prompts, manager, sessions.session, side.editor).handlers(),
        methods.EDITOR_CONTEXT.name: Handler(params=EditorContextParams, call=take_context),
    }
