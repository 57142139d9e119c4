"""Many with work at the same moment let others run between their steps."""

import asyncio

from pilotfish.util.pace import Pace

from tests.support.waiting import WAIT_S


async def test_between_two_steps_whatever_else_is_ready_runs() -> None:
    pace, order = Pace(), list[str]()
    stop = False

    async def worker(number: int) -> None:
        await pace.step()
        order.append(f"step {number}")

    async def other() -> None:
        while not stop:
            order.append("other")
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        group.create_task(other())
        async with asyncio.TaskGroup() as steps:
            for number in range(50):
                steps.create_task(worker(number))
        stop = True
    steps_only = [one for one in order if one != "other"]
    assert steps_only == [f"step {number}" for number in range(50)], "in the order of asking"
    text = " ".join("o" if one == "other" else "s" for one in order)
    assert "s s" not in text


async def test_one_that_gives_up_holds_up_nobody() -> None:
    pace = Pace()
    loop = asyncio.get_running_loop()
    first, second = (loop.create_task(pace.step()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait_for(second, WAIT_S)
