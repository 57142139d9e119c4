"""Tasks have an owner: failures are told, and nothing outlives it."""

import asyncio
import logging

import pytest
from pilotfish.util.tasks import TaskScope


async def fail() -> None:
    raise ValueError("it broke")


async def test_a_failure_that_nobody_waits_for_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    scope = TaskScope("work")
    goes_on = scope.start(asyncio.sleep(3600), name="other")
    with caplog.at_level(logging.ERROR):
        task = scope.start(fail(), name="part")
        await asyncio.wait([task])
        await asyncio.sleep(0)
    assert "work:part failed" in caplog.text
    assert "it broke" in caplog.text
    assert len(scope) == 1
    assert not goes_on.done(), "one failure ends nobody else"
    await scope.close()
    assert goes_on.cancelled()


async def test_a_failure_that_somebody_waits_for_is_theirs(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scope = TaskScope("work")
    task = scope.start(fail(), name="part", awaited=True)
    with pytest.raises(ValueError, match="it broke"):
        await task
    await asyncio.sleep(0)
    assert caplog.text == ""
    assert len(scope) == 0


async def test_nothing_is_started_after_the_end() -> None:
    scope = TaskScope("work")
    await scope.close()
    late = fail()
    with pytest.raises(RuntimeError, match="closed"):
        scope.start(late, name="late")
    assert len(scope) == 0
