"""Many agents, many messages, and a server that dies among them: nothing lost, nothing twice."""

import time
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.agent_events import AgentEnded

from tests.support.agent_scripts import agent, bodies, cast, events_of
from tests.support.chat import Chat
from tests.support.command_line import pilotfish
from tests.support.mortal_server import server
from tests.support.stage import Stage, alive, all_text, assert_paired, environment, family, text_of
from tests.support.waiting import until, until_answer
from tests.support.wire_client import Json, WireError
from tools.fake_model import FakeModel, Pace, Stall, ToolUse, Turn, Usage

pytestmark = pytest.mark.asyncio(loop_scope="session")

NAMES = [f"worker{number}" for number in range(10)]
MESSAGES = 1_000


async def call(chat: Chat, method: str, **params: Any) -> Any:
    return await chat.client.request(
        f"_pilotfish/agents/{method}", {"sessionId": chat.id, **params}
    )


async def rows(chat: Chat) -> list[Json]:
    return (await call(chat, "list"))["agents"]


def begun(name: str, *, in_background: bool = True) -> ToolUse:
    return agent(f"{name}: do it", call=f"toolu_{name}", name=name, run_in_background=in_background)


def mark(name: str) -> ToolUse:
    """Return a command that leaves a trace each time it runs."""
    return ToolUse("Bash", {"command": f"echo x >> {name}.txt"}, id=f"toolu_mark_{name}")


def held(text: str, gate: str = "default") -> Turn:
    return Turn(text, faults=[Stall(after_events=3, gate=gate, max_s=300)])


async def test_a_server_killed_with_ten_agents_at_work_loses_and_repeats_nothing(
    tmp_path: Path,
) -> None:
    workers = {
        name: [Turn(["I do it.", mark(name)]), held("Half"), f"{name} is done."] for name in NAMES
    }
    main = [Turn([begun(name) for name in NAMES]), "They work.", "I see.", "And that one, too."]
    async with FakeModel() as fake:
        async with server(fake, tmp_path) as stage:
            fake.play(cast(main, **workers))
            chat = await stage.chat(allowedTools=["Bash"])
            await chat.ask("Do it ten times")
            await fake.wait_for_stall(count=10, timeout_s=60)
            listed = [row["agentId"] for row in await rows(chat)]
            assert len(listed) == 10
            used = {row["agentId"]: (row["tokens"], row["toolUses"]) for row in await rows(chat)}
            assert all(tokens > 0 and uses == 1 for tokens, uses in used.values())
            processes = family(stage.client.process.pid)
            stage.client.process.kill()
            await stage.client.wait_for_exit()
            await until(lambda: not alive(processes))
            killed_ms = time.time_ns() // 1_000_000
        async with server(fake, tmp_path) as stage:
            again, _ = await stage.reload(chat.id)
            after = await rows(again)
            assert [row["agentId"] for row in after] == listed, "in the same order"
            assert {row["status"] for row in after} == {"stopped"}
            assert all(row["canResume"] and row["evictAtMs"] is None for row in after)
            assert "Pilotfish ended while it worked" in after[0]["error"]
            assert {one["agentId"]: (one["tokens"], one["toolUses"]) for one in after} == used
            # It worked until its last sign of life, not until the server was there again.
            assert all(row["startedAtMs"] <= row["endedAtMs"] <= killed_ms for row in after)
            requests = len(fake.requests)
            assert await again.ask("What has become of them?") == "end_turn"
            assert len(fake.requests) == requests + 1, "nothing goes on by itself"
            told = all_text(stage.body())
            assert told.count("<task-notification>") == 10
            assert [told.count(f"<task-id>{one}</task-id>") for one in listed] == [1] * 10

            [worker3] = [row["agentId"] for row in after if row["name"] == NAMES[3]]
            delivery = await call(again, "send", agentId=worker3, text="Go on")
            assert delivery == {"delivery": "resumed"}
            await until(lambda: "And that one, too." in again.text())
            last = bodies(stage, NAMES[3])[-1]
            assert_paired(last)
            assert "Go on" in str(last["messages"][-1])
            assert "toolu_mark_worker3" in str(last["messages"])
            for name in NAMES:
                trace = stage.project / f"{name}.txt"
                assert trace.read_text(encoding="utf-8") == "x\n", "nothing ran twice"
            ends = [one for one in await events_of(stage, again) if isinstance(one, AgentEnded)]
            assert [one.outcome.status for one in ends] == ["killed"] * 10 + ["completed"]


async def test_an_agent_that_was_waited_for_is_offered_after_a_crash(tmp_path: Path) -> None:
    main = [Turn([begun("scout", in_background=False)]), "I see.", "A pond."]
    scout = [Turn(["I do it.", mark("scout")]), held("Half"), "There is a pond."]
    async with FakeModel() as fake:
        async with server(fake, tmp_path) as stage:
            fake.play(cast(main, scout=scout))
            chat = await stage.chat(allowedTools=["Bash"])
            chat.send("Look around")
            await fake.wait_for_stall()
            await stage.client.request("session/list", {})  # which has everything written first
            stage.client.process.kill()
            await stage.client.wait_for_exit()
        async with server(fake, tmp_path) as stage:
            again, _ = await stage.reload(chat.id)
            [row] = await rows(again)
            assert (row["status"], row["canResume"]) == ("stopped", True)
            await again.ask("Go on")
            assert all_text(stage.body()).count("<task-notification>") == 1
            assert_paired(stage.body())
            await call(again, "send", agentId=row["agentId"], text="Go on")
            await until(lambda: again.text().endswith("A pond."))
            assert (stage.project / "scout.txt").read_text(encoding="utf-8") == "x\n"


