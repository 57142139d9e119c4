"""What an agent still knows of files after a restart.

Owns: rebuilding from the events which files were read or written, so that an edit that waited for
the user does not fail because nobody remembers the read.
Does not own: the rules of staleness (``workspace.loaded_file``).
"""

from collections.abc import Iterable
from pathlib import Path

from pilotfish.core.events import (
    ContextCleared,
    ConversationRewound,
    EventRecord,
    ToolFinished,
    ToolStarted,
)
from pilotfish.core.ids import ToolUseId
from pilotfish.workspace.file_state import FileState, FileStates

_FILE_TOOLS = frozenset({"Read", "Edit", "Write"})


def recall_files(records: Iterable[EventRecord], files: FileStates) -> None:
    """Record every file that is on disk as it was when a tool last read or wrote it. Blocking.

    A file that has changed since stays unknown: it must be read again before it is edited.
    """
    for path, time_ms in _last_seen(records).items():
        try:
            real_path = path.resolve()
            mtime_ns = real_path.stat().st_mtime_ns
        except OSError:
            continue
        # The result was recorded after the file was touched, in the clock's milliseconds.
        if mtime_ns <= (time_ms + 1) * 1_000_000:
            state = FileState(origin="edit", full=False, content_hash=None, mtime_ns=mtime_ns)
            files.record(real_path, state)


def _last_seen(records: Iterable[EventRecord]) -> dict[Path, int]:
    """Return when each file was last read or written with success, in the order of time."""
    started: dict[ToolUseId, Path] = {}
    seen: dict[Path, int] = {}
    for record in records:
        match record.event:
            case ToolStarted(tool=tool, locations=[place, *_]) if tool in _FILE_TOOLS:
                started[record.event.tool_use_id] = Path(place.path)
            case ToolFinished(tool_use_id=call, status="completed") if call in started:
                path = started.pop(call)
                seen.pop(path, None)
                seen[path] = record.time_ms
            case ContextCleared() | ConversationRewound():
                started.clear()
                seen.clear()
            case _:
                pass
    return seen
