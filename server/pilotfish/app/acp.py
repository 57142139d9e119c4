"""``pilotfish acp``: the engine behind an Agent Client Protocol connection."""

import logging
import os
import sys
from pathlib import Path
from typing import BinaryIO

from pilotfish.app.engine import EngineOptions, build_engine
from pilotfish.app.environment import take_environment
from pilotfish.app.leave import leave, leave_with
from pilotfish.core.errors import PilotfishError
from pilotfish.edges.acp.server import AcpConnection
from pilotfish.edges.localise import language_of
from pilotfish.util.loop_watch import run_watched


def serve_acp(*, record: str | None = None) -> None:
    """Serve one ACP client on standard input and output; ends the process."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    stdin = os.fdopen(os.dup(0), "rb", buffering=1 << 16)
    stdout = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
    os.dup2(2, 1)
    folder = None if record is None else Path(record).resolve()
    run_watched(_serve(stdin, stdout, folder))


async def _serve(stdin: BinaryIO, stdout: BinaryIO, record: Path | None) -> None:
    environment = take_environment()
    locale = language_of(environment)
    try:
        options = EngineOptions(environment=environment, record=record, locale=locale)
        manager, equipper = build_engine(options)
    except PilotfishError as error:
        leave_with(error)
    equipper.warm_up()
    await AcpConnection(stdout, manager, locale=locale).run(stdin)
    leave(0)
