"""What is left of copies that were killed.

A copy is written under another name until it is whole (``*.part``). Of one whose process was killed that file
stays, as long as the session that was copied.

Owns: finding and removing such files, and leaving those alone that somebody may be writing.
Does not own: the copying (``session.fork``, ``session.agent_transcripts``). Blocks on the disk.
"""

import logging
from pathlib import Path

logger = logging.getLogger(__name__)

LEFT_AFTER_S = 3600.0
"""Nobody writes a file any more that has not grown for so long."""

_PATTERNS = ("*/*.part", "*/*/*.part")
"""Of sessions, and of their agents."""


def remove_unfinished(projects: Path, now_ms: int) -> None:
    """Remove what killed copies have left in the folders of all projects; never raises.

    Args:
        projects: The folder of the projects' folders.
        now_ms: The time.
    """
    before = now_ms / 1000 - LEFT_AFTER_S
    for pattern in _PATTERNS:
        for path in projects.glob(pattern):
            try:
                if path.stat().st_mtime < before:
                    path.unlink()
                    logger.info("removed what a copy had left: %s", path)
            except OSError as error:
                logger.warning("%s stays: %s", path, error)
