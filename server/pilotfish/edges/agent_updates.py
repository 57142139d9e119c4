"""What became of an agent, in the updates of the session that it works for.

Owns: the form of these. Does not own: the events (``core.agent_events``), the other updates
(``edges.updates``).
"""

from typing import Literal, assert_never

from pilotfish.core.agent_events import (
    AgentBackgrounded,
    AgentEnded,
    AgentResumed,
    AgentStarted,
)
from pilotfish.core.agents import AgentFacts, AgentOutcome
from pilotfish.core.ids import AgentId
from pilotfish.edges.agent_wire import to_wire_status
from pilotfish.wire.session import AgentMeta

_Change = Literal["started", "backgrounded", "resumed", "ended"]

MAX_REMEMBERED = 1_000
"""Agents whose type and description are remembered for what comes later."""


class AgentUpdates:
    """Of one session, for one client: later events of an agent name it by its id alone."""

    def __init__(self) -> None:
        self._facts: dict[AgentId, AgentFacts] = {}

    def meta_of(
        self, event: AgentStarted | AgentBackgrounded | AgentResumed | AgentEnded
    ) -> AgentMeta:
        """Return what an update tells of an event."""
        match event:
            case AgentStarted(facts=facts):
                self._remember(facts)
                return self._meta(facts.agent_id, "started")
            case AgentBackgrounded(agent_id=agent):
                return self._meta(agent, "backgrounded")
            case AgentResumed(agent_id=agent):
                return self._meta(agent, "resumed")
            case AgentEnded(agent_id=agent, outcome=outcome):
                return self._meta(agent, "ended", outcome)
            case _:
                assert_never(event)

    def _remember(self, facts: AgentFacts) -> None:
        if len(self._facts) >= MAX_REMEMBERED:
            del self._facts[next(iter(self._facts))]
        self._facts[facts.agent_id] = facts

    def _meta(
        self, agent: AgentId, change: _Change, outcome: AgentOutcome | None = None
    ) -> AgentMeta:
        facts = self._facts.get(agent)
        return AgentMeta(
            agent_id=agent,
            agent_type="" if facts is None else facts.agent_type,
            description="" if facts is None else facts.description,
            change=change,
            is_background=change == "started" and facts is not None and facts.is_background,
            status="running" if outcome is None else to_wire_status(outcome.status),
            outcome="" if outcome is None else outcome.error or outcome.status,
        )
