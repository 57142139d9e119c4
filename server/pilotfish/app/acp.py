"""``pilotfish acp``: the engine behind an Agent Client Protocol connection."""

import asyncio
import logging
import os
import sys
from typing import BinaryIO

from pilotfish.app.engine import EngineOptions, build_engine
from pilotfish.edges.acp.server import AcpConnection


def serve_acp() -> int:
    """Serve one ACP client on standard input and output; returns the exit code."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    stdin = os.fdopen(os.dup(0), "rb", buffering=1 << 16)
    stdout = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
    os.dup2(2, 1)
    asyncio.run(_serve(stdin, stdout))
    sys.stderr.flush()
    os._exit(0)


async def _serve(stdin: BinaryIO, stdout: BinaryIO) -> None:
    manager, equipper = build_engine(EngineOptions(environment=dict(os.environ)))
    equipper.warm_up()
    await AcpConnection(stdout, manager).run(stdin)
