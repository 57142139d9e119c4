"""Reading many files in worker processes.

Owns: dividing the work, running the workers through the governor, counting what is done, naming the file
that brought a worker down.
Does not own: reading (``reading``), which files and when (``workspace_index``).
"""

import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pilotfish.codeintel.index.layout import job_prefix
from pilotfish.codeintel.index.rows import Depth
from pilotfish.core.errors import ProcessError
from pilotfish.ports.processes import ProcessPort, ProcessResult, ProcessSpec
from pilotfish.util.records import dataclass

logger = logging.getLogger(__name__)

_WORKER = Path(__file__).with_name("worker.py")
"""The program that reads."""

_MAP_WORKER = Path(__file__).with_name("map_rows.py")
"""The program that works out the repository map."""

WORKERS = 2
"""Workers at a time: the rest of the machine is the user's."""

TIME_LIMIT_S = 300.0
"""How long one worker may take for its share."""

_MIN_SHARE = 32
"""Files for which starting one more worker is worth it."""

_MAX_OUTPUT_BYTES = 64 * 1024 * 1024

_MAX_WORDS_CHARS = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class BuildResult:
    """How the workers fared."""

    done: int
    """Files that were brought up to date."""
    stumbled: tuple[str, ...] = ()
    """Files that a worker was reading when it crashed or ran out of time."""
    problem: str = ""
    """Why work is left, in a few words; empty when none is."""


class Builder:
    """Runs the workers of one index."""

    def __init__(self, processes: ProcessPort, database: Path, root: Path) -> None:
        self._processes = processes
        self._database = database
        self._root = root

    async def read(
        self, paths: Sequence[str], depth: Depth, on_done: Callable[[int], None]
    ) -> BuildResult:
        """Bring files up to date; those at the front come first.

        Args:
            paths: Relative to the root.
            depth: How well they shall be known.
            on_done: Called with the number of files that are done so far.
        """
        share_count = max(1, min(WORKERS, os.cpu_count() or 1, len(paths) // _MIN_SHARE))
        counted = [0] * share_count

        def count(share: int, done: int) -> None:
            counted[share] = done
            on_done(sum(counted))

        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(
                    self._share(paths[at::share_count], depth, lambda done, at=at: count(at, done))
                )
                for at in range(share_count)
            ]
        results = [task.result() for task in tasks]
        return BuildResult(
            done=sum(one.done for one in results),
            stumbled=tuple(path for one in results for path in one.stumbled),
            problem=next((one.problem for one in results if one.problem), ""),
        )

    async def _share(
        self, paths: Sequence[str], depth: Depth, on_done: Callable[[int], None]
    ) -> BuildResult:
        report = _Report(on_done)
        try:
            result = await self._run_worker(paths, depth, report)
        except (OSError, ProcessError) as error:
            return BuildResult(done=0, problem=str(error))
        if result.ended_by == "itself" and result.exit_code == 0:
            return BuildResult(done=report.done)
        problem = report.last_words or (
            "a worker took too long" if result.ended_by == "timeout" else "a worker was ended"
        )
        logger.warning("the index of %s: %s", self._root, problem)
        stumbled = () if report.current is None else (paths[report.current],)
        return BuildResult(done=report.done, stumbled=stumbled, problem=problem)

    async def make_map(self) -> str:
        """Work out the order of definitions for the repository map; returns what went wrong."""
        report = _Report(lambda _: None)
        try:
            result = await self._run([str(_MAP_WORKER), str(self._database)], report)
        except ProcessError as error:
            return str(error)
        return "" if result.exit_code == 0 else report.last_words or "it was ended"

    async def _run_worker(
        self, paths: Sequence[str], depth: Depth, report: "_Report"
    ) -> ProcessResult:
        database = self._database
        with _new_job(database) as (job, file):
            with file:
                await asyncio.to_thread(lambda: file.write("\0".join(paths).encode()))
            arguments = [str(database), str(self._root), str(job), str(int(depth))]
            return await self._run([str(_WORKER), *arguments], report)

    async def _run(self, arguments: Sequence[str], report: "_Report") -> ProcessResult:
        return await self._processes.run(
            ProcessSpec(
                argv=[sys.executable, "-I", *arguments],
                cwd=self._database.parent,
                purpose="index",
                label=f"index of {self._root.name}",
                env={"PYTHONIOENCODING": "utf-8"},
                max_output_bytes=_MAX_OUTPUT_BYTES,
                on_output=report.take,
                keep_output=False,
            ),
            timeout_s=TIME_LIMIT_S,
        )


@contextmanager
def _new_job(database: Path) -> Generator[tuple[Path, BinaryIO]]:
    """Make a file for the names of what a worker shall read.

    It goes also where its writing is cancelled: a thread that still writes to it does not make it anew.
    """
    handle, name = tempfile.mkstemp(prefix=job_prefix(database), dir=database.parent)
    try:
        yield Path(name), os.fdopen(handle, "wb")
    finally:
        with suppress(OSError):  # it goes when the index is opened the next time
            Path(name).unlink(missing_ok=True)


class _Report:
    """Understands what a worker writes."""

    def __init__(self, on_done: Callable[[int], None]) -> None:
        self._on_done = on_done
        self._rest = b""
        self.done = 0
        self.current: int | None = None
        """The file that is being read, by its number in the list."""
        self.last_words = ""
        """The last line that is no report: what went wrong."""

    def take(self, chunk: bytes) -> None:
        """Take a piece of the output."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            sign, _, number = line.partition(b" ")
            if sign == b">" and number.isdigit():
                self.current = int(number)
            elif sign == b"+" and number.isdigit():
                self.done += int(number)
                self._on_done(self.done)
            elif line.strip():
                self.last_words = line.decode("utf-8", "replace").strip()[:_MAX_WORDS_CHARS]
