"""The trees of the files that were checked last: the next version of one costs little more than its change.

Owns: a small cache by file, shared by all who check; results are those of parsing anew.
Does not own: open documents (``codeintel.open_trees``), what is read from a tree (``codeintel.syntax``).
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from pilotfish.codeintel.open_trees import ParsedText, parse_again
from pilotfish.util.records import dataclass

T = TypeVar("T")

MAX_KEPT_BYTES = 600_000
"""Length of all texts whose trees are kept; trees take about 24 times as much memory."""


@dataclass(frozen=True)
class _Kept(Generic[T]):
    parsed: ParsedText
    found: T


class RecentTrees(Generic[T]):
    """What was found in the trees of texts. May be used by several threads."""

    def __init__(self, look: Callable[[ParsedText], T]) -> None:
        """Set it up.

        Args:
            look: Finds in a tree what is asked for.
        """
        self._look = look
        self._kept: OrderedDict[str, _Kept[T]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    @property
    def kept_bytes(self) -> int:
        """Length of the texts whose trees are kept."""
        return self._size

    def find(self, file: str, language: str, text: str, limit_s: float) -> T | None:
        """Return what is found in a file's text; None when it is too big or took too long. Blocks."""
        with self._lock:
            known = self._take(file)
        parsed = parse_again(known and known.parsed, language, text, limit_s)
        if parsed is None:
            return None
        found = known.found if known is not None and known.parsed is parsed else self._look(parsed)
        with self._lock:
            self._take(file)
            self._kept[file] = _Kept(parsed, found)
            self._size += len(parsed.data)
            while self._size > MAX_KEPT_BYTES:
                self._take(next(iter(self._kept)))
        return found

    def _take(self, file: str) -> _Kept[T] | None:
        known = self._kept.pop(file, None)
        if known is not None:
            self._size -= len(known.parsed.data)
        return known
