"""The end of a process.

Owns: leaving at once when everything that must be closed is closed.
"""

import os
import sys
from typing import NoReturn

from pilotfish.core.errors import PilotfishError
from pilotfish.util.visible import visible


def leave(code: int) -> NoReturn:
    """End the process, from inside the event loop.

    Leaving the interpreter takes a third of a second with the SDK loaded. It would also wait for
    every thread, and one that waits for a disk or a pipe in vain would keep the process for ever.
    """
    sys.stderr.flush()
    os._exit(code)


def leave_with(error: PilotfishError) -> NoReturn:
    """End a server that cannot start; the client shows what it said last."""
    sys.stderr.write(f"Pilotfish cannot start. {visible(str(error))}\n")
    leave(1)
