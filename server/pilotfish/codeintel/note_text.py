"""How long a note about diagnostics may be.

Owns: the limits of design §6.5, shared by all that tell the model of diagnostics, and cutting to them.
"""

from collections.abc import Sequence

MAX_PER_FILE = 10
"""Diagnostics of one file in a note."""

MAX_PER_TURN = 30
"""Diagnostics in all notes of one turn."""

MAX_CHARS = 4_000
"""Longest note, in characters."""

_ROOM_FOR_REST = 60
"""Characters that the sentence on what was left out may take."""


def cut_note(parts: Sequence[str]) -> str:
    """Join the parts up to the limit; say how many were left out."""
    kept: list[str] = []
    size = 0
    for at, part in enumerate(parts):
        size += len(part) + 1
        if size > MAX_CHARS - _ROOM_FOR_REST:
            return "\n".join([*kept, f"({len(parts) - at} more, not shown)"])
        kept.append(part)
    return "\n".join(kept)
