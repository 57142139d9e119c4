"""The mode of a session that an earlier process left."""

from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.errors import SessionError
from pilotfish.core.events import PromptSubmitted
from pilotfish.core.ids import MessageId
from pilotfish.core.messages import TextBlock
from pilotfish.core.permission import PermissionMode
from pilotfish.session.factory import NewSession
from pilotfish.session.manager import SessionManager
from pilotfish.session.session import Session
from pilotfish.session.transcript_store import TranscriptStore
from pilotfish.session.workbench import Workbench

from tests.support.fake_clock import FakeClock


class Bench:
    """A workbench that builds no turns."""

    start_model = "m"

    def __init__(self, options: NewSession) -> None:
        self.start_mode: PermissionMode = options.mode or "default"

    def why_mode_unavailable(self, _: PermissionMode) -> str:
        return ""

    def note_for_mode(self, _: PermissionMode, __: PermissionMode) -> None:
        return None

    async def close(self) -> None:
        return None


class Factory:
    """Builds benches."""

    async def build(self, _: Session, options: NewSession) -> Workbench:
        bench: Any = Bench(options)
        return bench

    async def close(self) -> None:
        return None


def manager(folder: Path) -> SessionManager:
    factory: Any = Factory()
    return SessionManager(TranscriptStore(folder / "state"), factory, FakeClock())


async def resumed(folder: Path, *modes: PermissionMode) -> Session:
    """Go through modes in one process and open the session in the next."""
    first = manager(folder)
    session = await first.create(NewSession(cwd=folder, mode=modes[0]))
    session.log.emit(PromptSubmitted(message_id=MessageId("m1"), content=(TextBlock(text="hi"),)))
    for mode in modes[1:]:
        session.choices.set_mode(mode)
    await session.log.flush()
    await first.suspend_all()
    return await manager(folder).load(session.id)


@pytest.mark.parametrize("mode", ["plan", "acceptEdits", "autoInProject", "dontAsk", "work"])
async def test_a_mode_outlives_its_process(tmp_path: Path, mode: PermissionMode) -> None:
    assert (await resumed(tmp_path, "default", mode)).data.mode == mode


@pytest.mark.parametrize("mode", ["bypassPermissions", "fullAccess"])
async def test_a_mode_that_runs_all_unasked_does_not(tmp_path: Path, mode: PermissionMode) -> None:
    assert (await resumed(tmp_path, mode)).data.mode == "default"


async def test_nor_does_it_wait_behind_plan_mode(tmp_path: Path) -> None:
    session = await resumed(tmp_path, "bypassPermissions", "plan")

    assert (session.data.mode, session.data.pre_plan_mode) == ("plan", "default")


async def test_plan_mode_remembers_a_harmless_mode_before_it(tmp_path: Path) -> None:
    session = await resumed(tmp_path, "acceptEdits", "plan")

    assert (session.data.mode, session.data.pre_plan_mode) == ("plan", "acceptEdits")
    with pytest.raises(SessionError):
        await manager(tmp_path).load(type(session.id)("none"))
