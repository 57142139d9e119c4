"""The real engine in the test's own process, against the fake model.

Owns: sessions without a wire, waits that cost no time, and what must hold of every conversation.
For many small cases; what users see is tested over the wire (``stage``).
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pilotfish.app.engine import EngineOptions, build_engine
from pilotfish.core.events import (
    EventRecord,
    ReplyDiscarded,
    ReplyFinished,
    SessionEvent,
    TurnEnded,
)
from pilotfish.core.ids import SessionId
from pilotfish.core.messages import TextBlock, Usage
from pilotfish.llm import retry
from pilotfish.session.factory import NewSession
from pilotfish.session.manager import SessionManager
from pilotfish.session.session import Session

from tests.support.stage import assert_paired, environment
from tools.fake_model import FakeModel
from tools.fake_model.scenario import ScenarioSource

NO_WAIT = retry.RetryPolicy(base_delay_s=0.0, max_delay_s=0.0)
"""As always, without the waits."""


@dataclass
class EngineStage:
    """An engine and its model."""

    fake: FakeModel
    manager: SessionManager
    project: Path
    records: dict[SessionId, list[EventRecord]] = field(
        default_factory=dict[SessionId, list[EventRecord]]
    )
    """What happened in each session, passing events included."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls, folder: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any] | None = None
    ) -> AsyncGenerator["EngineStage"]:
        """Start an engine in a folder; ``settings`` are the editor's."""
        monkeypatch.setattr(retry, "RetryPolicy", lambda: NO_WAIT)
        project = folder / "project"
        project.mkdir(parents=True)
        async with FakeModel() as fake:
            manager, _ = build_engine(
                EngineOptions(
                    environment=environment(folder / "home", fake.url),
                    roots=(project,),
                    editor_settings=settings or {},
                    trusted_by_editor=True,
                )
            )
            try:
                yield cls(fake, manager, project)
            finally:
                await manager.suspend_all()

    def play(self, source: ScenarioSource) -> None:
        """Set what the model says from here on."""
        self.fake.reset()
        self.fake.play(source)

    async def session(self, **options: Any) -> Session:
        """Begin a session that may do everything in its project."""
        wanted = NewSession(cwd=self.project, mode="acceptEdits", **options)
        session = await self.manager.create(wanted)
        records = self.records[session.id] = []
        session.attach(records.append, can_answer=False)
        return session

    def events(self, session: Session) -> list[SessionEvent]:
        """Return what happened in a session."""
        return [record.event for record in self.records[session.id]]

    def check(self, session: Session) -> None:
        """Fail unless everything holds that holds of every conversation."""
        assert self.fake.problems == [], self.fake.problems
        for request in self.fake.requests:
            # A stop may come while a request is being sent; then there is no body to look at.
            if request.body_read_s is not None:
                assert_paired(dict(request.body))
        check_sums(self.events(session))
        assert session.log.conversation.unanswered() == ()


async def ask(session: Session, text: str) -> TurnEnded:
    """Send a prompt and wait for its turn's end."""
    return await session.prompt([TextBlock(text=text)])


def check_sums(happened: list[SessionEvent]) -> None:
    """Fail unless each turn's usage and cost are the sums of its replies, voided ones included."""
    usage, cost = Usage(), 0.0
    for event in happened:
        if isinstance(event, ReplyFinished | ReplyDiscarded):
            usage = usage + event.usage
            cost += event.cost_usd or 0.0
        elif isinstance(event, TurnEnded):
            assert event.usage == usage
            assert event.cost_usd == pytest.approx(cost or event.cost_usd)
            usage, cost = Usage(), 0.0
