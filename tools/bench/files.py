"""Measurements of the file tools: searching a large tree, editing a large file."""

import asyncio
import sysconfig
import tempfile
import time
import tracemalloc
from pathlib import Path
from statistics import median

from pilotfish.core.ids import MAIN_AGENT, SessionId, ToolUseId, TurnId
from pilotfish.ports.editor import NoEditor
from pilotfish.util.clock import SystemClock
from pilotfish.workspace.edit_pipeline import EditPipeline
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.history import FileHistory, WriteOrigin
from pilotfish.workspace.matching import StringEdit
from pilotfish.workspace.process import Governor
from pilotfish.workspace.proposal import Agreed
from pilotfish.workspace.search import GrepQuery, Ripgrep
from pilotfish.workspace.snippets import snippet

from tools.bench.rows import Row

RUNS = 9
LINES = 73_000
PATTERN = r"def \w+_name\("

ORIGIN = WriteOrigin(
    session_id=SessionId("s"), turn_id=TurnId("t"), agent_id=MAIN_AGENT, tool_use_id=ToolUseId("c")
)


async def grep_tree() -> Row:
    """Grep over Python's own library, against plain ripgrep as a process."""
    tree = Path(sysconfig.get_path("stdlib"))
    governor = Governor(SystemClock())
    ours: list[float] = []
    plain: list[float] = []
    lines = 0
    try:
        search = Ripgrep(governor, environment={"PATH": "/usr/local/bin:/usr/bin:/bin"})
        program = await search.program.find()
        for _ in range(RUNS):
            began = time.perf_counter()
            found = await search.grep(GrepQuery(pattern=PATTERN, path=tree, mode="content"))
            lines = len(found.hits)
            ours.append((time.perf_counter() - began) * 1000)
            began = time.perf_counter()
            process = await asyncio.create_subprocess_exec(
                str(program), "--hidden", "--line-number", PATTERN, ".",
                cwd=tree, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            await process.communicate()
            plain.append((time.perf_counter() - began) * 1000)
    finally:
        await governor.close()
    ratio = median(a / b for a, b in zip(ours, plain, strict=True))
    return Row(
        name="Grep over Python's library",
        value=f"{median(ours):.0f} ms",
        aim="≤ 1.2 × ripgrep",
        baseline=f"{ratio:.2f} × plain ripgrep ({median(plain):.0f} ms)",
        note=f"median of {RUNS} pairs, {lines} lines",
    )


async def edit_large_file() -> Row:
    """Edit of one line in a file of 73,000, through the whole pipeline on disk."""
    return await _edit_large("edit of a 73,000-line file", "a line of code")


async def edit_large_foreign_file() -> Row:
    """The same with letters beyond English ones in every line."""
    return await _edit_large("the same with accented letters", "une ligne abrégée, déjà vérifiée")


async def _edit_large(name: str, comment: str) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.py"
        text = "".join(f"value_{at} = {at}  # {comment}\n" for at in range(LINES))
        path.write_text(text, "utf-8")
        del text
        size = path.stat().st_size
        pipeline = EditPipeline(
            editor=NoEditor(), history=FileHistory(Path(folder) / "history", SystemClock())
        )
        files = FileStates()
        loaded = await pipeline.load(path)
        # As after a look at a part of it, which is what a model gets to see of a large file.
        files.record(loaded.real_path, loaded.state("read", full=False))
        del loaded
        peak = await _peak_of_edit(pipeline, path, files)
        times: list[float] = []
        for at in range(RUNS):
            began = time.perf_counter()
            await _edit(pipeline, path, files, LINES // 2 + at)
            times.append((time.perf_counter() - began) * 1000)
        await pipeline.close()
    return Row(
        name=name,
        value=f"{median(times):.0f} ms",
        aim="≤ 100 ms, ≤ 3 × its size in memory",
        baseline=f"peak grew by {peak / size:.1f} × the file ({size / 1e6:.1f} MB)",
        note=f"median of {RUNS}, {min(times):.0f} to {max(times):.0f}",
    )


async def _edit(pipeline: EditPipeline, path: Path, files: FileStates, line: int) -> None:
    """Do what a tool does: work out the change to show it, then make it."""
    change = StringEdit(old=f"value_{line} = {line} ", new=f"value_{line} = {-line} ")
    preview = (await pipeline.preview(path, change, files)).preview
    applied = await pipeline.apply(
        path, change, files=files, origin=ORIGIN, agreed=Agreed(preview=preview, places=(path,))
    )
    snippet(applied.old_text or "", applied.new_text)


async def _peak_of_edit(pipeline: EditPipeline, path: Path, files: FileStates) -> int:
    """Return by how many bytes the memory in use grows at most during an edit."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        await _edit(pipeline, path, files, LINES // 2 - 1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak - before


MEASURES = (grep_tree, edit_large_file, edit_large_foreign_file)
