"""A disk that is full: the old file stays, nothing is left beside it, and the reason is told.

On a file system of our own where we may mount one; a limit of the system stands in elsewhere
(``test_cut_off``).
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pilotfish.core.errors import WorkspaceError
from pilotfish.core.ids import MAIN_AGENT, SessionId, ToolUseId, TurnId
from pilotfish.ports.editor import NoEditor
from pilotfish.util.clock import SystemClock
from pilotfish.workspace.edit_pipeline import EditPipeline, WriteOrigin
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.history import FileHistory
from pilotfish.workspace.proposal import WholeText
from pilotfish.workspace.unfinished import UnfinishedWrites

from tests.support.cut_off import reports_of

SIZE = 256 * 1024
OLD = "old line\n" * 8_000
NEW = "new, longer line\n" * 18_000
ORIGIN = WriteOrigin(
    session_id=SessionId("s"), turn_id=TurnId("t"), agent_id=MAIN_AGENT, tool_use_id=ToolUseId("c")
)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path | None]:
    """A file system of 256 KiB; None where we may not mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    mounted = os.geteuid() == 0 and subprocess.run(command, check=False).returncode == 0
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def pipeline_of(home: Path) -> EditPipeline:
    return EditPipeline(
        editor=NoEditor(),
        history=FileHistory(home / "history", SystemClock()),
        unfinished=UnfinishedWrites(home / "unfinished"),
    )


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("home_is_full", [False, True])
async def test_a_full_disk_leaves_the_old_file(
    small_disk: Path | None, tmp_path: Path, linked: bool, home_is_full: bool
) -> None:
    if small_disk is None:
        kind = "full-in-place" if linked else "full-edit"
        for one in reports_of(kind, tmp_path):
            assert (one["content"], one["left"]) == ("old", [])
        return
    home = small_disk / "home" if home_is_full else tmp_path / "home"
    project = (tmp_path / "project" if home_is_full else small_disk / "project").resolve()
    project.mkdir()
    path = project / "a.txt"
    path.write_text(OLD)
    if linked:
        (project / "b.txt").hardlink_to(path)
    names = sorted(each.name for each in project.iterdir())
    if home_is_full:
        home.mkdir()
        (home / "ballast").write_bytes(bytes(SIZE - 64 * 1024))
    pipeline = pipeline_of(home)
    files = FileStates()
    files.record(path, (await pipeline.load(path)).state("read"))
    with pytest.raises(WorkspaceError, match="No space left on device"):
        await pipeline.apply(path, WholeText(text=NEW), files=files, origin=ORIGIN)
    assert path.read_text() == OLD
    assert sorted(each.name for each in project.iterdir()) == names
    assert list((home / "unfinished").glob("**/old")) == []
    # With room again, the same edit goes through.
    (small_disk / "home" / "ballast").unlink(missing_ok=True)
    smaller = WholeText(text="small\n")
    await pipeline.apply(path, smaller, files=files, origin=ORIGIN)
    assert path.read_text() == "small\n"
    if linked:
        assert (project / "b.txt").read_text() == "small\n"
    await pipeline.close()
