"""What is told of an index that is kept no longer, and when it is tried again."""

import asyncio
from itertools import count
from pathlib import Path

import pytest
from pilotfish.app.index_files import IgnoringLister
from pilotfish.codeintel.index import waits
from pilotfish.codeintel.index.layout import index_file
from pilotfish.codeintel.index.selection import Listing
from pilotfish.core.errors import WorkspaceError
from pilotfish.ports.code import Position

from tests.support.index_stage import IndexStage
from tests.support.waiting import until


async def test_an_index_that_worked_and_then_failed_says_so_with_its_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with IndexStage.open(tmp_path) as stage:
        path = stage.write("a.py", "def found(): ...\nfound()\n")
        await stage.watching()
        index = await stage.ready()

        async def no_listing(*_: object) -> Listing:
            raise WorkspaceError("ripgrep is gone")

        monkeypatch.setattr(IgnoringLister, "__call__", no_listing)
        stage.write("fresh.py", "def fresh(): ...\n")
        await until(lambda: index.state.phase == "failed")
        why = "the workspace index has failed: ripgrep is gone"
        assert await stage.names("fresh") == []
        assert await stage.source.failures(None) == [why]
        assert await stage.source.locate("definition", path, Position(1, 1))
        assert await stage.source.failures(path) == [why]
        assert await stage.source.failures(path) == [], "it was that question's"
        for ask in (
            stage.source.locate("implementation", path, Position(1, 1)),
            stage.source.document_symbols(path),
        ):
            assert await stage.names("found") == ["found"]
            assert await ask is None
            assert await stage.source.failures(path) == [], "the index was not asked"


async def test_of_several_folders_the_one_whose_index_failed_is_named(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        stage.write("a.py", "def found(): ...\n")
        await stage.ready()
        other = tmp_path / "other"
        other.mkdir()
        (other / "b.py").write_text("def missed(): ...\n")
        index_file(tmp_path / "state", other).with_suffix(".lock").mkdir()
        index = await stage.hub.add(other, "test")
        assert index is not None
        await until(lambda: index.state.phase == "failed")
        assert await stage.names("missed") == []
        (why,) = await stage.source.failures(None)
        assert why.startswith("the workspace index of other has failed: it cannot be kept: ")


async def test_the_pause_grows_with_each_failure_and_not_with_old_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1_000.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    back_off = waits.BackOff()

    def pause_after(kept_s: float) -> float:
        nonlocal now
        back_off.tries()
        back_off.works()
        now += kept_s
        back_off.failed("why")
        begun = now
        while not back_off.may_try():
            now += 1.0
        return now - begun

    # That names are there does not tell that the next step will not fail again.
    assert [pause_after(1.0) for _ in range(6)] == [30.0, 60.0, 120.0, 240.0, 480.0, 600.0]
    assert pause_after(waits.LONGEST_RETRY_S) == 30.0


async def test_an_index_is_waited_for_no_longer_than_was_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for its names nor, once these are there, for rules that change at each look."""
    loop = asyncio.get_running_loop()
    limit_s = 2.0
    real = IgnoringLister.__call__

    async def list_late(self: IgnoringLister, root: Path, /) -> Listing:
        await asyncio.sleep(max(names_at - loop.time(), 0))
        found = await real(self, root)
        (tmp_path / ".ignore").write_text(f"none{next(changes)}\n")
        return found

    changes = count(10)
    monkeypatch.setattr(IgnoringLister, "__call__", list_late)
    async with IndexStage.open(tmp_path) as stage:
        stage.write("a.py", "def found(): ...\n")
        begun = loop.time()
        names_at = begun + 0.7 * limit_s
        index = await stage.hub.add(stage.root, "test")
        assert index is not None
        waiting = loop.create_task(index.usable(limit_s))
        await asyncio.sleep(1.3 * limit_s)
        # The limit is over before this sleep is; a busy machine may run both so late that they meet.
        for _ in range(100):
            await asyncio.sleep(0)
        assert waiting.done()
        await waiting
