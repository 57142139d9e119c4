"""Watching settings files with the real system."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from pilotfish.config.watch import MAX_FAILURES, SettingsWatch, look_at

from tests.support.waiting import WAIT_S, until


class Ear:
    """Counts what it is told."""

    def __init__(self) -> None:
        self.told = 0
        self._changed = asyncio.Event()

    async def __call__(self) -> None:
        self.told += 1
        self._changed.set()

    async def hears(self) -> None:
        async with asyncio.timeout(WAIT_S):
            await self._changed.wait()
        self._changed.clear()


@pytest_asyncio.fixture
async def watch() -> AsyncIterator[SettingsWatch]:
    found = SettingsWatch()
    yield found
    await found.close()


async def ready(watch: SettingsWatch, file: Path) -> None:
    """Wait until changes of a file are seen, by making some."""
    ear = Ear()
    stop = watch.listen(look_at([file]), ear)

    def nudged() -> bool:
        file.write_text(
            (file.read_text(encoding="utf-8") if file.exists() else "") + " ", encoding="utf-8"
        )
        return bool(ear.told)

    await until(nudged)
    stop()


async def test_a_changed_file_is_told_to_those_whom_it_concerns(
    watch: SettingsWatch, tmp_path: Path
) -> None:
    mine, other = tmp_path / "a" / "settings.json", tmp_path / "b" / "settings.json"
    for file in (mine, other):
        file.parent.mkdir()
        file.write_text("{}", encoding="utf-8")
    ear, stranger = Ear(), Ear()
    watch.listen(look_at([mine]), ear)
    watch.listen(look_at([other]), stranger)
    await ready(watch, mine)
    mine.write_text('{"a": 1}', encoding="utf-8")
    await ear.hears()

    assert stranger.told == 0


async def test_files_and_folders_that_do_not_exist_yet_are_followed(
    watch: SettingsWatch, tmp_path: Path
) -> None:
    file = tmp_path / "project" / ".pilotfish" / "settings.json"
    ear = Ear()
    watch.listen(look_at([file]), ear)
    await ready(watch, tmp_path / "other.json")
    file.parent.mkdir(parents=True)
    file.write_text("{}", encoding="utf-8")
    await ear.hears()
    file.write_text('{"a": 1}', encoding="utf-8")
    await ear.hears()
    file.unlink()
    await ear.hears()


async def test_a_file_that_is_replaced_in_one_step_is_seen_again_and_again(
    watch: SettingsWatch, tmp_path: Path
) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{}", encoding="utf-8")
    ear = Ear()
    watch.listen(look_at([file]), ear)
    await ready(watch, file)
    for number in range(3):
        scratch = tmp_path / f"scratch-{number}"
        scratch.write_text(f'{{"a": {number}}}', encoding="utf-8")
        scratch.replace(file)
        await ear.hears()


async def test_a_file_behind_a_link_is_seen(watch: SettingsWatch, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text("{}", encoding="utf-8")
    link = tmp_path / "home" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    ear = Ear()
    watch.listen(look_at([link]), ear)
    await ready(watch, real)
    real.write_text('{"a": 1}', encoding="utf-8")
    await ear.hears()


async def test_many_listeners_of_a_file_share_one_watcher(tmp_path: Path) -> None:
    begun: list[list[Path]] = []
    open_now = 0

    async def looks(folders: list[Path], stop: asyncio.Event) -> AsyncGenerator[None]:
        nonlocal open_now
        begun.append(folders)
        open_now += 1
        assert open_now == 1
        try:
            await stop.wait()
            yield
        finally:
            open_now -= 1

    watch = SettingsWatch(looks)
    stops = [watch.listen(look_at([tmp_path / "settings.json"]), Ear()) for _ in range(20)]
    await until(lambda: bool(begun))
    assert begun[-1] == [tmp_path]
    for stop in stops:
        stop()
    await until(lambda: not open_now)
    await watch.close()


async def test_where_the_system_has_no_watch_left_it_says_so_once_and_ends(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tries = 0

    async def looks(folders: list[Path], stop: asyncio.Event) -> AsyncGenerator[None]:
        nonlocal tries
        tries += 1
        if folders:
            raise OSError(28, "OS file watch limit reached")
        yield

    watch = SettingsWatch(looks)
    with caplog.at_level(logging.WARNING):
        watch.listen(look_at([tmp_path / "settings.json"]), Ear())
        await until(lambda: bool(caplog.records))
    await watch.close()

    assert "watch limit reached" in caplog.text
    assert len(caplog.records) == 1
    assert tries == 3


async def test_nothing_is_left_when_it_ends(tmp_path: Path) -> None:
    watch = SettingsWatch()
    watch.listen(look_at([tmp_path / "settings.json"]), Ear())
    await ready(watch, tmp_path / "settings.json")
    await watch.close()

    names = [task.get_name() for task in asyncio.all_tasks()]
    assert not any(name.startswith("settings watch") for name in names)
    assert threading.active_count() < 40


async def test_a_change_before_the_watch_is_ready_is_told_too(
    watch: SettingsWatch, tmp_path: Path
) -> None:
    file = tmp_path / "settings.json"
    ear = Ear()
    watch.listen(look_at([file]), ear)
    file.write_text("{}", encoding="utf-8")
    await ear.hears()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
async def test_a_name_beside_it_that_is_no_text_costs_nothing(
    watch: SettingsWatch, tmp_path: Path
) -> None:
    file = tmp_path / "settings.json"
    ear = Ear()
    watch.listen(look_at([file]), ear)
    await ready(watch, tmp_path / "other.json")
    for number in range(MAX_FAILURES + 1):
        (tmp_path / os.fsdecode(b"odd\xff%d" % number)).touch()
        file.write_text(f"[{number}]", encoding="utf-8")
        await ear.hears()
