"""What a session notes of an edit."""

import difflib
from collections.abc import Callable

from pilotfish.core.events import FileChanged, KeptEvent
from pilotfish.ports.editing import EditRecord

MAX_COUNTED_LINES = 20_000
"""Longer files are counted by their number of lines alone: a full comparison would take seconds."""


class FileChangeNotes:
    """Turns edits into events; implements ``ports.editing.EditObserver``."""

    def __init__(self, emit: Callable[[KeptEvent], None]) -> None:
        self._emit = emit

    def edited(self, record: EditRecord) -> None:
        """Emit the event of a write."""
        added, removed = count_lines(record.old_text or "", record.new_text)
        self._emit(
            FileChanged(
                path=str(record.path),
                tool_use_id=record.tool_use_id,
                checkpoint_id=record.checkpoint_id,
                added_lines=added,
                removed_lines=removed,
                created=record.old_text is None,
            )
        )


def count_lines(old: str, new: str) -> tuple[int, int]:
    """Return how many lines an edit added and removed."""
    before, after = old.splitlines(), new.splitlines()
    start = 0
    limit = min(len(before), len(after))
    while start < limit and before[start] == after[start]:
        start += 1
    tail = 0
    while tail < limit - start and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    before = before[start : len(before) - tail]
    after = after[start : len(after) - tail]
    if len(before) + len(after) > MAX_COUNTED_LINES:
        return max(len(after) - len(before), 0), max(len(before) - len(after), 0)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    return len(after) - same, len(before) - same
