"""A loop that is held up is told with the place that holds it."""

import asyncio
import logging
import selectors
import threading

import pytest
from pilotfish.util import loop_watch
from pilotfish.util.loop_watch import WatchedSelector, run_watched


class Told(logging.Handler):
    """Keeps what the watch says of this test's own blocker."""

    def __init__(self) -> None:
        super().__init__()
        self.found = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if "hold_the_loop" in record.getMessage():
            self.found.set()


@pytest.fixture(name="told")
def _told(monkeypatch: pytest.MonkeyPatch) -> Told:
    # On a busy machine another round may be slow first; it must not use up the quota.
    monkeypatch.setattr(loop_watch, "PAUSE_S", 0.0)
    told = Told()
    monkeypatch.setattr(loop_watch.logger, "handlers", [told])
    return told


def hold_the_loop(told: Told) -> bool:
    """Block until the watch has said so, or for a second."""
    return told.found.wait(1)


async def is_told(told: Told) -> bool:
    """Hold up the loop until that is told; a look may come before the round has got there."""
    for _ in range(60):
        await asyncio.sleep(0.001)  # a round of its own, begun by a wait
        if hold_the_loop(told):
            return True
    return False


def test_who_holds_up_the_loop_is_logged_with_a_stack(told: Told) -> None:
    assert run_watched(is_told(told))


def test_a_second_hold_up_is_seen_after_a_rest(told: Told) -> None:
    async def main() -> bool:
        first = await is_told(told)
        await asyncio.sleep(0.01)  # the rest itself
        told.found.clear()
        return first and await is_told(told)

    assert run_watched(main())


def test_a_loop_that_waits_does_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a round that has begun can be told of as held up."""
    while_waiting: list[float | None] = []

    def wait(selector: WatchedSelector, _timeout: float | None = None) -> list[object]:
        while_waiting.append(selector.working_since)
        return []

    monkeypatch.setattr(selectors.DefaultSelector, "select", wait)
    selector = WatchedSelector()
    rounds: list[float | None] = []
    for _ in range(2):
        selector.select(None)
        rounds.append(selector.working_since)
    selector.close()
    assert while_waiting == [None, None]
    assert None not in rounds
