"""An edit of a large file needs little memory beside the file."""

import tracemalloc
from pathlib import Path

import pytest
from pilotfish.core.ids import MAIN_AGENT, SessionId, ToolUseId, TurnId
from pilotfish.ports.editor import NoEditor
from pilotfish.util.clock import SystemClock
from pilotfish.workspace.edit_pipeline import EditPipeline, WriteOrigin
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.history import FileHistory
from pilotfish.workspace.matching import StringEdit
from pilotfish.workspace.proposal import Agreed
from pilotfish.workspace.snippets import snippet

LINES = 73_000
ORIGIN = WriteOrigin(
    session_id=SessionId("s"), turn_id=TurnId("t"), agent_id=MAIN_AGENT, tool_use_id=ToolUseId("c")
)


@pytest.mark.parametrize(
    ("line", "eol", "seen", "most"),
    [
        # What Python needs for a text: one byte a character up to Latin-1, then two, then four.
        ("a line of code", "\n", "whole", 1.6),
        ("a line of code", "\n", "part", 2.6),
        ("a line of code", "\r\n", "part", 2.6),
        ("une ligne abrégée", "\n", "part", 3.2),
        ("一行代码", "\n", "whole", 2.6),
        ("a line of \U0001f41f", "\n", "whole", 4.6),
    ],
)
async def test_an_edit_in_73_000_lines_needs_few_times_the_files_size(
    tmp_path: Path, line: str, eol: str, seen: str, most: float
) -> None:
    path = (tmp_path / "large.py").resolve()
    text = "".join(f"value_{at} = {at}  # {line}{eol}" for at in range(LINES))
    path.write_bytes(text.encode())
    expected = text.replace("value_36000 = 36000", "value_36000 = 0").encode()
    del text
    pipeline = EditPipeline(
        editor=NoEditor(), history=FileHistory(tmp_path / "history", SystemClock())
    )
    files = FileStates()
    loaded = await pipeline.load(path)
    files.record(path, loaded.state("read", full=seen == "whole"))
    del loaded
    change = StringEdit(
        old="value_36000 = 36000  # " + line + "\nvalue_36001",
        new="value_36000 = 0  # " + line + "\nvalue_36001",
    )
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        preview = (await pipeline.preview(path, change, files)).preview
        applied = await pipeline.apply(
            path, change, files=files, origin=ORIGIN, agreed=Agreed(preview=preview, places=(path,))
        )
        shown = snippet(applied.old_text or "", applied.new_text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    await pipeline.close()
    assert path.read_bytes() == expected
    assert f" 36001\tvalue_36000 = 0  # {line}" in shown
    assert (peak - before) / len(expected) < most
