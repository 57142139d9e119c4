"""The process's environment, and keeping its secrets from other programs.

Owns: taking the environment once, and hiding the keys in it afterwards. Commands of the agent run as
the same user and may look at this process: its environment as the system shows it
(``/proc/<pid>/environ``, ``ps eww``) and, where the system lets them, its memory.
Does not own: which variables are secret (``tools.shell_environment``), what a command inherits (there too).

What this cannot hide: the environment of the programs that started this one, and anything from a
command that runs as root.
"""

import ctypes
import logging
import os
import sys

from pilotfish.tools.shell_environment import is_secret

logger = logging.getLogger(__name__)

_PR_SET_DUMPABLE = 4
"""Linux: whether the same user's other processes may read memory and environment of this one."""


def take_environment() -> dict[str, str]:
    """Return the environment with its secrets; from here on other programs cannot read them."""
    taken = dict(os.environ)
    secrets = {name: value for name, value in taken.items() if is_secret(name, value)}
    if secrets and sys.platform != "win32":
        _hide(secrets)
    return taken


def _hide(secrets: dict[str, str]) -> None:
    library = ctypes.CDLL(None)
    library.getenv.restype = ctypes.c_void_p
    for name, value in secrets.items():
        # The system shows the memory that the environment came in, so removing is not enough.
        address = library.getenv(os.fsencode(name))
        if address:
            ctypes.memset(address, ord("*"), len(os.fsencode(value)))
        del os.environ[name]
    if sys.platform == "linux" and library.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        logger.warning("other processes of this user may read this one's memory")
