"""Agents that are not kept at hand any more can still be written to and looked at."""

from pathlib import Path

import pytest
from pilotfish.core.agents import AgentEntry
from pilotfish.core.errors import AgentError
from pilotfish.core.ids import AgentId
from pilotfish.session import state
from pilotfish.session.agent_transcripts import agent_transcript
from pilotfish.session.session import Session
from pilotfish.session.subagents import Subagents

from tests.support.agent_scripts import NOTED, agent, bodies, cast
from tests.support.engine_stage import EngineStage, ask
from tests.support.stage import text_of
from tests.support.waiting import until
from tools.fake_model import ToolUse, Turn

MOST = 2
NAMES = ("alpha", "beta", "gamma", "delta")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "MAX_ENDED_AGENTS", MOST)


def desk_of(session: Session) -> Subagents:
    agents = session.workbench.agents
    assert isinstance(agents, Subagents)
    return agents


async def quiet(session: Session) -> None:
    """Wait until no agent works and the model has heard of all ends."""
    await until(lambda: desk_of(session).busy() == 0)
    if session.agent_news.waiting:
        await session.hear_news()
    await until(lambda: not session.agent_news.waiting)


async def begun(stage: EngineStage) -> tuple[Session, AgentId]:
    """Have agents started one after the other; returns the first one's id, which is forgotten."""
    session = await stage.session()
    first: AgentId | None = None
    for name in NAMES:
        call = agent(f"{name}: go", call=f"toolu_{name}", name=name, run_in_background=True)
        stage.play(cast([Turn([call]), NOTED], **{name: [f"I am {name}."]}))
        await ask(session, "Begin")
        await quiet(session)
        first = first or next(iter(session.data.agents))
    assert first is not None
    assert first not in session.data.agents
    assert len(session.data.agents) == MOST
    return session, first


def write_to(address: str) -> ToolUse:
    return ToolUse(
        "SendMessage", {"to": address, "message": "And then?", "summary": "more"}, id="toolu_w"
    )


async def told(stage: EngineStage, session: Session, call: ToolUse, **agents: list[str]) -> str:
    """Have the model make one call; returns the result that it gets."""
    stage.play(cast([Turn([call]), NOTED], **agents))
    await ask(session, "Go on")
    found = [
        one
        for message in bodies(stage, "Begin")[-1]["messages"]
        if isinstance(message["content"], list)
        for one in message["content"]
        if one["type"] == "tool_result" and one["tool_use_id"] == call.id
    ]
    [result] = found
    return text_of(result)


@pytest.mark.parametrize("by", ["id", "name"])
async def test_a_forgotten_agent_goes_on_with_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session, first = await begun(stage)
        address = first if by == "id" else "alpha"
        said = await told(stage, session, write_to(address), alpha=["Then I rested."])
        assert f"{first} had ended and goes on" in said
        await quiet(session)
        last = bodies(stage, "alpha")[-1]["messages"]
        assert "I am alpha." in str(last), "it knows what it has said"
        assert "And then?" in str(last)
        entry = session.data.agents[first]
        assert (entry.runs, entry.facts.name) == (2, "alpha")
        assert entry.outcome is not None
        assert entry.outcome.text == "Then I rested."
        stage.check(session)


async def test_a_restart_knows_of_the_forgotten_agent_that_went_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session, first = await begun(stage)
        stage.play(cast([NOTED], alpha=["Then I rested."]))
        assert await desk_of(session).send(first, "And then?") == "resumed"
        await quiet(session)
        await stage.manager.close(session.id)
        again = await stage.manager.load(session.id)
        entry: AgentEntry = again.data.agents[first]
        assert (entry.runs, entry.status) == (2, "completed")


async def test_what_a_forgotten_agent_reported_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session, first = await begun(stage)
        shown = await told(stage, session, ToolUse("TaskOutput", {"task_id": first}, id="toolu_o"))
        assert "has ended (completed)" in shown
        assert "I am alpha." in shown
        stopped = await told(stage, session, ToolUse("TaskStop", {"task_id": first}, id="toolu_s"))
        assert "has ended already (completed)" in stopped


async def test_one_without_a_transcript_says_why_it_cannot_go_on_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session, first = await begun(stage)
        agent_transcript(session.log.path, first).unlink()
        said = await told(stage, session, write_to(first))
        assert f"The transcript of {first} is gone, so it cannot go on." in said
        assert "Start a new agent with all that it has to know." in said
        with pytest.raises(AgentError, match="is gone"):
            await desk_of(session).send(first, "And then?")
        assert first not in session.data.agents
        with pytest.raises(AgentError, match="There is no agent 'nobody'"):
            await desk_of(session).send(AgentId("nobody"), "Hello?")
