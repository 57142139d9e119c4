"""Servers hear of each change, also of those that the watching library stumbles over."""

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pilotfish.codeintel.servers import disk_state
from pilotfish.codeintel.servers.disk_state import DiskState
from pilotfish.codeintel.servers.disk_watch import Bundle, watch_root
from pilotfish.codeintel.servers.watchers import CHANGED, CREATED, DELETED
from pilotfish.util.folder_watch import LONGEST_LOST_PAUSE_S, LostPauses
from pilotfish.util.tasks import TaskScope

from tests.support.waiting import until


class Told:
    """What a watched folder's servers were told, in order."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, int]] = []

    def take(self, bundle: Bundle) -> None:
        """Take note of a bundle."""
        self.changes += [(path.name, kind) for path, kind in bundle.changes.items()]

    def kinds(self, name: str) -> list[int]:
        """Return what was said of a file."""
        return [kind for one, kind in self.changes if one == name]


@asynccontextmanager
async def watched(root: Path) -> AsyncGenerator[Told]:
    """Watch a folder; changes are seen as they come once this is entered."""
    told, tasks = Told(), TaskScope("test")
    tasks.start(watch_root(root, told.take), name="watch")
    mark = root / "mark"

    def is_seen() -> bool:
        mark.touch()
        return CHANGED in told.kinds("mark")

    try:
        await until(is_seen)
        mark.unlink()
        await until(lambda: DELETED in told.kinds("mark"))
        yield told
    finally:
        await tasks.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
async def test_a_name_that_is_no_text_hides_no_change(tmp_path: Path) -> None:
    for name in ("changed.py", "gone.py", "same.py"):
        (tmp_path / name).write_text("old\n")
    async with watched(tmp_path) as told:
        for number in range(2):
            (tmp_path / f"one{number}.py").touch()
            (tmp_path / os.fsdecode(b"odd\xff%d" % number)).touch()
            (tmp_path / f"two{number}.py").touch()
            (tmp_path / "changed.py").write_text(f"new {number}\n")
            await until(
                lambda n=number: bool(told.kinds(f"one{n}.py") and told.kinds(f"two{n}.py"))
            )
            await until(lambda n=number: len(told.kinds("changed.py")) > n)
        (tmp_path / "odd").mkdir()
        (tmp_path / os.fsdecode(b"odd/\xff")).touch()
        (tmp_path / "gone.py").unlink()
        await until(lambda: DELETED in told.kinds("gone.py"))
    assert told.kinds("same.py") == []


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
async def test_what_changes_before_one_watches_again_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with watched(tmp_path) as told:
        (tmp_path / os.fsdecode(b"odd\xff")).touch()
        await until(lambda: "is watched anew" in caplog.text)
        (tmp_path / "meanwhile.py").touch()
        await until(lambda: CREATED in told.kinds("meanwhile.py"))


def test_what_was_told_is_not_found_again(tmp_path: Path) -> None:
    kept, gone, new = (tmp_path / name for name in ("kept", "gone", "new"))
    kept.touch()
    gone.touch()
    state = DiskState(tmp_path)
    assert state.look() == {}
    gone.unlink()
    new.touch()
    state.note([gone, new])
    assert state.look() == {}
    kept.write_text("changed\n")
    gone.touch()
    new.unlink()
    assert state.look() == {kept: CHANGED, gone: CREATED, new: DELETED}
    assert state.look() == {}


def test_files_beyond_the_limit_do_not_count_as_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_state, "MAX_COMPARED", 2)
    for name in ("b", "c"):
        (tmp_path / name).touch()
    state = DiskState(tmp_path)
    state.look()
    (tmp_path / "a").touch()
    assert state.look() == {tmp_path / "a": CREATED}


def test_pauses_grow_and_begin_anew_when_it_was_calm() -> None:
    now = 100.0
    pauses = LostPauses(lambda: now)
    waits: list[float] = []
    for _ in range(7):
        waits.append(pauses.take())
        now += waits[-1]  # lost again as soon as it was watched again
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 16.0, 16.0]
    now += LONGEST_LOST_PAUSE_S - 0.1
    assert pauses.take() == 16.0
    now += 16.0 + LONGEST_LOST_PAUSE_S
    assert pauses.take() == 1.0
