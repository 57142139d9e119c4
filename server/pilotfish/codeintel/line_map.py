"""Line numbers of two versions of a text, brought to a common form.

Owns: telling whether a line before an edit and one after it are the same place.
"""

from collections.abc import Sequence

from pilotfish.util.line_diff import LineChange, text_changes

LineKey = tuple[str, int]
"""``("line", number in the new text)`` or ``("change", index of the changed run)``."""


class LineMap:
    """Built from both texts. Line numbers are from 1."""

    def __init__(self, old_text: str, new_text: str) -> None:
        self._changes: Sequence[LineChange] = text_changes(old_text, new_text)

    def old_key(self, line: int) -> LineKey:
        """Return the place of a line of the old text."""
        shift = 0
        for index, change in enumerate(self._changes):
            if line - 1 < change.old_start:
                break
            if line - 1 < change.old_end:
                return "change", index
            shift = change.new_end - change.old_end
        return "line", line + shift

    def new_key(self, line: int) -> LineKey:
        """Return the place of a line of the new text."""
        for index, change in enumerate(self._changes):
            if change.new_start <= line - 1 < change.new_end:
                return "change", index
        return "line", line
