"""What a language server may cost: its start, its memory, its crashes."""

import contextlib
from pathlib import Path

import pytest
from pilotfish.codeintel.servers import pool as pools
from pilotfish.codeintel.servers.pool import PoolLimits
from pilotfish.codeintel.servers.rpc import ServerFailure

from tests.support.servers import FakeScript, Workshop, workshop
from tests.support.waiting import until


async def start(shop: Workshop) -> None:
    [found] = await shop.pool.servers_for(shop.root / "a.fk", shop.access)
    await shop.pool.get(found, shop.access)


async def test_a_server_that_does_not_get_ready_in_time_is_ended(
    tmp_path: Path, fake: FakeScript
) -> None:
    fake.set(hang_on="initialize")
    limits = PoolLimits(start_s=0.5)
    async with workshop(tmp_path / "project", [fake.definition], limits=limits) as shop:
        with pytest.raises(ServerFailure, match=r"no answer to initialize within 0\.5 s"):
            await start(shop)
        await until(lambda: shop.governor.list() == ())


async def test_a_server_that_crashed_is_left_alone_longer_after_each_crash(
    tmp_path: Path, fake: FakeScript
) -> None:
    fake.set(crash_on="initialize")
    limits = PoolLimits(first_pause_s=0.05, last_pause_s=3600.0)
    async with workshop(tmp_path / "project", [fake.definition], limits=limits) as shop:
        crashes = 0

        async def is_left_alone() -> bool:
            """Tell whether asking starts nothing."""
            before = len(fake.heard("initialize"))
            with pytest.raises(ServerFailure, match="I cannot go on"):
                await start(shop)
            return len(fake.heard("initialize")) == before

        # After some crashes the pause is longer than any test: 0.05 s, 0.2 s, 0.8 s, …
        while crashes < 3:
            crashes += not await is_left_alone()
        slot = next(iter(shop.pool._slots.values()))
        slot.retry_at += 3600.0
        assert await is_left_alone()
        assert slot.crashes == 3


async def test_a_server_that_takes_too_much_memory_is_ended(
    tmp_path: Path, fake: FakeScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "MAX_MEMORY_BYTES", 1 << 20)  # any program needs more
    async with workshop(tmp_path / "project", [fake.definition]) as shop:
        with contextlib.suppress(ServerFailure):  # it may be ended before it is ready
            await start(shop)
        await until(lambda: shop.pool.table()[0].state == "stopped")
        assert "memory" in shop.pool.table()[0].problem
