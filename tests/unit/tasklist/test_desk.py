"""Several agents at one task list at once."""

import asyncio
import threading
from pathlib import Path

from pilotfish.tasklist.desk import TaskDesk
from pilotfish.tasklist.model import Entry, EntryChange, EntryId, NewEntry
from pilotfish.tasklist.store import TaskStore

from tests.support.waiting import WAIT_S


async def test_what_an_agent_takes_as_it_is_stopped_is_free_in_the_end(tmp_path: Path) -> None:
    order: list[str] = []
    begun, go_on = threading.Event(), threading.Event()

    class SlowStore(TaskStore):
        def update(self, entry_id: EntryId, change: EntryChange, agent: str) -> Entry:
            begun.set()
            assert go_on.wait(WAIT_S)
            updated = super().update(entry_id, change, agent)
            order.append("taken")
            return updated

        def release(self, owners: frozenset[str]) -> bool:
            order.append("to be freed")
            return super().release(owners)

    desk = TaskDesk(SlowStore(tmp_path / "tasks"), lambda _: None)
    await desk.create(NewEntry(subject="Do it", description="All of it"))
    async with asyncio.TaskGroup() as group:
        taking = group.create_task(desk.update("1", EntryChange(status="in_progress"), "ada"))
        assert await asyncio.to_thread(begun.wait, WAIT_S)
        taking.cancel()
        freeing = group.create_task(desk.release(frozenset({"ada"})))
        for _ in range(10):  # the one is stopped, the other comes to its turn if it may
            await asyncio.sleep(0)
        go_on.set()
    assert taking.cancelled()
    assert freeing.done()
    assert order == ["taken", "to be freed"]
    [entry] = (await desk.entries()).values()
    assert (entry.status, entry.owner) == ("pending", "")
