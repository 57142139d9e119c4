"""The engine behind an LSP connection."""

import asyncio
from typing import Any, BinaryIO

from pilotfish.app.engine import EngineOptions, build_engine
from pilotfish.app.environment import take_environment
from pilotfish.app.leave import leave, leave_with
from pilotfish.core.errors import PilotfishError
from pilotfish.edges.lsp.server import ClientFacts, Connection
from pilotfish.ports.editor import EditorPort
from pilotfish.session.manager import SessionManager


def run_connection(
    initialize: dict[str, Any], stdin: BinaryIO, stdout: BinaryIO, *, testing: bool
) -> None:
    """Serve a connection whose handshake is done; ends the process."""
    asyncio.run(_serve(initialize, stdin, stdout, testing=testing))


async def _serve(
    initialize: dict[str, Any], stdin: BinaryIO, stdout: BinaryIO, *, testing: bool
) -> None:
    connection = Connection(initialize, stdout, _build, testing=testing)
    try:
        code = await connection.run(stdin)
    except PilotfishError as error:
        leave_with(error)
    leave(code)


async def _build(facts: ClientFacts, editor: EditorPort) -> SessionManager:
    manager, equipper = build_engine(
        EngineOptions(
            environment=take_environment(),
            editor=editor,
            roots=facts.roots,
            editor_settings=facts.settings,
            trusted_by_editor=facts.trusted,
        )
    )
    equipper.warm_up()
    return manager
