"""A loop that is held up is told with the place that holds it."""

import asyncio
import importlib.util
import logging
import selectors
import sys
import threading

import pytest
from pilotfish.util import loop_watch
from pilotfish.util.loop_watch import Rounds, WatchedSelector, run_watched


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


def test_the_loop_of_windows_is_watched_as_well(
    monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """With the loop of this system in the place of the one of Windows."""
    with monkeypatch.context() as windows:
        windows.setattr(sys, "platform", "win32")
        windows.setattr(asyncio, "IocpProactor", selectors.DefaultSelector, raising=False)
        spec = importlib.util.spec_from_file_location("watch_on_windows", loop_watch.__file__)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    monkeypatch.setattr(asyncio, "ProactorEventLoop", asyncio.SelectorEventLoop, raising=False)
    monkeypatch.setattr(module, "PAUSE_S", 0.0)
    monkeypatch.setattr(module, "logger", loop_watch.logger)
    assert module.run_watched(is_told(told))


def test_a_loop_that_waits_does_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a round that has begun can be told of as held up."""
    told = Rounds()
    while_waiting: list[float | None] = []

    def wait(_selector: WatchedSelector, _timeout: float | None = None) -> list[object]:
        while_waiting.append(told.working_since)
        return []

    monkeypatch.setattr(selectors.DefaultSelector, "select", wait)
    selector = WatchedSelector(told)
    rounds: list[float | None] = []
    for _ in range(2):
        selector.select(None)
        rounds.append(told.working_since)
    selector.close()
    assert while_waiting == [None, None]
    assert None not in rounds
