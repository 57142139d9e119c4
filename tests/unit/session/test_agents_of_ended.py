"""What becomes of an agent's own agents, and of the tree that they work in, when it ends."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.agent_events import AgentTreeSettled
from pilotfish.core.agents import AgentOutcome
from pilotfish.core.errors import AgentError
from pilotfish.core.ids import AgentId
from pilotfish.session.agent_run import AgentRun
from pilotfish.session.session import Session

from tests.support.agent_scripts import NOTED, bodies, cast
from tests.support.agents_at_work import begun, desk_of, ended, entry_of, held
from tests.support.engine_stage import EngineStage, ask
from tests.support.git_folder import make_repository
from tests.support.waiting import WAIT_S, until
from tools.fake_model import HttpError, Stall, ToolUse, Turn


def failing(gate: str) -> list[Turn]:
    """Return the turns of an agent that fails once the gate is released."""
    look = Turn([ToolUse("Glob", {"pattern": "*"})], faults=[Stall(before_headers=True, gate=gate)])
    return [look, Turn(error=HttpError(status=400, message="no more"))]


def end_of(session: Session, name: str) -> AgentOutcome:
    outcome = entry_of(session, name).outcome
    assert outcome is not None
    return outcome


def tree_of(session: Session) -> Path:
    tree = entry_of(session, "alpha").facts.worktree
    assert tree is not None
    return Path(tree.path)


async def fails(stage: EngineStage, session: Session, agent: AgentId) -> None:
    stage.fake.release("alpha")


async def is_stopped(stage: EngineStage, session: Session, agent: AgentId) -> None:
    assert await desk_of(session).stop(agent)


async def is_cancelled(stage: EngineStage, session: Session, agent: AgentId) -> None:
    found = desk_of(session).session_of(agent)
    assert found is not None
    await found.cancel()


async def session_closes(stage: EngineStage, session: Session, agent: AgentId) -> None:
    await stage.manager.close(session.id)


STOPPED = "the agent that started it was stopped"
ENDED = "the agent that started it has ended"


@pytest.mark.parametrize(
    ("end", "status", "why"),
    [
        (fails, "failed", ENDED),
        (is_stopped, "killed", STOPPED),
        (is_cancelled, "killed", ENDED),
        (session_closes, "killed", STOPPED),
    ],
)
async def test_whatever_an_agent_has_started_ends_with_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    end: Callable[[EngineStage, Session, AgentId], Any],
    status: str,
    why: str,
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        stage.play(
            cast(
                [Turn([begun("alpha")]), NOTED],
                alpha=[Turn([begun("beta")]), *failing("alpha")],
                beta=[Turn([begun("gamma")]), held("No.", "beta")],
                gamma=[held("No.", "gamma")],
            )
        )
        await ask(session, "Begin")
        for gate in ("alpha", "beta", "gamma"):
            await stage.fake.wait_for_stall(gate, timeout_s=WAIT_S)
        await end(stage, session, entry_of(session, "alpha").agent_id)
        await ended(session)
        alpha, beta, gamma = (end_of(session, name) for name in ("alpha", "beta", "gamma"))
        assert (alpha.status, alpha.unheard) == (status, (entry_of(session, "beta").agent_id,))
        assert (beta.status, beta.error) == ("killed", why)
        assert (gamma.status, gamma.error) == ("killed", STOPPED)
        assert desk_of(session).running() == []


@pytest.mark.parametrize("isolation", [{}, {"isolation": "worktree"}])
async def test_an_agent_that_waits_hears_of_the_one_that_the_user_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolation: dict[str, str]
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        make_repository(stage.project, a="one\n")
        session = await stage.session()
        stage.play(
            cast(
                [Turn([begun("alpha")]), NOTED],
                alpha=[Turn([begun("beta", **isolation)]), "I wait.", "Then without it."],
                beta=[held("Half a pond", "beta")],
            )
        )
        await ask(session, "Begin")
        await stage.fake.wait_for_stall("beta", timeout_s=WAIT_S)
        alpha, beta = (entry_of(session, name).agent_id for name in ("alpha", "beta"))
        its_own = desk_of(session).session_of(alpha)
        assert its_own is not None
        await until(lambda: its_own.state == "idle")
        assert await desk_of(session).stop(beta, "the user stopped it")
        await ended(session)
        end = end_of(session, "alpha")
        assert (end.status, end.text, end.unheard) == ("completed", "Then without it.", ())
        told = str(bodies(stage, "alpha")[-1]["messages"][-1])
        assert f"<task-id>{beta}</task-id>" in told
        assert "<status>killed</status>" in told
        assert "the user stopped it" in told
        assert len(bodies(stage, "alpha")) == 3
        stage.check(session)


async def test_an_agent_that_waits_and_is_stopped_hears_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        two = Turn([begun("beta"), begun("gamma")])
        stage.play(
            cast(
                [Turn([begun("alpha")]), NOTED],
                alpha=[two, "I wait.", Turn("No.", repeat="forever")],
                beta=[held("No.", "beta")],
                gamma=[held("No.", "gamma")],
            )
        )
        await ask(session, "Begin")
        for gate in ("beta", "gamma"):
            await stage.fake.wait_for_stall(gate, timeout_s=WAIT_S)
        alpha = entry_of(session, "alpha").agent_id
        its_own = desk_of(session).session_of(alpha)
        assert its_own is not None
        await until(lambda: its_own.state == "idle")
        assert await desk_of(session).stop(alpha, "the user stopped it")
        await ended(session)
        end = end_of(session, "alpha")
        assert (end.status, end.error) == ("killed", "the user stopped it")
        assert len(bodies(stage, "alpha")) == 2, "it was not set to work again to hear of the ends"
        assert {end_of(session, name).error for name in ("beta", "gamma")} == {STOPPED}
        stage.check(session)


async def test_an_agent_at_its_limit_takes_its_agents_along_and_whoever_goes_on_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = {"agents": {"maxTurns": 1}}
    async with EngineStage.open(tmp_path, monkeypatch, limit) as stage:
        session = await stage.session()
        alpha = [Turn([begun("beta")]), "Now I know."]
        stage.play(
            cast(
                [Turn([begun("alpha", run_in_background=False)]), "Noted."],
                alpha=alpha,
                beta=[held("No.", "beta")],
            )
        )
        assert (await ask(session, "Begin")).reason == "completed"
        alpha_end, beta = end_of(session, "alpha"), entry_of(session, "beta").agent_id
        assert alpha_end.status == "failed"
        assert "it came to a limit" in alpha_end.error
        # The call was answered when nobody was at the work any more, and says whose end is not known.
        assert end_of(session, "beta").status == "killed"
        told = str(bodies(stage, "Begin")[-1]["messages"][-1])
        assert f"what became of agents that it had started: {beta}." in told
        await desk_of(session).send(entry_of(session, "alpha").agent_id, "Go on")
        await ended(session)
        heard = str(bodies(stage, "alpha")[-1]["messages"])
        assert f"<task-id>{beta}</task-id>" in heard
        assert "<status>killed</status>" in heard
        stage.check(session)


async def test_the_news_of_an_end_names_what_nobody_has_heard_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an agent of an ended one had found is not lost: whoever hears of the end can look."""
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        stage.play(
            cast(
                [Turn([begun("alpha")]), NOTED],
                alpha=[Turn([begun("beta")]), held("No.", "alpha")],
                beta=["A pond behind the mill."],
            )
        )
        await ask(session, "Begin")
        await stage.fake.wait_for_stall("alpha", timeout_s=WAIT_S)
        await until(lambda: entry_of(session, "beta").outcome is not None)
        await is_cancelled(stage, session, entry_of(session, "alpha").agent_id)
        await ended(session)
        assert end_of(session, "beta").status == "completed"
        await ask(session, "What became of it?")
        beta = entry_of(session, "beta").agent_id
        assert f"that it had started: {beta}." in str(bodies(stage, "Begin")[-1]["messages"])


