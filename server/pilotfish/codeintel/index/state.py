"""What an index is doing, for people.

Owns: the record and its sentence, why an index failed and what to do.
"""

import sqlite3
from pathlib import Path
from typing import Literal

from pilotfish.codeintel.index.layout import is_refused_by_disk
from pilotfish.util.os_reason import os_reason
from pilotfish.util.records import dataclass

IndexPhase = Literal["off", "starting", "names", "full", "ready", "reading", "failed"]
"""``names`` and ``full`` are the two passes; ``reading``: another process keeps the index."""


_WAY_OUT = "make room, or mend the permissions of its folder; it is tried again in a while"


def why_failed(file: Path, error: Exception) -> str:
    """Return why a database can be kept no longer, and what to do where something can be done."""
    if isinstance(error, OSError):
        return f"it cannot be kept: {os_reason(error)}; {_WAY_OUT}"
    if not isinstance(error, sqlite3.DatabaseError):
        return str(error)
    if is_refused_by_disk(error):
        return f"the disk takes nothing more of {file} ({error}); {_WAY_OUT}"
    return f"the database cannot be used: {error}"


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexState:
    """How far an index is."""

    phase: IndexPhase
    files: int = 0
    """Files that it knows, or is about to."""
    done: int = 0
    """Files of the present pass that are done."""
    total: int = 0
    """Files of the present pass."""
    left_out: int = 0
    """Files of code beyond the cap."""
    problem: str = ""
    """Why it does not work; empty when it does."""

    def describe(self) -> str:
        """Return it in a few words."""
        words = {
            "off": "off",
            "starting": "starting",
            "names": f"finding names, {self.done:,} of {self.total:,} files",
            "full": f"reading, {self.done:,} of {self.total:,} files; names are there",
            "ready": f"{self.files:,} files",
            "reading": "kept by another process",
            "failed": f"failed: {self.problem}",
        }[self.phase]
        if not self.left_out:
            return words
        return f"{words}; {self.left_out:,} files beyond the limit are left out"
