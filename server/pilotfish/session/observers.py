"""What a session notes of an edit."""

from collections.abc import Callable

from pilotfish.core.events import FileChanged, KeptEvent
from pilotfish.ports.editing import EditRecord
from pilotfish.workspace.snippets import count_changed_lines


class FileChangeNotes:
    """Turns edits into events; implements ``ports.editing.EditObserver``."""

    def __init__(self, emit: Callable[[KeptEvent], None]) -> None:
        self._emit = emit

    def edited(self, record: EditRecord) -> None:
        """Emit the event of a write."""
        added, removed = count_changed_lines(record.old_text or "", record.new_text)
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
