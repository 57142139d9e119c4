"""What must hold around the beginning and the end of an agent, whatever takes long or is missing."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.agent_events import AgentEnded, AgentStarted
from pilotfish.core.agents import AgentEntry, AgentFacts
from pilotfish.core.errors import AgentError
from pilotfish.core.ids import AgentId
from pilotfish.session import agent_worktree
from pilotfish.session.agent_worktree import AgentWorktrees
from pilotfish.session.session import Session
from pilotfish.session.session_worktree import same_part

from tests.support.agent_scripts import NOTED, agent, bodies, cast
from tests.support.engine_stage import EngineStage, ask
from tests.support.git_folder import make_repository
from tests.support.stage import text_of
from tests.support.waiting import WAIT_S, until
from tools.fake_model import Stall, ToolUse, Turn

NEEDY = "---\nname: needy\ndescription: Needs a database.\nrequiredMcpServers: db\n---\nLook it up."


def only_entry(session: Session) -> AgentEntry:
    [entry] = session.data.agents.values()
    return entry


def hold_trees(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Let no worktree be looked at after its agent's end before the event is set."""
    go = asyncio.Event()
    finish = AgentWorktrees.finish

    async def slow(self: AgentWorktrees, facts: AgentFacts) -> bool:
        await go.wait()
        return await finish(self, facts)

    monkeypatch.setattr(AgentWorktrees, "finish", slow)
    return go


async def test_an_end_is_known_before_what_follows_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for an agent does not wait for git."""
    go = hold_trees(monkeypatch)
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        make_repository(stage.project)
        session = await stage.session()
        call = agent("scout: go", run_in_background=True, isolation="worktree")
        stage.play(cast([Turn([call]), "Noted.", "Heard."], scout=["Done."]))
        await ask(session, "Begin")
        await until(lambda: only_entry(session).outcome is not None)
        desk: Any = session.workbench.agents
        await asyncio.wait_for(desk.wait(only_entry(session).agent_id, 10 * WAIT_S), WAIT_S)
        assert only_entry(session).status == "completed"
        tree = only_entry(session).facts.worktree
        assert tree is not None
        there = Path(tree.path).exists
        assert there(), "the tree is not looked at yet"
        go.set()
        await until(lambda: not there())
        await until(lambda: desk.busy() == 0)


async def test_whoever_waits_for_an_agent_hears_its_end_at_once_and_only_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TaskOutput waits for the agent, not for git; what the note would have told, it tells."""
    go = hold_trees(monkeypatch)
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        make_repository(stage.project)
        session = await stage.session()
        call = agent("scout: go", name="scout", run_in_background=True, isolation="worktree")
        wait = ToolUse("TaskOutput", {"task_id": "scout", "timeout": 600_000}, id="toolu_wait")
        held = Turn("There is a pond.", faults=[Stall(before_headers=True, gate="scout")])
        stage.play(cast([Turn([call]), Turn([wait]), NOTED], scout=[held]))
        asked = asyncio.get_running_loop().create_task(ask(session, "Begin"))
        await stage.fake.wait_for_stall("scout", timeout_s=WAIT_S)
        await until(lambda: "toolu_wait" in session.data.running_calls)
        stage.fake.release("scout")
        assert (await asked).reason == "completed"
        entry = only_entry(session)
        tree, outcome = entry.facts.worktree, entry.outcome
        assert tree is not None
        assert outcome is not None
        assert (entry.told, outcome.worktree_kept) == (True, None)
        [heard] = map(text_of, bodies(stage, "Begin")[-1]["messages"][-1]["content"])
        assert "has ended (completed)]\nThere is a pond." in heard
        assert f"its own working tree {tree.path} on the branch {tree.branch}, which goes" in heard
        go.set()
        desk: Any = session.workbench.agents
        await until(lambda: desk.busy() == 0)
        assert (await ask(session, "And now?")).reason == "completed"
        said = [str(request.body) for request in stage.fake.requests]
        assert not any("<task-notification>" in one for one in said)


async def test_a_stop_while_an_agents_tree_is_made_leaves_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, go = threading.Event(), threading.Event()

    def slow(folder: Path, tree: Path) -> Path:
        made.set()
        go.wait(10)
        return same_part(folder, tree)

    monkeypatch.setattr(agent_worktree, "same_part", slow)
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        make_repository(stage.project)
        session = await stage.session()
        call = agent("scout: go", isolation="worktree")
        stage.play(cast([Turn([call])]))
        prompt = asyncio.get_running_loop().create_task(ask(session, "Begin"))
        await until(made.is_set)
        await session.cancel()
        go.set()
        assert (await prompt).reason == "aborted_tools"
        kinds = [type(event) for event in stage.events(session)]
        assert AgentStarted not in kinds
        assert AgentEnded not in kinds
        folder = stage.project / ".pilotfish" / "worktrees"
        await until(lambda: not any(path.is_dir() for path in folder.glob("agent-*")))


async def test_an_agent_whose_transcript_is_gone_cannot_go_on_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        call = agent("scout: go", run_in_background=True)
        stage.play(cast([Turn([call]), "Noted.", "Heard."], scout=["Done."]))
        await ask(session, "Begin")
        await until(lambda: only_entry(session).outcome is not None)
        desk: Any = session.workbench.agents
        await until(lambda: desk.busy() == 0)
        for path in session.log.path.parent.glob(f"{session.id}/agent-*.jsonl"):
            path.unlink()
        before = session.log.listeners
        with pytest.raises(AgentError, match="is gone, so it cannot go on"):
            await desk.send(only_entry(session).agent_id, "go on")
        assert only_entry(session).status == "completed", "its end stands"
        assert desk.busy() == 0
        assert session.log.listeners == before
        with pytest.raises(AgentError, match="no agent"):
            await desk.send(AgentId("a-nobody"), "hello")


async def test_an_agent_that_needs_a_server_is_not_started_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        folder = stage.project / ".pilotfish" / "agents"
        folder.mkdir(parents=True)
        (folder / "needy.md").write_text(NEEDY)
        session = await stage.session()
        stage.play(cast([Turn([agent("scout: go", "needy")]), "I could not."]))
        await ask(session, "Begin")
        result = str(stage.fake.requests[-1].body["messages"])
        assert "needs MCP servers that are not connected: db" in result
        assert session.data.agents == {}