def wait_for_close(monkeypatch: pytest.MonkeyPatch, name: str) -> asyncio.Event:
    """Let what an agent has left running end only when the test says so."""
    go, close = asyncio.Event(), AgentRun.close

    async def slow(self: AgentRun, *, leave_open: bool = False) -> None:
        if self.facts.prompt.startswith(name):
            await go.wait()
        await close(self, leave_open=leave_open)

    monkeypatch.setattr(AgentRun, "close", slow)
    return go


async def test_a_tree_stays_until_nobody_is_at_work_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = wait_for_close(monkeypatch, "beta")
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        make_repository(stage.project)
        session = await stage.session()
        stage.play(
            cast(
                [Turn([begun("alpha", isolation="worktree")]), NOTED],
                alpha=[Turn([begun("beta")]), *failing("alpha")],
                beta=[held("No.", "beta")],
            )
        )
        await ask(session, "Begin")
        for gate in ("alpha", "beta"):
            await stage.fake.wait_for_stall(gate, timeout_s=WAIT_S)
        stage.fake.release("alpha")
        await until(lambda: entry_of(session, "beta").outcome is not None)
        assert end_of(session, "alpha").worktree_kept is None, "nobody can say yet"
        assert tree_of(session).is_dir()
        go.set()
        await ended(session)
        assert end_of(session, "alpha").worktree_kept is False
        assert not tree_of(session).exists()
        said = [one for one in stage.events(session) if isinstance(one, AgentTreeSettled)]
        assert [one.kept for one in said] == [False], "nothing was said too early"


