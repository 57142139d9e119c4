"""Reading by the workers and reading of what has changed meanwhile."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pilotfish.codeintel.index.build import Builder, BuildResult
from pilotfish.codeintel.index.intake import FEW_FILES
from pilotfish.codeintel.index.layout import connect
from pilotfish.codeintel.index.reading import read_files
from pilotfish.codeintel.index.rows import Depth

from tests.support.index_stage import IndexStage

LATE = "m3.py"
"""The file that changes between being read by a worker and being written by it."""


async def test_what_a_worker_read_before_a_change_does_not_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with IndexStage.open(tmp_path) as stage:
        before = tmp_path / "before"
        for number in range(FEW_FILES + 10):
            stage.write(f"more/m{number}.py", f"def old_{number:02}(): ...\n")
        shutil.copytree(stage.root, before)
        for number in range(FEW_FILES + 10):
            stage.write(f"more/m{number}.py", "")
        await stage.watching()
        real = Builder.read

        async def read_slowly(
            self: Builder, paths: Sequence[str], depth: Depth, on_done: Callable[[int], None]
        ) -> BuildResult:
            if depth is Depth.NAMES or f"more/{LATE}" not in paths:
                return await real(self, paths, depth, on_done)
            monkeypatch.setattr(Builder, "read", real)
            stage.write(f"more/{LATE}", "def changed(): ...\n")
            await stage.until_names(lambda names: "changed" in names)
            writer = connect(self._database)
            read_files(writer, before, paths, depth=depth)
            writer.close()
            return BuildResult(done=len(paths))

        monkeypatch.setattr(Builder, "read", read_slowly)
        shutil.copytree(before / "more", stage.root / "more", dirs_exist_ok=True)
        olds = {f"old_{number:02}" for number in range(FEW_FILES + 10)} - {"old_03"}
        await stage.until_names(lambda names: set(names) == olds | {"changed"})
        await stage.ready()
        assert Builder.read is real
        await stage.until_names(lambda names: set(names) == olds | {"changed"})
