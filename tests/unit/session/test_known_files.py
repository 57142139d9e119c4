"""After a restart an edit that waited for the user still knows which files were read."""

import os
from pathlib import Path

import pytest
from pilotfish.core.calls import Location, ToolStatus
from pilotfish.core.events import EventRecord, KeptEvent, ToolFinished, ToolStarted
from pilotfish.core.ids import MAIN_AGENT, ToolUseId
from pilotfish.core.messages import TextBlock
from pilotfish.session.known_files import KnownFiles, recall_files
from pilotfish.workspace.file_state import FileStates

SEEN_MS = 1_700_000_000_000


def record(event: KeptEvent) -> EventRecord:
    return EventRecord(seq=1, time_ms=SEEN_MS, event=event, agent_id=MAIN_AGENT)


def call(path: Path, tool: str = "Read", status: ToolStatus = "completed") -> list[EventRecord]:
    started = ToolStarted(
        tool_use_id=ToolUseId(f"{tool} {path}"),
        tool=tool,
        title="",
        kind="read",
        input={},
        locations=(Location(path=str(path)),),
    )
    finished = ToolFinished(
        tool_use_id=started.tool_use_id, status=status, content=(TextBlock(text="x"),)
    )
    return [record(started), record(finished)]


def recall(records: list[EventRecord], files: FileStates) -> None:
    known = KnownFiles()
    for one in records:
        known.apply(one)
    recall_files(known, files)


def file(tmp_path: Path, name: str, *, changed_ms: int) -> Path:
    path = tmp_path / name
    path.write_text("x", encoding="utf-8")
    os.utime(path, ns=(changed_ms * 1_000_000, changed_ms * 1_000_000))
    return path


@pytest.mark.parametrize(
    "tool", ["Read", "Edit", "MultiEdit", "Write", "NotebookRead", "NotebookEdit"]
)
def test_a_file_that_is_as_it_was_seen_is_known(tmp_path: Path, tool: str) -> None:
    path = file(tmp_path, "a", changed_ms=SEEN_MS - 5)
    files = FileStates()
    recall(call(path, tool), files)
    assert files.get(path.resolve()) is not None


def test_a_file_that_changed_since_must_be_read_again(tmp_path: Path) -> None:
    path = file(tmp_path, "a", changed_ms=SEEN_MS + 1_000)
    files = FileStates()
    recall(call(path), files)
    assert len(files) == 0


def test_a_call_that_failed_and_a_command_teach_nothing(tmp_path: Path) -> None:
    path = file(tmp_path, "a", changed_ms=SEEN_MS - 5)
    files = FileStates()
    recall(call(path, status="failed") + call(path, tool="Bash"), files)
    recall(call(tmp_path / "gone"), files)
    assert len(files) == 0
