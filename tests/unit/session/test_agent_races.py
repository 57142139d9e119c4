"""What happens to an agent at the very moment in which something else happens to it."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.agent_events import AgentResumed, AgentStarted
from pilotfish.core.errors import AgentError
from pilotfish.core.events import EventRecord, ToolFinished
from pilotfish.core.messages import TextBlock
from pilotfish.session.agent_bench import AgentJob
from pilotfish.session.agent_plan import AgentPlanner, Starter
from pilotfish.session.agent_run import AgentRun
from pilotfish.session.agent_transcripts import agent_transcript
from pilotfish.session.transcript_reader import read_records

from tests.support.agent_scripts import NOTED, agent, bodies, cast
from tests.support.agents_at_work import begun, desk_of, ended, entry_of, held
from tests.support.engine_stage import EngineStage, ask
from tests.support.git_folder import make_repository
from tests.support.waiting import WAIT_S, until
from tools.fake_model import Stall, ToolUse, Turn


async def test_a_message_to_an_agent_that_is_being_stopped_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        scout = [held("A pond.", "never"), "The bridge is old."]
        stage.play(cast([Turn([begun("scout")]), NOTED], scout=scout))
        await ask(session, "Begin")
        await stage.fake.wait_for_stall("never", timeout_s=WAIT_S)
        desk, scout_id = desk_of(session), entry_of(session).agent_id
        stopping = asyncio.get_running_loop().create_task(desk.stop(scout_id))
        await asyncio.sleep(0)  # the stop has begun and waits for the end of the agent's turn
        assert await desk.send(scout_id, "And the bridge?") == "resumed"
        assert await stopping is True
        await ended(session)
        outcome = entry_of(session).outcome
        assert outcome is not None
        assert (outcome.status, outcome.text) == ("completed", "The bridge is old.")
        assert "And the bridge?" in str(bodies(stage, "scout")[-1]["messages"])
        stage.check(session)


async def test_an_agent_goes_on_only_when_everything_of_its_earlier_life_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its commands may take seconds to end, and what they say then belongs into its transcript."""
    order: list[str] = []
    go, close = asyncio.Event(), AgentRun.close

    async def slow(self: AgentRun, *, leave_open: bool = False) -> None:
        await go.wait()
        await close(self, leave_open=leave_open)
        order.append("over")

    monkeypatch.setattr(AgentRun, "close", slow)
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        stage.play(cast([Turn([begun("scout")]), NOTED], scout=["A pond.", "A troll."]))
        await ask(session, "Begin")
        await until(lambda: entry_of(session).outcome is not None)
        session.log.listen(
            lambda record: (
                order.append("resumed") if isinstance(record.event, AgentResumed) else None
            )
        )
        asyncio.get_running_loop().call_later(0.1, go.set)
        assert await desk_of(session).send(entry_of(session).agent_id, "Go on") == "resumed"
        await ended(session)
        assert order == ["over", "resumed", "over"]
        assert "A pond." in str(bodies(stage, "scout")[-1]["messages"])


async def test_two_messages_at_once_let_an_agent_go_on_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        scout = ["A pond.", held("A troll.", "troll"), "A bridge.", "Nothing more."]
        stage.play(cast([Turn([begun("scout")]), NOTED], scout=scout))
        await ask(session, "Begin")
        await ended(session)
        desk, scout_id = desk_of(session), entry_of(session).agent_id
        sent = await asyncio.gather(*(desk.send(scout_id, f"word {one}") for one in (1, 2, 3)))
        assert sent == ["resumed", "queued", "queued"]
        stage.fake.release("troll")
        await ended(session)
        assert entry_of(session).runs == 2
        asked = str(bodies(stage, "scout")[-1]["messages"])
        assert asked.index("word 1") < asked.index("word 2") < asked.index("word 3")
        records = list(read_records(agent_transcript(session.log.path, scout_id)))
        assert [one.seq for one in records] == list(range(1, len(records) + 1))
        stage.check(session)


async def test_who_is_stopped_leaves_no_agent_that_it_has_just_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, go, stop = asyncio.Event(), asyncio.Event(), AgentRun.stop

    async def slow(self: AgentRun, why: str = "it was stopped") -> None:
        if self.facts.prompt.startswith("beta"):
            reached.set()
            await go.wait()
        await stop(self, why)

    monkeypatch.setattr(AgentRun, "stop", slow)
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        late = Turn([begun("gamma")], faults=[Stall(before_headers=True, gate="alpha")])
        stage.play(
            cast(
                [Turn([begun("alpha")]), NOTED],
                alpha=[Turn([begun("beta")]), late, held("No.", "never")],
                beta=[held("No.", "never")],
                gamma=[held("No.", "never")],
            )
        )
        await ask(session, "Begin")
        await stage.fake.wait_for_stall("never", timeout_s=WAIT_S)
        await stage.fake.wait_for_stall("alpha", timeout_s=WAIT_S)
        stopping = asyncio.get_running_loop().create_task(
            desk_of(session).stop(entry_of(session, "alpha").agent_id)
        )
        await reached.wait()
        stage.fake.release("alpha")
        await until(lambda: len(session.data.agents) == 3)
        go.set()
        assert await stopping is True
        assert {one.status for one in session.data.agents.values()} == {"killed"}
        await ended(session)


