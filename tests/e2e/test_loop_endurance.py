"""Many turns, many stops, many prompts: the loop stays valid, small and cacheable."""

import asyncio
from itertools import pairwise
from pathlib import Path

import psutil
import pytest
from pilotfish.core.events import TurnEnded

from tests.support.cacheable import MIN_SHARED, shared
from tests.support.engine_stage import EngineStage, ask
from tests.support.stage import Stage, body_of
from tools.fake_model import Loop, Pace, Scenario, Stall, Thinking, ToolUse, Turn

ROUNDS = 500
"""Turns of the soak."""

MAX_GROWTH_BYTES = 20 * 1024 * 1024
"""What memory may grow beyond the content itself."""


def read(name: str) -> ToolUse:
    return ToolUse("Read", {"file_path": name, "offset": "{{n}}", "limit": 5})


@pytest.mark.asyncio(loop_scope="session")
async def test_memory_grows_with_the_content_and_requests_stay_cacheable(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        stage.write("a.txt", "line\n" * 2_000)
        turn = Turn(["I look.", read("a.txt")], loop=Loop(times=9, then="Read."), repeat="forever")
        stage.play(Scenario([turn]))
        chat = await stage.chat()
        process = psutil.Process(stage.client.process.pid)
        baseline = 0
        for number in range(ROUNDS // 10):
            assert await chat.ask(f"Prompt {number}") == "end_turn"
            raws = [request.raw for request in stage.fake.requests[-11:]]
            assert all(shared(*pair) >= MIN_SHARED for pair in pairwise(raws))
            if number == 5:
                baseline = process.memory_info().rss
        growth = process.memory_info().rss - baseline
        content = len(stage.fake.requests[-1].raw)
        assert growth <= content + MAX_GROWTH_BYTES, (growth, content)
        assert stage.fake.problems == []


async def test_a_storm_of_stops_leaves_every_pair_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        (stage.project / "a.txt").write_text("line\n" * 100, encoding="utf-8")
        content = [Thinking("Hm."), "I work.", read("a.txt"),
                   ToolUse("Bash", {"command": "pwd"}), ToolUse("Write", {"file_path": "b", "content": "x"})]  # fmt: skip
        turns = [
            Turn(content, faults=[Stall(after_events=at)], pace=Pace(chunk_chars=10))
            for at in range(1, 25)
        ]
        stage.play(Scenario([*turns, Turn("Calm.", repeat="forever")]))
        session = await stage.session()
        for number in range(1, 25):
            prompt = asyncio.ensure_future(ask(session, f"Prompt {number}"))
            await stage.fake.wait_for_request(number)
            await stage.fake.wait_for_stall()
            await asyncio.gather(*(session.cancel() for _ in range(5)))
            assert (await prompt).reason.startswith("aborted")
        assert (await ask(session, "And now?")).reason == "completed"
        stage.check(session)


async def test_a_stop_right_after_each_step_of_the_loop_is_survived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stop comes after a growing number of turns of the event loop, wherever the turn is then."""
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        (stage.project / "a.txt").write_text("line\n" * 100, encoding="utf-8")
        turn = Turn([read("a.txt"), read("a.txt")], loop=Loop(times=3, then="Read."), repeat="forever")  # fmt: skip
        stage.play(Scenario([turn]))
        session = await stage.session()
        for steps in range(0, 400, 5):
            prompt = asyncio.ensure_future(ask(session, f"Prompt {steps}"))
            for _ in range(steps):
                await asyncio.sleep(0)
            await session.cancel()
            assert (await prompt).reason in ("aborted_streaming", "aborted_tools", "completed")
        assert (await ask(session, "And now?")).reason == "completed"
        stage.check(session)


async def test_a_thousand_queued_prompts_reach_the_model_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        stage.play([Turn("Busy.", faults=[Stall(after_events=2)]), "All read."])
        session = await stage.session()
        first = asyncio.ensure_future(ask(session, "Prompt 0"))
        await stage.fake.wait_for_stall()
        more: list[asyncio.Future[TurnEnded]] = []
        for n in range(1, 1_001):
            more.append(asyncio.ensure_future(ask(session, f"Prompt {n}")))
            await asyncio.sleep(0)
            if n % 100 == 0:
                await session.log.flush()
        with pytest.raises(Exception, match="prompts are waiting"):
            await ask(session, "One too many")
        stage.fake.release()
        reasons = {ended.reason for ended in await asyncio.gather(first, *more)}
        assert reasons == {"completed"}
        said = [
            block["text"]
            for message in body_of(stage.fake)["messages"]
            if message["role"] == "user"
            for block in message["content"]
        ]
        assert said == [f"Prompt {n}" for n in range(1_001)]
        stage.check(session)