async def test_what_agents_had_taken_is_free_after_a_crash(tmp_path: Path) -> None:
    """Whoever goes on finds nothing that belongs to somebody who does not work any more."""
    tasks = ToolUse("TaskCreate", {"subject": "Dig", "description": "…"}, id="toolu_task")
    take = ToolUse("TaskUpdate", {"taskId": "1", "status": "in_progress"}, id="toolu_take")
    look = ToolUse("TaskList", {}, id="toolu_list")
    main = [Turn([tasks]), Turn([begun("scout")]), "It works.", Turn([look]), "I see."]
    async with FakeModel() as fake:
        async with server(fake, tmp_path) as stage:
            fake.play(cast(main, scout=[Turn([take]), held("Half")]))
            chat = await stage.chat()
            await chat.ask("Have it dug")
            await fake.wait_for_stall()
            snapshot = await chat.snapshot()
            assert [one["owner"] for one in snapshot["todos"]] == ["scout"]
            await stage.client.request("session/list", {})  # which has everything written first
            stage.client.process.kill()
            await stage.client.wait_for_exit()
        async with server(fake, tmp_path) as stage:
            again, _ = await stage.reload(chat.id)
            [task] = (await again.snapshot())["todos"]
            assert (task["status"], task["owner"]) == ("pending", None)
            await again.ask("And now?")
            assert text_of(stage.results()[0]) == "#1 [pending] Dig"


async def test_a_thousand_messages_arrive_in_order_and_one_more_is_refused(stage: Stage) -> None:
    scout = [held("I look around"), "I have read them all."]
    stage.play(cast([Turn([begun("scout")]), "It looks.", "It has read."], scout=scout))
    chat = await stage.chat()
    await chat.ask("Look around")
    await stage.stalled()
    [row] = await rows(chat)
    one = {"agentId": row["agentId"]}
    for number in range(MESSAGES):
        assert await call(chat, "send", **one, text=f"message {number}.") == {"delivery": "queued"}
    with pytest.raises(WireError, match="waiting already"):
        await call(chat, "send", **one, text="one too many")
    stage.fake.release()
    await until(lambda: len(chat.turns()) == 2)
    texts = [
        block["text"]
        for block in bodies(stage, "scout")[-1]["messages"][-1]["content"]
        if block["type"] == "text" and block["text"].startswith("message ")
    ]
    assert texts == [f"message {number}." for number in range(MESSAGES)]


async def test_everything_is_back_to_where_it_was_when_all_agents_have_ended(
    tmp_path: Path,
) -> None:
    names = [f"busy{number:02}" for number in range(12)]
    main = [
        Turn([begun(name, in_background=number % 3 > 0) for number, name in enumerate(names)]),
        "They work.",
        *["I hear."] * len(names),
    ]
    async with FakeModel() as fake, server(fake, tmp_path) as stage:
        stage.play(cast(main, **{name: [held("Half"), "Done."] for name in names}))
        chat = await stage.chat()
        before = await counts(stage)
        prompt = chat.send("Do it often")
        await stage.fake.wait_for_stall(count=len(names))
        listed = await rows(chat)
        for row in listed:
            await call(chat, "view", agentId=row["agentId"])
        await call(chat, "send", agentId=listed[0]["agentId"], text="And more")
        await call(chat, "stop", agentId=listed[1]["agentId"])
        await call(chat, "unview")
        assert (await counts(stage))["agents"] == len(names) - 1
        stage.fake.release(count=len(names))
        assert await prompt.stop_reason() == "end_turn"

        async def settled() -> bool:
            now = await counts(stage)
            return now == before and {row["status"] for row in await rows(chat)} <= {
                "completed",
                "stopped",
            }

        await until_answer(settled)


async def counts(stage: Stage) -> dict[str, int]:
    """Return what the server holds of agents: what runs, listens, waits."""
    stats = await stage.client.request("_pilotfish/testing/stats", {})
    return stats["counts"]


async def test_a_run_waits_for_its_agents_and_answers_with_what_they_found(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    async with FakeModel() as fake:
        main = [Turn([begun("scout")]), "It looks.", "There is a pond, it says."]
        slow = Turn("There is a pond.", pace=Pace(first_byte_ms=1_500))
        fake.play(cast(main, scout=[slow]))
        ran = await pilotfish(
            *("run", "Look around", "--output-format", "json"),
            env=environment(tmp_path / "home", fake.url),
            cwd=project,
        )
    assert ran.code == 0, ran.stderr
    assert ran.result["text"] == "There is a pond, it says."
    assert ran.result["stop_reason"] == "end_turn"


@pytest.mark.parametrize("background", [False, True])
async def test_a_run_pays_for_its_agents_and_says_what_they_were_not_permitted(
    tmp_path: Path, *, background: bool
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    asked = ToolUse("Bash", {"command": "touch made.txt"}, id="toolu_touch")
    dear = Usage(input=1_000, output=50_000)
    call = agent("scout: go", call="toolu_scout", run_in_background=background)
    said = ["Begun.", "So it is."] if background else ["So it is."]
    async with FakeModel() as fake:
        scout = [Turn([asked], usage=dear), Turn("I may not.", usage=dear)]
        fake.play(cast([Turn([call]), *said], scout=scout))
        ran = await pilotfish(
            *("run", "Look around", "--output-format", "json"),
            env=environment(tmp_path / "home", fake.url),
            cwd=project,
        )
    assert ran.code == 3, ran.stderr
    assert not (project / "made.txt").exists()
    assert (ran.result["permission_denials"], ran.result["num_denials"]) == ([], 1)
    # Two replies of the agent; those of the main one have a few hundred tokens.
    assert ran.result["usage"]["output_tokens"] > 100_000
    assert ran.result["cost_usd"] > 1
