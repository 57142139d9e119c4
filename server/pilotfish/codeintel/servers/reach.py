"""What a conversation has to reach language servers by.

Owns: the record.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from pilotfish.codeintel.servers.access import ServerAccess
from pilotfish.codeintel.servers.documents import Opener
from pilotfish.codeintel.servers.pool import ServerPool
from pilotfish.codeintel.servers.refresh import Read
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Reach:
    """One per conversation."""

    pool: ServerPool
    """The servers of this process."""
    access: Callable[[], ServerAccess]
    """Returns what the session's settings permit now."""
    read: Read
    """Returns a file's text from where it is true; may block."""
    opener: Opener
    """For whom documents are opened."""
    held: Callable[[], Sequence[Path]] = tuple
    """Returns the files that an editor holds: their text may be another than on the disk."""
