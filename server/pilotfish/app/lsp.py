"""The engine behind an LSP connection."""

import asyncio
import os
from typing import Any, BinaryIO

from pilotfish.app.engine import EngineOptions, build_engine
from pilotfish.edges.lsp.server import ClientFacts, Connection
from pilotfish.ports.editor import EditorPort
from pilotfish.session.manager import SessionManager


def run_connection(
    initialize: dict[str, Any], stdin: BinaryIO, stdout: BinaryIO, *, testing: bool
) -> int:
    """Serve a connection whose handshake is done; returns the exit code."""
    return asyncio.run(_serve(initialize, stdin, stdout, testing=testing))


async def _serve(
    initialize: dict[str, Any], stdin: BinaryIO, stdout: BinaryIO, *, testing: bool
) -> int:
    connection = Connection(initialize, stdout, _build, testing=testing)
    return await connection.run(stdin)


async def _build(facts: ClientFacts, editor: EditorPort) -> SessionManager:
    manager, equipper = build_engine(
        EngineOptions(
            environment=dict(os.environ),
            editor=editor,
            roots=facts.roots,
            editor_settings=facts.settings,
            trusted_by_editor=facts.trusted,
        )
    )
    equipper.warm_up()
    return manager
