"""How long a report on diagnostics may be.

Owns: the limits of design §6.5, shared by all that tell the model of diagnostics, and cutting to them.

The characters are those of one report, not of a turn: what comes late has as much room as what came at
once. Within a report, who has little to say leaves the rest of its share to the others.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pilotfish.core.ids import TurnId
from pilotfish.util.records import dataclass
from pilotfish.util.text_span import shortened

MAX_PER_FILE = 10
"""Diagnostics of one file in a note, when no setting says otherwise."""

MAX_PER_TURN = 30
"""Diagnostics in all notes of one turn, when no setting says otherwise."""

MAX_CHARS = 4_000
"""Longest report, in characters, whoever has a part in it."""

_ROOM_FOR_REST = 40
"""Characters that a sentence on what was left out may take."""

_HEAD_CHARS = 300
"""Longest first line of a section: it names who found what follows."""


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """What one has to tell in a report."""

    head: str
    lines: Sequence[str] = ()
    """What was found, first what must be heard first; where there is no room the last are left out."""
    hidden: int = 0
    """What is counted besides, and not told."""
    remarks: Sequence[str] = ()
    """What else must be heard, however much was found; stands at the end."""

    @property
    def size(self) -> int:
        """How long it would be if there was room for all."""
        parts = (self.head, *self.lines, *self.remarks)
        return sum(len(part) + 1 for part in parts) + 2 * _ROOM_FOR_REST

    def cut(self, limit: int) -> str:
        """Return the text, not longer than the limit; says how much was left out."""
        head = shortened(self.head, _HEAD_CHARS)
        room = limit - len(head) - 2 * _ROOM_FOR_REST
        for_lines = sum(len(line) + 1 for line in self.lines)
        remarks = _fitting(self.remarks, max(room // 2, room - for_lines))
        lines = _fitting(self.lines, room - sum(len(remark) + 1 for remark in remarks))
        hidden = self.hidden + len(self.lines) - len(lines)
        unsaid = len(self.remarks) - len(remarks)
        parts = [
            head,
            *lines,
            f"({hidden} more, not shown)" if hidden else "",
            *remarks,
            f"({unsaid} more remarks, not shown)" if unsaid else "",
        ]
        return "\n".join(part for part in parts if part)


def report_of(sections: Sequence[Section]) -> str:
    """Join what all have to tell, within the limit: each has an equal share, and what others leave."""
    texts: dict[int, str] = {}
    left = MAX_CHARS
    by_size = sorted(range(len(sections)), key=lambda at: sections[at].size)
    for done, at in enumerate(by_size):
        texts[at] = sections[at].cut(left // (len(sections) - done) - 1)
        left -= len(texts[at]) + 1
    return "\n".join(texts[at] for at in range(len(sections)))


def _fitting(lines: Sequence[str], room: int) -> Sequence[str]:
    """Return the first lines that there is room for."""
    for at, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return lines[:at]
    return lines
