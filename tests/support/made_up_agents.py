"""Agents that are made up: facts, ends, and the session that they belong to.

Owns: a session without turns whose events a test writes itself. For what follows from events; agents
that really work are on a stage.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pilotfish.core.agent_events import AgentEnded, AgentStarted
from pilotfish.core.agents import AgentFacts, AgentOutcome, EndStatus
from pilotfish.core.events import EventRecord
from pilotfish.core.ids import MAIN_AGENT, AgentId, SessionId, ToolUseId
from pilotfish.session.log import EventLog
from pilotfish.session.session import Session
from pilotfish.session.transcript import TranscriptWriter
from pilotfish.util.tasks import TaskScope

from tests.support.fake_clock import FakeClock


def facts(agent: str, **more: Any) -> AgentFacts:
    """Return the facts of an agent in the background of the main conversation."""
    given: dict[str, Any] = {
        "agent_type": "Explore",
        "description": "find it",
        "prompt": "Where is it?",
        "name": None,
        "parent": MAIN_AGENT,
        "parent_call": ToolUseId(f"toolu_{agent}"),
        "depth": 1,
        "model": "m",
        "color": "",
        "is_background": True,
        "cwd": "/w",
        "started_ms": 5,
    }
    return AgentFacts(agent_id=AgentId(agent), **(given | more))


def outcome(
    text: str = "here", status: EndStatus = "completed", *, ended_ms: int = 0, **more: Any
) -> AgentOutcome:
    """Return how an agent ended."""
    return AgentOutcome(status=status, text=text, ended_ms=ended_ms, **more)


@dataclass
class MadeUp:
    """A session whose events are made up."""

    session: Session
    clock: FakeClock
    folder: Path
    heard: list[EventRecord] = field(default_factory=list[EventRecord])

    @classmethod
    @asynccontextmanager
    async def open(cls, folder: Path) -> AsyncGenerator["MadeUp"]:
        """Begin one."""
        clock = FakeClock()
        made = cls(_session(folder / "root.jsonl", clock), clock, folder)
        made.session.attach(made.heard.append, can_answer=False)
        try:
            yield made
        finally:
            await made.session.close()

    def start(self, agent: str, **more: Any) -> AgentId:
        """Start an agent now."""
        given: dict[str, Any] = {"started_ms": self.clock.now_ms()} | more
        self.session.log.emit(AgentStarted(facts=facts(agent, **given)))
        return AgentId(agent)

    def end(self, agent: str, text: str = "here", **more: Any) -> None:
        """End an agent now."""
        given: dict[str, Any] = {"ended_ms": self.clock.now_ms()} | more
        self.session.log.emit(AgentEnded(agent_id=AgentId(agent), outcome=outcome(text, **given)))

    def child(self, agent: str) -> Session:
        """Return a session for an agent; the test closes it."""
        return _session(self.folder / f"agent-{agent}.jsonl", self.clock)

    def listed(self) -> list[str]:
        """Return the ids in the list."""
        return [row.entry.agent_id for row in self.session.roster.rows()]


def _session(path: Path, clock: FakeClock) -> Session:
    log = EventLog(TranscriptWriter(path), clock)
    return Session(SessionId(path.stem), log, clock, TaskScope("made up"))
