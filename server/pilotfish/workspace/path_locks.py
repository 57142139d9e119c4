"""One writer per file.

Owns: the locks that put edits of one file in order, across all agents of the process.
"""

from pathlib import Path

from pilotfish.util.keyed_locks import KeyedLocks


class PathLocks(KeyedLocks[Path]):
    """A lock for each real path that is in use."""
