"""What agents hold on to while they work is let go of when they end."""

import gc
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.agents import AgentEntry
from pilotfish.session import agent_plan, state
from pilotfish.session.agent_run import AgentRun
from pilotfish.session.session import Session
from pilotfish.session.subagents import Subagents

from tests.support.agent_scripts import NOTED, agent, bodies, cast
from tests.support.engine_stage import EngineStage, ask
from tests.support.waiting import until
from tools.fake_model import HttpError, ToolUse, Turn

ROUNDS = 3
TOGETHER = 8


def _desk(session: Session) -> Subagents:
    agents = session.workbench.agents
    assert isinstance(agents, Subagents)
    return agents


def _held(session: Session) -> dict[str, int]:
    """Return the sizes of everything that grows while agents work."""
    agents = _desk(session)
    return {
        "runs": len(agents._runs),
        "wishes": len(agents._wishes),
        "turns": len(agents._turns),
        "waits": len(agents._waits),
        "cleaning": len(agents._cleaning),
        "listeners": len(session.log._listeners),
        "live": len(session.roster._live),
        "questions": len(session.inbox.open_questions()),
    }


def _all_ended(session: Session) -> bool:
    entries: list[AgentEntry] = list(session.data.agents.values())
    return bool(entries) and all(entry.outcome is not None for entry in entries)


@pytest.mark.parametrize("background", [False, True])
async def test_every_list_is_as_long_as_before_when_all_have_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, background: bool
) -> None:
    read = ToolUse("Glob", {"pattern": "*"}, id="toolu_glob")
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        before = _held(session)
        for number in range(ROUNDS):
            names = [f"scout{number}{one}x" for one in range(TOGETHER)]
            calls = [
                agent(f"{name}: go", call=f"toolu_{name}", run_in_background=background)
                for name in names
            ]
            parts: dict[str, Any] = {name: [Turn([read]), "Done."] for name in names}
            parts[names[0]] = [Turn(error=HttpError(status=400, message="no"))]
            stage.play(cast([Turn(calls), NOTED], **parts))
            await ask(session, "Begin")
            await until(lambda: _all_ended(session))
            await until(lambda: _held(session) == before)
        gc.collect()
        assert [one for one in gc.get_objects() if isinstance(one, AgentRun)] == []
        assert len(session.data.agents) == ROUNDS * TOGETHER


async def test_what_is_remembered_of_ended_agents_stops_growing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is forgotten has been heard of; what is kept of them is as long as it may be."""
    most_agents, most_offers, most_pools = 6, 4, 2
    monkeypatch.setattr(state, "MAX_ENDED_AGENTS", most_agents)
    monkeypatch.setattr(agent_plan, "MAX_OFFERS", most_offers)
    monkeypatch.setattr(agent_plan, "MAX_POOLS", most_pools)
    kinds = ("general-purpose", "Explore", "Plan", "statusline-setup")
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        for number in range(3):
            names = [f"scout{number}{kind}x" for kind in kinds]
            calls = [
                agent(f"{name}: go", kind, call=f"toolu_{name}", run_in_background=True)
                for name, kind in zip(names, kinds, strict=True)
            ]
            stage.play(cast([Turn(calls), NOTED], **{name: [f"I am {name}."] for name in names}))
            await ask(session, "Begin")
            await until(lambda: _all_ended(session) and _desk(session).busy() == 0)
            if session.agent_news.waiting:  # the turn was over before the last of them ended
                await session.hear_news()
            assert session.agent_news.waiting == []
            planner = _desk(session)._planner
            assert len(session.data.agents) <= most_agents
            assert len(planner._offers) <= most_offers
            assert len(planner._pools) <= most_pools
            said = [str(body["messages"][-1]) for body in bodies(stage, "Begin")]
            for name in names:
                assert sum(f"<result>I am {name}.</result>" in one for one in said) == 1


async def test_the_end_of_a_session_ends_its_agents_and_lets_go_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ToolUse("Bash", {"command": "sleep 600"}, id="toolu_sleep")
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session(allowed_tools=("Bash",))
        calls = [agent("scout: go", run_in_background=True)]
        stage.play(cast([Turn(calls), NOTED], scout=[Turn([command])]))
        await ask(session, "Begin")
        held = _held(session)
        assert held["runs"] == held["live"] == 1
        await stage.manager.close(session.id)
        assert _all_ended(session)
        assert _held(session)["runs"] == 0
