"""``pilotfish serve``: the editor's server.

Owns: the order of the start. The editor gets its answer to ``initialize`` first; the protocol's
types, the engine and at last the model's SDK are loaded behind it.

Imported before anything heavy: only the handshake is imported at module level.
"""

import logging
import os
import sys
from typing import Any, BinaryIO

from pilotfish.edges.lsp.greeting import greet


def serve(*, testing: bool, record: str | None = None) -> int:
    """Serve one editor on standard input and output; returns the exit code."""
    stdin, stdout = _claim_streams()
    initialize = greet(stdin, stdout, testing=testing)
    if initialize is None:
        return 1
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    _run(initialize, stdin, stdout, testing=testing, record=record)
    return 0


def _claim_streams() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for the protocol; stray prints go to standard error."""
    stdin = os.fdopen(os.dup(0), "rb", buffering=1 << 16)
    stdout = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return stdin, stdout


def _run(
    initialize: dict[str, Any],
    stdin: BinaryIO,
    stdout: BinaryIO,
    *,
    testing: bool,
    record: str | None,
) -> None:
    from pilotfish.app.lsp import run_connection  # noqa: PLC0415 - loaded after the handshake

    run_connection(initialize, stdin, stdout, testing=testing, record=record)
