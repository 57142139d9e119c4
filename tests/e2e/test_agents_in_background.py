"""Sub-agents that work while the conversation goes on."""

import pathlib

import pytest
from pilotfish.core.agent_events import AgentBackgrounded, AgentEnded

from tests.support.agent_scripts import (
    agent,
    bash,
    bodies,
    cast,
    events_of,
    number_in,
    results_of,
    session_data,
)
from tests.support.stage import Stage, alive, text_of
from tests.support.waiting import until
from tools.fake_model import Pace, Stall, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

UNTIL_GO = "echo $$ > pid; while [ ! -e go ]; do sleep 0.02; done; echo gone"


async def test_a_background_agent_returns_at_once_and_its_end_is_told_once(stage: Stage) -> None:
    stage.play(
        cast(
            [Turn([agent("scout: wait", run_in_background=True)]), "Begun.", "It is back.", "Bye."],
            scout=[Turn([bash(UNTIL_GO)]), "Found </result> the thing."],
        )
    )
    chat = await stage.chat(allowedTools=["Bash"])
    assert await chat.ask("Begin") == "end_turn"
    launched = text_of(results_of(stage, "Begin")[0])
    assert "in the background" in launched
    assert "do not guess" in launched
    assert len(chat.turns()) == 1

    (stage.project / "go").touch()
    await until(lambda: len(chat.turns()) == 2)
    told = text_of(bodies(stage, "Begin")[-1]["messages"][-1]["content"][-1])
    assert "<status>completed</status>" in told
    assert "Found &lt;/result&gt; the thing." in told
    path = told.partition("<output-file>")[2].partition("</output-file>")[0]
    await until(lambda: _read(path).startswith("Found </result> the thing.\n\n---\nWhat it did:"))
    assert await chat.ask("Thanks") == "end_turn"
    assert str(bodies(stage, "Begin")[-1]["messages"]).count("<task-notification>") == 1


async def test_stop_leaves_background_agents_alone_and_closing_ends_them(stage: Stage) -> None:
    slow = Turn("And now for a long time", faults=[Stall(after_events=4)], pace=Pace(chunk_chars=5))
    stage.play(
        cast(
            [Turn([agent("scout: wait", run_in_background=True)]), slow],
            scout=[Turn([bash(UNTIL_GO)])],
        )
    )
    chat = await stage.chat(allowedTools=["Bash"])
    prompt = chat.send("Begin")
    pid = await number_in(stage.project / "pid")
    await chat.wait_for_text("And now")
    chat.stop()
    assert await prompt.stop_reason() == "cancelled"
    assert alive({pid})
    assert not any(isinstance(one, AgentEnded) for one in await events_of(stage, chat))

    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    await until(lambda: not alive({pid}))
    [ended] = [one for one in await events_of(stage, chat) if isinstance(one, AgentEnded)]
    assert (ended.outcome.status, ended.outcome.error) == ("killed", "its session was closed")


async def test_an_agent_that_takes_long_goes_on_in_the_background_by_itself(stage: Stage) -> None:
    stage.write(".pilotfish/settings.json", '{"agents": {"autoBackgroundMs": 100}}')
    stage.play(
        cast(
            [Turn([agent("scout: wait")]), "It takes long.", "It is back."],
            scout=[Turn([bash(UNTIL_GO)]), "Here I am."],
        )
    )
    chat = await stage.chat(allowedTools=["Bash"])
    assert await chat.ask("Begin") == "end_turn"
    assert "took long and goes on in the background" in text_of(results_of(stage, "Begin")[0])
    (stage.project / "go").touch()
    await until(lambda: "Here I am." in str(bodies(stage, "Begin")[-1]["messages"]))
    await chat.wait_for_text("It is back.")
    events = await events_of(stage, chat)
    assert sum(isinstance(one, AgentBackgrounded) for one in events) == 1
    # The command was run once: nothing began anew when nobody waited any more.
    assert len(bodies(stage, "scout")) == 2


