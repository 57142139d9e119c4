"""What a session knows of its agents is a fold of its events, and survives the transcript."""

from dataclasses import replace

import pytest
from pilotfish.core.agent_events import (
    AgentBackgrounded,
    AgentEnded,
    AgentResumed,
    AgentSpent,
    AgentStarted,
    AgentTold,
)
from pilotfish.core.agents import AgentFacts, AgentOutcome
from pilotfish.core.events import EventRecord, KeptEvent
from pilotfish.core.ids import MAIN_AGENT, AgentId
from pilotfish.core.messages import Usage
from pilotfish.session import codec
from pilotfish.session.state import MAX_ENDED_AGENTS, SessionData


def _facts(agent: str, *, is_background: bool = False) -> AgentFacts:
    return AgentFacts(
        agent_id=AgentId(agent),
        agent_type="Explore",
        description="find it",
        prompt="Where?",
        name="scout",
        parent=MAIN_AGENT,
        parent_call=None,
        depth=1,
        model="m",
        color="",
        is_background=is_background,
        cwd="/w",
        started_ms=5,
    )


def _end(text: str = "here") -> AgentOutcome:
    return AgentOutcome(status="completed", text=text, total_tokens=9)


def _fold(events: list[KeptEvent]) -> SessionData:
    """Apply events the way a load does: written out and read again."""
    data = SessionData()
    for seq, event in enumerate(events, start=1):
        record = EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT)
        again = codec.from_line(codec.to_line(record))
        assert again is not None
        assert again == record
        data.apply(again)
    return data


def test_an_agent_runs_ends_is_told_and_runs_again() -> None:
    agent = AgentId("a1")
    story: list[KeptEvent] = [
        AgentStarted(facts=_facts("a1")),
        AgentBackgrounded(agent_id=agent),
        AgentEnded(agent_id=agent, outcome=_end()),
        AgentTold(agent_id=agent),
    ]
    entry = _fold(story[:1]).agents[agent]
    assert (entry.status, entry.is_background, entry.told) == ("running", False, False)
    entry = _fold(story).agents[agent]
    assert (entry.status, entry.is_background, entry.told) == ("completed", True, True)
    entry = _fold([*story, AgentResumed(agent_id=agent)]).agents[agent]
    assert (entry.status, entry.told, entry.runs) == ("running", False, 2)


def test_what_agents_use_is_on_the_sessions_bill() -> None:
    usage = Usage(input_tokens=10, output_tokens=5)
    data = _fold(
        [
            AgentStarted(facts=_facts("a1")),
            AgentSpent(agent_id=AgentId("a1"), model="m", usage=usage, cost_usd=0.25),
        ]
    )
    assert data.used.total.cost_usd == 0.25
    assert data.last_usage.input_tokens == 0, "the main agent's window is not fuller for it"


def test_the_oldest_ended_agents_are_forgotten_and_no_running_one() -> None:
    events: list[KeptEvent] = [AgentStarted(facts=_facts("first"))]
    for index in range(MAX_ENDED_AGENTS + 20):
        events.append(AgentStarted(facts=_facts(f"a{index}")))
        events.append(AgentEnded(agent_id=AgentId(f"a{index}"), outcome=_end()))
    agents = _fold(events).agents
    assert AgentId("first") in agents
    assert len(agents) <= MAX_ENDED_AGENTS + 2
    assert AgentId(f"a{MAX_ENDED_AGENTS + 19}") in agents


def test_agents_that_all_run_are_all_kept_and_the_log_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "pilotfish.session.state")
    names = [f"a{index}" for index in range(MAX_ENDED_AGENTS + 3)]
    agents = _fold([AgentStarted(facts=_facts(name)) for name in names]).agents
    assert list(agents) == names
    assert f"{MAX_ENDED_AGENTS + 3} agents are at hand, more than {MAX_ENDED_AGENTS}" in caplog.text


def test_the_time_between_two_runs_is_not_counted_as_work() -> None:
    agent = AgentId("a1")
    story: list[KeptEvent] = [
        AgentStarted(facts=_facts("a1")),
        AgentEnded(agent_id=agent, outcome=replace(_end(), ended_ms=2)),
        AgentTold(agent_id=agent),
        AgentResumed(agent_id=agent),
    ]
    assert _fold(story).agents[agent].idle_ms == 2
    story += [
        AgentEnded(agent_id=agent, outcome=replace(_end(), ended_ms=5)),
        AgentResumed(agent_id=agent),
    ]
    assert _fold(story).agents[agent].idle_ms == 3