async def resting(stage: EngineStage, beta: list[str | Turn], *alpha: str | Turn) -> Session:
    """Let an agent with a tree of its own and one that it started in there come to their ends."""
    make_repository(stage.project)
    session = await stage.session()
    stage.play(
        cast(
            [Turn([begun("alpha", isolation="worktree")]), NOTED],
            alpha=alpha or [Turn([begun("beta")]), NOTED],
            beta=beta,
        )
    )
    await ask(session, "Begin")
    await ended(session)
    return session


async def test_an_agent_that_goes_on_alone_keeps_the_tree_that_it_works_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await resting(stage, ["A pond.", held("A bridge.", "beta")])
        desk, tree = desk_of(session), tree_of(session)
        assert not tree.exists(), "it held nothing"
        alpha, beta = (entry_of(session, name).agent_id for name in ("alpha", "beta"))
        assert await desk.send(beta, "And the bridge?") == "resumed"
        await stage.fake.wait_for_stall("beta", timeout_s=WAIT_S)
        assert tree.is_dir(), "it was made again"
        assert await desk.send(alpha, "And you?") == "resumed"
        for touch in (desk.trees.compare, desk.trees.merge, desk.trees.remove):
            with pytest.raises(AgentError, match="still works"):
                await touch(alpha)
        assert tree.is_dir()
        stage.fake.release("beta")
        await ended(session)
        assert {entry.status for entry in session.data.agents.values()} == {"completed"}
        assert not tree.exists()
        assert end_of(session, "alpha").worktree_kept is False


async def test_a_tree_in_which_somebody_goes_on_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However clean it is, and though its owner has ended."""
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        write = Turn([ToolUse("Write", {"file_path": "new.txt", "content": "new\n"})])
        session = await resting(
            stage, ["A pond.", held("A bridge.", "beta")], write, Turn([begun("beta")]), NOTED
        )
        desk, tree = desk_of(session), tree_of(session)
        alpha, beta = (entry_of(session, name).agent_id for name in ("alpha", "beta"))
        assert end_of(session, "alpha").worktree_kept is True
        (tree / "new.txt").unlink()
        assert await desk.send(beta, "And the bridge?") == "resumed"
        await stage.fake.wait_for_stall("beta", timeout_s=WAIT_S)
        with pytest.raises(AgentError, match=f"The agent {beta} still works"):
            await desk.trees.remove(alpha)
        assert tree.is_dir()
        stage.fake.release("beta")
        await ended(session)
        assert not tree.exists(), "the last one out has it looked at"
