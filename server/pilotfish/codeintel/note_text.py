"""How long a note about diagnostics may be.

Owns: the limits of design §6.5, shared by all that tell the model of diagnostics, and cutting to them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pilotfish.core.ids import TurnId
from pilotfish.util.records import dataclass

MAX_PER_FILE = 10
"""Diagnostics of one file in a note, when no setting says otherwise."""

MAX_PER_TURN = 30
"""Diagnostics in all notes of one turn, when no setting says otherwise."""

MAX_CHARS = 4_000
"""Longest note, in characters."""

_ROOM_FOR_REST = 60
"""Characters that the sentence on what was left out may take."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NoteLimits:
    """How much is told."""

    per_file: int = MAX_PER_FILE
    per_turn: int = MAX_PER_TURN


class TurnRoom:
    """What may still be told in a turn; one per agent, for all that tell it of diagnostics."""

    def __init__(self, limits: Callable[[], NoteLimits] = NoteLimits) -> None:
        self._limits = limits
        self._turn: TurnId | None = None
        self._told = 0

    def begin(self, turn: TurnId) -> None:
        """Make room when it is another turn."""
        if turn != self._turn:
            self._turn, self._told = turn, 0

    def take(self, wanted: int) -> int:
        """Return how many of a file's may be told, and count them as told."""
        limits = self._limits()
        taken = max(0, min(wanted, limits.per_file, limits.per_turn - self._told))
        self._told += taken
        return taken

    def pick(self, files: Iterable[Path]) -> list[int]:
        """Return which of some may be told, and count them as told.

        Args:
            files: The file that each is in; who is to be told of first comes first.

        Returns:
            The places of those that may be told.
        """
        limits = self._limits()
        in_file = Counter[Path]()
        picked: list[int] = []
        for place, file in enumerate(files):
            if self._told >= limits.per_turn:
                break
            if in_file[file] < limits.per_file:
                in_file[file] += 1
                self._told += 1
                picked.append(place)
        return picked


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