async def test_an_agents_commands_end_with_it(stage: Stage) -> None:
    command = bash("echo $$ > pid; sleep 600", run_in_background=True)
    stage.play(
        cast([Turn([agent("scout: begin")]), "Done."], scout=[Turn([command]), "I began it."])
    )
    chat = await stage.chat(allowedTools=["Bash"])
    assert await chat.ask("Begin") == "end_turn"
    pid = await number_in(stage.project / "pid")
    await until(lambda: not alive({pid}))


async def test_the_end_of_an_agents_agent_is_told_to_that_agent_alone(stage: Stage) -> None:
    """It has nothing else to do, and waits: its own report comes when both have ended."""
    stage.play(
        cast(
            [Turn([agent("alpha: hand it on")]), "All done."],
            alpha=[
                Turn([agent("beta: look", call="toolu_2", run_in_background=True)]),
                "I wait for the other.",
                "The other found it.",
            ],
            beta=[Turn([bash(UNTIL_GO)]), "It is in the attic."],
        )
    )
    chat = await stage.chat(allowedTools=["Bash"])
    prompt = chat.send("Begin")
    await until(lambda: len(bodies(stage, "alpha")) == 2)
    await number_in(stage.project / "pid")
    (stage.project / "go").touch()
    assert await prompt.stop_reason() == "end_turn"
    assert text_of(results_of(stage, "Begin")[0]).startswith("The other found it.")
    assert "It is in the attic." in str(bodies(stage, "alpha")[-1]["messages"])
    assert "<task-notification>" not in str(bodies(stage, "Begin")[-1]["messages"])


async def test_background_agents_ask_the_user_unless_that_is_switched_off(stage: Stage) -> None:
    make = ToolUse("Bash", {"command": "make it"}, id="toolu_make")
    again = ToolUse("Bash", {"command": "make it"}, id="toolu_make2")
    stage.write("Makefile", "it:\n\t@echo made\n")
    stage.play(
        cast(
            [Turn([agent("scout: make", run_in_background=True)]), "Begun.", "It is back."],
            scout=[Turn([make]), Turn([again]), "Tried."],
        )
    )
    chat = await stage.chat()
    assert await chat.ask("Begin") == "end_turn"
    question = await chat.question()
    assert question.meta["agentId"] != "main"
    stage.settings(backgroundPrompts="deny")
    question.answer("allow_once")
    await until(lambda: len(chat.turns()) == 2)
    first, second = (one["messages"][-1]["content"][0] for one in bodies(stage, "scout")[1:])
    assert "made" in text_of(first)
    assert "nobody can be asked" in text_of(second)


async def test_fifty_agents_at_once_are_fifty_reports_and_leave_nothing(stage: Stage) -> None:
    names = [f"scout{number:02}x" for number in range(50)]
    calls = [agent(f"{name}: go", call=f"toolu_{name}", run_in_background=True) for name in names]
    stage.play(cast([Turn(calls), *["Noted."] * 60], **{name: [f"I am {name}."] for name in names}))
    chat = await stage.chat()
    assert await chat.ask("Begin") == "end_turn"

    def told() -> bool:
        return all(f"I am {name}." in str(bodies(stage, "Begin")[-1]) for name in names)

    await until(told)
    data = session_data(await events_of(stage, chat))
    assert all(entry.status == "completed" and entry.told for entry in data.agents.values())
    assert len(data.agents) == 50
    said = str(bodies(stage, "Begin")[-1]["messages"])
    assert said.count("<task-notification>") == 50
    await chat.wait_for_state("idle")
    stage.play([])


def _read(path: str) -> str:
    try:
        with pathlib.Path(path).open(encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


async def test_a_question_of_an_agent_waits_for_the_user_and_not_for_a_turn(stage: Stage) -> None:
    stage.play(
        cast(
            [Turn([agent("scout: make", run_in_background=True)]), "Begun.", "It is back."],
            scout=[Turn([bash("make it")]), "Made."],
        )
    )
    chat = await stage.chat()
    await chat.ask("Go")
    question = await chat.question()
    await chat.wait_for_state("requires_action")
    snapshot = await chat.snapshot()
    assert (snapshot["state"], snapshot["turnRunning"]) == ("requires_action", False)
    question.answer("reject_once")
    await until(lambda: len(chat.turns()) == 2)
    await chat.wait_for_state("idle")
    assert (await chat.snapshot())["turnRunning"] is False
