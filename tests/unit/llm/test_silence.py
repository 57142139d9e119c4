"""How long a stream is silent."""

import asyncio

import pytest
from pilotfish.llm.silence import STALL_S, SilenceWatch

from tests.support.fake_clock import FakeClock


async def test_a_long_silence_is_noted_and_ends_nothing() -> None:
    clock = FakeClock()
    watch = SilenceWatch(5, clock.monotonic_s)

    async def after(seconds: float) -> str:
        clock.advance(seconds)
        return "event"

    assert await watch.next(after(STALL_S)) == "event"
    assert watch.stalls == 0
    assert await watch.next(after(STALL_S + 1)) == "event"
    assert await watch.next(after(STALL_S + 2)) == "event"
    assert (watch.stalls, watch.stalled_s) == (2, 2 * STALL_S + 3)


async def test_after_too_long_a_silence_it_gives_up() -> None:
    with pytest.raises(TimeoutError):
        await SilenceWatch(0.01).next(asyncio.Event().wait())
