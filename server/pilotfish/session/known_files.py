"""What an agent still knows of files after a restart.

Owns: rebuilding from the events which files were read or written, so that an edit that waited for
the user does not fail because nobody remembers the read.
Does not own: the rules of staleness (``workspace.loaded_file``).
"""

from dataclasses import field
from pathlib import Path

from pilotfish.core.events import (
    ContextCleared,
    ConversationRewound,
    EventRecord,
    ToolFinished,
    ToolStarted,
)
from pilotfish.core.ids import ToolUseId
from pilotfish.util.records import dataclass
from pilotfish.workspace.file_state import FileState, FileStates

_FILE_TOOLS = frozenset({"Read", "Edit", "MultiEdit", "Write", "NotebookRead", "NotebookEdit"})
"""Tools after which the agent knows the first file that they name."""


MAX_SEEN = 500
"""Files that are remembered; more than an agent keeps in mind at once."""


@dataclass
class KnownFiles:
    """Which files the agent has seen, and when; a fold."""

    seen: dict[Path, int] = field(default_factory=dict[Path, int])
    """When each file was last read or written with success, in the order of time."""
    started: dict[ToolUseId, Path] = field(default_factory=dict[ToolUseId, Path])

    def apply(self, record: EventRecord) -> None:
        """Take an event into account."""
        match record.event:
            case ToolStarted(tool=tool, locations=[place, *_]) if tool in _FILE_TOOLS:
                self.started[record.event.tool_use_id] = Path(place.path)
            case ToolFinished(tool_use_id=call, status=status) if call in self.started:
                path = self.started.pop(call)
                if status == "completed":
                    self.seen.pop(path, None)
                    self.seen[path] = record.time_ms
                    if len(self.seen) > MAX_SEEN:
                        del self.seen[next(iter(self.seen))]
            case ContextCleared(kept_from=None) | ConversationRewound():
                self.started.clear()
                self.seen.clear()
            case _:
                pass


def recall_files(known: KnownFiles, files: FileStates) -> None:
    """Record every file that is on disk as it was when a tool last read or wrote it. Blocking.

    A file that has changed since stays unknown: it must be read again before it is edited.
    """
    for path, time_ms in known.seen.items():
        try:
            real_path = path.resolve()
            mtime_ns = real_path.stat().st_mtime_ns
        except OSError:
            continue
        # The result was recorded after the file was touched, in the clock's milliseconds.
        if mtime_ns <= (time_ms + 1) * 1_000_000:
            state = FileState(origin="edit", full=False, content_hash=None, mtime_ns=mtime_ns)
            files.record(real_path, state)
