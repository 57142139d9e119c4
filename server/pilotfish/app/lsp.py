"""The engine behind an LSP connection."""

from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from pilotfish.app.engine import EngineOptions, build_engine
from pilotfish.app.environment import take_environment
from pilotfish.app.leave import leave, leave_with
from pilotfish.core.errors import PilotfishError
from pilotfish.edges.lsp.client_facts import ClientFacts
from pilotfish.edges.lsp.server import Connection
from pilotfish.ports.editor import EditorPort
from pilotfish.session.manager import SessionManager
from pilotfish.util.forced_clock import ForcedClock
from pilotfish.util.loop_watch import run_watched


def run_connection(
    initialize: dict[str, Any],
    stdin: BinaryIO,
    stdout: BinaryIO,
    *,
    testing: bool,
    record: str | None = None,
) -> None:
    """Serve a connection whose handshake is done; ends the process."""
    folder = None if record is None else Path(record).resolve()
    run_watched(_serve(initialize, stdin, stdout, testing=testing, record=folder))


async def _serve(
    initialize: dict[str, Any],
    stdin: BinaryIO,
    stdout: BinaryIO,
    *,
    testing: bool,
    record: Path | None,
) -> None:
    clock = ForcedClock() if testing else None
    connection = Connection(initialize, stdout, partial(_build, record, clock), testing=clock)
    try:
        code = await connection.run(stdin)
    except PilotfishError as error:
        leave_with(error)
    leave(code)


async def _build(
    record: Path | None, clock: ForcedClock | None, facts: ClientFacts, editor: EditorPort
) -> SessionManager:
    manager, equipper = build_engine(
        EngineOptions(
            environment=take_environment(),
            editor=editor,
            record=record,
            clock=clock,
            roots=facts.roots,
            editor_settings=facts.settings,
            usual_settings=facts.usual,
            trusted_by_editor=facts.trusted,
            ripgrep=facts.ripgrep,
            locale=facts.locale,
        )
    )
    equipper.warm_up()
    return manager
