"""How much the server logs, as the editor's log channel wants it.

Owns: from the editor's level to ours. Libraries stay at warnings: what they say of a request is no
business of a log that people pass on.
"""

import logging
from typing import Any

_LEVELS = {
    "off": logging.CRITICAL,
    "error": logging.ERROR,
    "warning": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
    "trace": logging.DEBUG,
}


def set_log_level(wanted: Any) -> None:
    """Take over a level at once; anything unknown changes nothing."""
    level = _LEVELS.get(wanted) if isinstance(wanted, str) else None
    if level is not None:
        logging.getLogger("pilotfish").setLevel(level)