async def test_nobody_is_resumed_in_a_session_that_is_being_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, go, recall = asyncio.Event(), asyncio.Event(), AgentPlanner.recall

    async def slow(self: AgentPlanner, job: AgentJob) -> AgentJob:
        reached.set()
        await go.wait()
        return await recall(self, job)

    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        stage.play(cast([Turn([begun("scout")]), NOTED], scout=["A pond.", "A troll."]))
        await ask(session, "Begin")
        await ended(session)
        monkeypatch.setattr(AgentPlanner, "recall", slow)
        desk = desk_of(session)
        sending = asyncio.get_running_loop().create_task(
            desk.send(entry_of(session).agent_id, "Go on")
        )
        await reached.wait()
        await stage.manager.close(session.id)
        go.set()
        with pytest.raises(AgentError, match="being closed"):
            await sending
        assert entry_of(session).status == "completed"
        assert desk.busy() == 0


async def test_a_stop_before_an_agent_has_begun_leaves_no_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = asyncio.Event()

    async def endless(*_: Any) -> None:
        reached.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(AgentPlanner, "recall", endless)
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        make_repository(stage.project)
        session = await stage.session()
        stage.play(cast([Turn([agent("scout: go", isolation="worktree")])]))
        prompt = asyncio.get_running_loop().create_task(ask(session, "Begin"))
        await reached.wait()
        folder = stage.project / ".pilotfish" / "worktrees"
        assert any(path.is_dir() for path in folder.glob("agent-*"))
        await session.cancel()
        assert (await prompt).reason == "aborted_tools"
        assert not any(path.is_dir() for path in folder.glob("agent-*"))
        assert AgentStarted not in [type(event) for event in stage.events(session)]


@pytest.mark.parametrize("in_background", [False, True])
async def test_whoever_hears_of_an_end_finds_the_tasks_of_that_agent_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_background: bool
) -> None:
    """However long the rest of what follows an end may take."""
    seen: list[ToolFinished] = []
    looked, write_report = asyncio.Event(), AgentRun.write_report

    async def slow(self: AgentRun) -> None:
        await looked.wait()
        await write_report(self)

    def hear(record: EventRecord) -> None:
        if isinstance(record.event, ToolFinished) and record.event.tool_use_id == "toolu_look":
            seen.append(record.event)
            looked.set()

    monkeypatch.setattr(AgentRun, "write_report", slow)
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        session.log.listen(hear)
        take = Turn([ToolUse("TaskUpdate", {"taskId": "1", "status": "in_progress"})])
        main = [
            Turn([ToolUse("TaskCreate", {"subject": "Do it", "description": "All of it"})]),
            Turn([agent("ada: take it", name="ada", run_in_background=in_background)]),
            *(["Begun."] if in_background else []),
            Turn([ToolUse("TaskList", {}, id="toolu_look")]),
            NOTED,
        ]
        stage.play(cast(main, ada=[take, held("I give up.", "rest") if in_background else "No."]))
        await ask(session, "Hand it out")
        stage.fake.release("rest")
        if in_background:
            await until(lambda: entry_of(session, "ada").outcome is not None)
            await session.hear_news()
        await ended(session)
        assert [block.text for block in seen[0].content if isinstance(block, TextBlock)] == [
            "#1 [pending] Do it"
        ]


async def test_agents_of_one_reply_are_listed_in_the_order_of_its_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What each needs first is looked up in a thread, and the first may be the last to have it."""
    names = ("ada", "ben", "cleo")
    others_began = threading.Event()
    find_folder = AgentPlanner._folder

    def find(self: AgentPlanner, asked: str | None, starter: Starter) -> Path:
        if asked is not None:
            assert others_began.wait(WAIT_S)
        return find_folder(self, asked, starter)

    monkeypatch.setattr(AgentPlanner, "_folder", find)
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        session = await stage.session()
        began: list[str] = []

        def follow(record: EventRecord) -> None:
            if isinstance(record.event, AgentStarted):
                began.append(record.event.facts.prompt.partition(":")[0])
                if len(began) == len(names) - 1:
                    others_began.set()

        session.log.listen(follow)
        scripts = {name: [held("Done.", name)] for name in names}
        calls = [begun("ada", cwd="."), begun("ben"), begun("cleo")]
        stage.play(cast([Turn(calls), NOTED, NOTED], **scripts))
        await ask(session, "Begin")
        listed = [row.entry.facts.prompt.partition(":")[0] for row in session.roster.rows()]
        assert began[-1] == "ada"
        assert listed == [*names]
        for name in names:
            stage.fake.release(name)
        await ended(session)
        await session.hear_news()
        stage.check(session)
