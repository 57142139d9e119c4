"""How sub-agents stand with permissions, along any chain of those who started them."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pilotfish.config.modes import MODE_RANK, UNASKED_MODES
from pilotfish.core.agent_events import AgentBackgrounded, AgentEnded, AgentStarted
from pilotfish.core.agents import AgentFacts, AgentOutcome
from pilotfish.core.events import EventRecord, KeptEvent, ModeChanged
from pilotfish.core.ids import MAIN_AGENT, AgentId
from pilotfish.core.permission import PERMISSION_MODES, AgentMode, PermissionMode
from pilotfish.permissions.agent_modes import AgentWishes, mode_for_agent
from pilotfish.session.agent_standing import BACKGROUND_TIMEOUT_S, AgentStandings
from pilotfish.session.state import SessionData

MODES = st.sampled_from(PERMISSION_MODES)
CALLS = st.none() | MODES
DEFINITIONS: st.SearchStrategy[AgentMode | None] = (
    st.none() | MODES | st.sampled_from(("ignore", "bubble"))
)
CHAIN = st.lists(st.tuples(CALLS, DEFINITIONS), min_size=1, max_size=4)


class Rules:
    """The part of a session's permissions that agents are judged by."""

    background_may_ask = True
    is_trusted = True

    def mode_for_agent(self, parent: PermissionMode, wishes: AgentWishes) -> PermissionMode:
        return mode_for_agent(parent, wishes)

    def prompt_timeout_s(self) -> float:
        return 0.0


class Family:
    """Agents that start each other."""

    def __init__(self, mode: PermissionMode = "default") -> None:
        self.data = SessionData(mode=mode)
        self.rules = Rules()
        self.standings = AgentStandings(self.data, self.rules)

    def happened(self, event: KeptEvent) -> None:
        seq = self.data.seq + 1
        self.data.apply(EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT))

    def start(
        self,
        number: int,
        call: PermissionMode | None = None,
        definition: AgentMode | None = None,
        *,
        background: bool = False,
    ) -> AgentId:
        agent = AgentId(f"a{number}")
        facts = AgentFacts(
            agent_id=agent,
            agent_type="general-purpose",
            description="d",
            prompt="p",
            name=None,
            parent=AgentId(f"a{number - 1}") if number else MAIN_AGENT,
            parent_call=None,
            depth=number + 1,
            model="m",
            color="",
            is_background=background,
            cwd=str(Path("/w")),
            call_mode=call,
            definition_mode=definition,
            started_ms=number,
        )
        self.happened(AgentStarted(facts=facts))
        return agent

    def mode(self, agent: AgentId) -> PermissionMode:
        standing = self.standings.of(agent)
        assert standing is not None
        return standing.mode


@settings(max_examples=400)
@given(start=MODES, later=MODES, chain=CHAIN)
def test_nobody_in_a_chain_may_more_than_whoever_started_it_whatever_the_mode_becomes(
    start: PermissionMode,
    later: PermissionMode,
    chain: list[tuple[PermissionMode | None, AgentMode | None]],
) -> None:
    family = Family(start)
    agents = [family.start(number, *wishes) for number, wishes in enumerate(chain)]
    for mode in (start, later):
        if mode != family.data.mode:
            family.happened(ModeChanged(mode=mode, previous=start, cause="user"))
        above = mode
        for agent in agents:
            own = family.mode(agent)
            assert MODE_RANK[own] <= MODE_RANK[above]
            assert own == "plan" or above != "plan"
            assert own not in UNASKED_MODES or above in UNASKED_MODES
            above = own


def test_an_agent_that_has_ended_stands_nowhere_and_its_children_keep_its_limits() -> None:
    family = Family("acceptEdits")
    parent = family.start(0, definition="plan")
    child = family.start(1, definition="acceptEdits")
    outcome = AgentOutcome(status="completed", text="")
    family.happened(AgentEnded(agent_id=parent, outcome=outcome))
    assert family.standings.of(parent) is None
    assert family.mode(child) == "plan"


@pytest.mark.parametrize("may_ask", [True, False])
def test_who_works_in_the_background_asks_as_the_settings_say(*, may_ask: bool) -> None:
    family = Family()
    family.rules.background_may_ask = may_ask
    parent = family.start(0)
    child = family.start(1)
    for agent in (parent, child):
        standing = family.standings.of(agent)
        assert standing is not None
        assert standing.can_ask
        assert family.standings.prompt_timeout_s(agent) == 0.0
    family.happened(AgentBackgrounded(agent_id=parent))
    for agent in (parent, child):  # nobody waits for the child either
        standing = family.standings.of(agent)
        assert standing is not None
        assert standing.can_ask is may_ask
        assert family.standings.prompt_timeout_s(agent) == BACKGROUND_TIMEOUT_S
