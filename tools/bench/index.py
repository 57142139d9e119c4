"""Measurements of the workspace index: reading a library, one changed file, searching many symbols."""

import asyncio
import json
import os
import shutil
import sys
import sysconfig
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

from pilotfish.app.index_files import IgnoringLister
from pilotfish.codeintel.index.database import Database
from pilotfish.codeintel.index.layout import index_file
from pilotfish.codeintel.index.reading import read_files
from pilotfish.codeintel.index.rows import Depth, counts
from pilotfish.codeintel.index.workspace_index import IndexParts, WorkspaceIndex
from pilotfish.util.clock import SystemClock
from pilotfish.workspace.process import Governor
from pilotfish.workspace.search import Ripgrep

from tools.bench.rows import Row

RUNS = 3
CHANGED_FILES = 30
SYMBOLS = 500_000


async def passes() -> Row:
    """Both passes over Python's own library, against parsing alone."""
    names_s: list[float] = []
    full_s: list[float] = []
    map_s: list[float] = []
    files = symbols = 0
    with _library() as tree:
        for _ in range(RUNS):
            async with _index(tree) as index:
                began = time.perf_counter()
                assert await index.usable(120)
                names_s.append(time.perf_counter() - began)
                assert await index.map(120)
                map_s.append(time.perf_counter() - began)
                while index.state.phase != "ready":  # noqa: ASYNC110 - a measurement
                    await asyncio.sleep(0.02)
                full_s.append(time.perf_counter() - began)
                files, _, symbols = await index.ask(counts) or (0, 0, 0)
        parsing = await _run("parse", str(tree))
    return Row(
        name="index of Python's library: names usable / map ready / all read",
        value=f"{median(names_s):.1f} / {median(map_s):.1f} / {median(full_s):.1f} s"
        f" ({files / median(names_s):,.0f} and {files / median(full_s):,.0f} files a second)",
        aim="≥ 2,000 files a second (names)",
        baseline=f"parsing alone, one process: {parsing['seconds']:.1f} s",
        note=f"median of {RUNS}; {files:,} files, {symbols:,} symbols, two workers",
    )


async def one_changed_file() -> Row:
    """A file of usual size read again, in the index of Python's library."""
    times: list[float] = []
    with _library() as tree, tempfile.TemporaryDirectory() as folder:
        chosen = sorted(
            path for path in tree.rglob("*.py") if 10_000 < path.stat().st_size < 40_000
        )[::7][:CHANGED_FILES]
        database = Database(Path(folder) / "x.sqlite")
        database.open()
        paths = [path.relative_to(tree).as_posix() for path in chosen]
        database.write(lambda writer: read_files(writer, tree, paths, depth=Depth.FULL))
        for path, relative in zip(chosen, paths, strict=True):
            path.write_bytes(path.read_bytes() + b"\n\ndef new_here(): ...\n")
            began = time.perf_counter()
            database.write(
                lambda writer, one=relative: read_files(writer, tree, [one], depth=Depth.FULL)
            )
            times.append((time.perf_counter() - began) * 1000)
        database.close()
    return Row(
        name="one changed file read again (10 to 40 kB)",
        value=f"{median(times):.0f} ms",
        aim="≤ 30 ms",
        note=f"median of {len(times)}, {min(times):.0f} to {max(times):.0f}",
    )


async def symbols() -> Row:
    """Symbols by a part of their name, among half a million."""
    found = await _run("symbols", str(SYMBOLS))
    return Row(
        name=f"symbols by a part of their name, {SYMBOLS:,} symbols",
        value=f"{found['median_ms']:.1f} ms, the slowest query {found['worst_ms']:.0f} ms, "
        f"{found['memory_mb']:.0f} MB",
        aim="≤ 30 ms, ≤ 300 MB",
        baseline=f"one pass of a regular expression over the names: {found['regex_ms']:.0f} ms",
        note=f"{found['queries']:.0f} queries, 95 % below {found['slow_ms']:.1f} ms; "
        f"table made in {found['build_s']:.1f} s, in the background",
    )


async def _run(what: str, argument: str) -> dict[str, float]:
    """Measure in a process of its own, so that memory and processor are its own, too."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tools.bench.index_child", what, argument,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, _ = await process.communicate()
    result: dict[str, float] = json.loads(output)
    return result


class _library:  # noqa: N801 - used as a function
    """A copy of Python's library without what was installed beside it."""

    def __enter__(self) -> Path:
        self._folder = tempfile.TemporaryDirectory()
        target = Path(self._folder.name) / "Lib"
        shutil.copytree(
            sysconfig.get_path("stdlib"),
            target,
            ignore=shutil.ignore_patterns("site-packages", "__pycache__"),
        )
        return target

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


@asynccontextmanager
async def _index(root: Path) -> AsyncGenerator[WorkspaceIndex]:
    governor = Governor(SystemClock())
    search = Ripgrep(governor, environment={"PATH": os.environ["PATH"]})
    with tempfile.TemporaryDirectory() as folder:
        parts = IndexParts(
            state_folder=Path(folder), processes=governor, list_files=IgnoringLister(search)
        )
        index = WorkspaceIndex(root, parts)
        try:
            yield index
        finally:
            await index.close()
            await governor.close()
            assert index_file(Path(folder), root).exists()


MEASURES = (passes, one_changed_file, symbols)
