"""Agents that go on while the conversation does: lists, views, messages, ends."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.agent_events import AgentEnded

from tests.support.agent_scripts import agent, bodies, cast, events_of
from tests.support.chat import Chat
from tests.support.stage import Stage, assert_paired, text_of
from tests.support.waiting import until
from tests.support.wire_client import Json, WireError
from tools.fake_model import Stall, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


def begun(name: str = "scout", **more: Any) -> ToolUse:
    """Return a call that starts an agent in the background, by the name of its script."""
    given: dict[str, Any] = {"run_in_background": True, "name": name, **more}
    return agent(f"{name}: look around", call=f"toolu_{name}", **given)


def held(text: str, gate: str = "default") -> Turn:
    """Return an answer that begins and then waits for the gate."""
    return Turn(text, faults=[Stall(after_events=3, gate=gate)])


async def call(chat: Chat, method: str, **params: Any) -> Any:
    return await chat.client.request(
        f"_pilotfish/agents/{method}", {"sessionId": chat.id, **params}
    )


async def rows(chat: Chat) -> list[Json]:
    return (await call(chat, "list"))["agents"]


async def only(chat: Chat) -> Json:
    [row] = await rows(chat)
    return row


def lists(chat: Chat) -> list[Json]:
    """Return the lists that came."""
    return [
        one["params"]
        for one in chat.client.notifications
        if one["method"] == "_pilotfish/agents/changed" and one["params"]["sessionId"] == chat.id
    ]


async def status(chat: Chat, wanted: str, at: int = 0) -> None:
    """Wait until a row of the newest list has a status."""

    def newest() -> bool:
        told = lists(chat)
        agents: list[Json] = told[-1]["agents"] if told else []
        return len(agents) > at and bool(agents[at]["status"] == wanted)

    await until(newest)


async def ended_turns(chat: Chat, count: int) -> None:
    await until(lambda: len(chat.turns()) == count)


def result_of(stage: Stage, call_id: str) -> str:
    """Return the result of a call, whichever request told it first."""
    for number in range(len(stage.fake.requests)):
        for one in stage.results(number):
            if one["tool_use_id"] == call_id:
                return text_of(one)
    raise AssertionError(f"no result of {call_id}")


def notes(stage: Stage, number: int = -1) -> list[str]:
    """Return what the newest message of a request tells of tasks."""
    return [text_of(one) for one in stage.said(number) if "<task-notification>" in text_of(one)]


async def test_an_agent_in_the_background_is_listed_told_once_and_taken_up(stage: Stage) -> None:
    stage.play(
        cast(
            [Turn(["I send it.", begun()]), "It looks.", "The scout found a pond.", "Welcome."],
            scout=[held("There is a pond.")],
        )
    )
    chat = await stage.chat()
    assert await chat.ask("Look around") == "end_turn"
    assert "works in the background" in result_of(stage, "toolu_scout")
    await stage.stalled()
    row = await only(chat)
    assert (row["status"], row["isBackground"], row["name"]) == ("running", True, "scout")
    assert (row["parentToolCallId"], row["depth"], row["canResume"]) == ("toolu_scout", 1, False)

    stage.fake.release()
    await ended_turns(chat, 2)
    [note] = notes(stage)
    assert f"<task-id>{row['agentId']}</task-id>" in note
    assert "<result>There is a pond.</result>" in note
    assert chat.text().endswith("The scout found a pond.")
    after = await only(chat)
    assert (after["status"], after["canResume"]) == ("completed", True)
    assert after["evictAtMs"] == after["endedAtMs"] + 30_000
    assert [fact["agent"]["change"] for fact in chat.facts("agent")] == ["started", "ended"]
    revisions = [one["revision"] for one in lists(chat)]
    assert revisions == sorted(set(revisions))
    assert await chat.ask("Thanks") == "end_turn"
    assert str(stage.body()["messages"]).count("<task-notification>") == 1


async def test_what_the_user_has_typed_is_served_before_the_news(stage: Stage) -> None:
    main: list[str | Turn] = [Turn([begun()]), held("I go on", "main"), "Four.", "And a pond."]
    stage.play(cast(main, scout=["There is a pond."]))
    chat = await stage.chat()
    first = chat.send("Look around")
    await stage.fake.wait_for_stall("main")
    second = chat.send("And what is two and two?")
    await chat.client.wait_until(lambda: chat.facts("queued") or None, "queued")
    await status(chat, "completed")
    stage.fake.release("main")
    await asyncio.gather(first.stop_reason(), second.stop_reason())
    await until(lambda: "a pond" in chat.text())
    said = [
        text_of(one) for number in range(len(stage.fake.requests)) for one in stage.said(number)
    ]
    asked = said.index("And what is two and two?")
    told = [at for at, text in enumerate(said) if "<task-notification>" in text]
    assert len(told) == 1
    assert asked < told[0]


async def test_stop_of_the_main_turn_leaves_agents_alone_and_their_own_stop_ends_them(
    stage: Stage,
) -> None:
    main: list[str | Turn] = [Turn([begun()]), held("And now for long", "main"), "I see."]
    stage.play(cast(main, scout=[held("Half a pond", "scout")]))
    chat = await stage.chat()
    prompt = chat.send("Look around")
    await stage.fake.wait_for_stall("main")
    await stage.fake.wait_for_stall("scout")
    chat.stop()
    assert await prompt.stop_reason() == "cancelled"
    row = await only(chat)
    assert row["status"] == "running"

    stopped = await call(chat, "stop", agentId=row["agentId"])
    assert stopped == {"stopped": True}
    row = await only(chat)
    assert (row["status"], row["error"]) == ("stopped", "the user stopped it")
    assert await call(chat, "stop", agentId=row["agentId"]) == {"stopped": False}
    assert len(chat.turns()) == 1, "whoever stops it knows; the model hears in time"
    assert await chat.ask("Go on") == "end_turn"
    [note] = notes(stage)
    assert "<status>killed</status>" in note
    assert "Half a" in note


async def test_looking_into_an_agent_and_writing_to_it(stage: Stage) -> None:
    scout: list[str | Turn] = [
        held("I look around"),
        "You said: under the bridge. A troll.",
        "Grass.",
    ]
    stage.play(cast([Turn([begun()]), "It looks.", "A troll!", "And grass."], scout=scout))
    chat = await stage.chat()
    await chat.ask("Look around")
    await stage.stalled()
    one = {"agentId": (await only(chat))["agentId"]}
    view = await call(chat, "view", **one)
    assert view["row"]["status"] == "running"
    shown = "".join(
        update["update"]["content"]["text"]
        for update in view["snapshot"]["updates"]
        if update["update"]["sessionUpdate"] == "agent_message_chunk"
    )
    assert "I look" in shown
    assert (await call(chat, "send", **one, text="Look under the bridge"))["delivery"] == "queued"
    stage.fake.release()
    await status(chat, "completed")
    seqs = [meta["seq"] for meta in chat.agent_facts(one["agentId"])]
    assert seqs == sorted(seqs)
    kinds = [meta["kind"] for meta in chat.agent_facts(one["agentId"])]
    assert "queued" in kinds
    assert "prompt" in kinds
    await ended_turns(chat, 2)
    assert "A troll" in notes(stage)[0]
    assert all("evictAtMs" in row and row["evictAtMs"] is None for row in await rows(chat))
    await call(chat, "unview")
    assert (await only(chat))["evictAtMs"] is not None
    assert (await call(chat, "send", **one, text="And behind it?"))["delivery"] == "resumed"
    await ended_turns(chat, 3)
    assert "Grass." in notes(stage)[0]


async def test_the_model_writes_to_an_agent_that_has_ended(stage: Stage) -> None:
    message = {"to": "scout", "message": "And the bridge?", "summary": "look at the bridge"}
    write = ToolUse("SendMessage", message, id="toolu_write")
    main = [Turn([begun()]), "It looks.", "A pond.", Turn([write]), "I wait.", "And a troll."]
    stage.play(
        cast(main, scout=[held("There is a pond."), held("Under it lives a troll.", "again")])
    )
    chat = await stage.chat()
    await chat.ask("Look around")
    stage.fake.release()
    await ended_turns(chat, 2)
    await chat.ask("What about the bridge?")
    stage.fake.release("again")
    assert "goes on with the message in the background" in result_of(stage, "toolu_write")
    await ended_turns(chat, 4)
    assert "lives a troll" in notes(stage)[0]
    last = bodies(stage, "scout")[-1]
    assert_paired(last)
    assert "There is a pond." in str(last["messages"])
    assert "And the bridge?" in str(last["messages"][-1])
    assert chat.questions() == []


async def test_waiting_for_an_agent_spares_the_note(stage: Stage) -> None:
    look = ToolUse("TaskOutput", {"task_id": "scout"}, id="toolu_look")
    stage.play(cast([Turn([begun()]), Turn([look]), "A pond.", "Bye."], scout=["There is a pond."]))
    chat = await stage.chat()
    await chat.ask("Look around")
    assert "There is a pond." in result_of(stage, "toolu_look")
    assert await chat.ask("Thanks") == "end_turn"
    assert "<task-notification>" not in str(stage.body()["messages"])
    assert len(chat.turns()) == 2


async def test_the_output_file_says_what_an_agent_does_while_it_does_it(stage: Stage) -> None:
    """The model reads it without asking anybody, and with it what the agent has come to."""
    stage.play(
        cast(
            [Turn([begun()]), "It looks."],
            scout=[Turn(["Half a pond.", _read()]), held("More", "never")],
        )
    )
    chat = await stage.chat()
    await chat.ask("Look around")
    await stage.fake.wait_for_stall("never")
    row = await only(chat)
    output = Path(row["outputFile"])
    assert f"{output} holds what it has done so far" in result_of(stage, "toolu_scout")
    await until(lambda: "Glob" in _text_of(output))
    assert _text_of(output) == (
        "a small task (general-purpose): at work\n\nHalf a pond.\n\n- Glob: *.none\n"
    )
    assert (await call(chat, "stop", agentId=row["agentId"]))["stopped"] is True
    await until(lambda: _text_of(output).startswith("[It was stopped: "))
    assert _text_of(output).endswith("What it did:\n- Glob: *.none")

    look = ToolUse("Read", {"file_path": str(output)}, id="toolu_look")
    stage.play([Turn([look]), "I see."])
    await chat.ask("How far did it come?")
    assert "What it did:" in result_of(stage, "toolu_look")
    assert chat.questions() == []


def _text_of(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


async def test_the_model_stops_an_agent_and_gets_what_it_had(stage: Stage) -> None:
    stop = ToolUse("TaskStop", {"task_id": "scout"}, id="toolu_stop")
    look = ToolUse("TaskOutput", {"task_id": "scout", "block": False}, id="toolu_look")
    main = [Turn([begun()]), "It looks.", Turn([look]), Turn([stop]), "Stopped.", "Bye."]
    stage.play(cast(main, scout=[Turn(["Half a pond.", _read()]), held("More", "never")]))
    chat = await stage.chat()
    await chat.ask("Look around")
    await stage.fake.wait_for_stall("never")
    await chat.ask("Stop it")
    looked = result_of(stage, "toolu_look")
    assert looked.endswith("holds all of it]\nHalf a pond.\nGlob: *.none")
    assert "was stopped. What it had said so far:\nMore" in result_of(stage, "toolu_stop")
    assert await chat.ask("Thanks") == "end_turn"
    assert "<task-notification>" not in str(stage.body()["messages"])


def _read() -> ToolUse:
    return ToolUse("Glob", {"pattern": "*.none"}, id="toolu_glob")


async def test_whoever_waits_for_an_agent_that_the_user_stops_goes_on_with_what_it_had(
    stage: Stage,
) -> None:
    """At every depth: the stop is of the one agent, not of those that wait for it."""
    alpha = [Turn([agent("beta: look", call="toolu_beta")]), "It came half way."]
    more = Turn("More", faults=[Stall(before_headers=True, gate="beta")])
    beta = [Turn(["Half a pond.", _read()]), more]
    stage.play(
        cast([Turn([agent("alpha: hand it on", call="toolu_alpha")]), "So be it."],
             alpha=alpha, beta=beta)
    )  # fmt: skip
    chat = await stage.chat()
    prompt = chat.send("Look around")
    await stage.fake.wait_for_stall("beta")
    listed = (await call(chat, "list"))["foreground"]
    [stopped] = [one["agentId"] for one in listed if one["parentToolCallId"] == "toolu_beta"]
    assert await call(chat, "stop", agentId=stopped) == {"stopped": True}
    assert await prompt.stop_reason() == "end_turn"
    heard = result_of(stage, "toolu_beta")
    assert "was stopped: the user stopped it" in heard
    assert "Half a pond." in heard
    assert result_of(stage, "toolu_alpha").startswith("It came half way.")
    assert chat.text().endswith("So be it.")
    assert "<task-notification>" not in str([dict(one.body) for one in stage.fake.requests])


async def test_an_agent_in_the_foreground_streams_into_its_card_and_is_moved(
    stage: Stage,
) -> None:
    one = agent("scout: look around", call="toolu_scout")
    stage.play(
        cast([Turn([one]), "It goes on.", "A pond."], scout=[held("There is a pond", "scout")])
    )
    chat = await stage.chat()
    prompt = chat.send("Look around")
    await stage.fake.wait_for_stall("scout")
    await until(lambda: bool(lists(chat)) and bool(lists(chat)[-1]["foreground"]))
    [row] = lists(chat)[-1]["foreground"]
    assert lists(chat)[-1]["agents"] == []
    await until(lambda: bool(chat.agent_text(row["agentId"])))
    assert (await call(chat, "background", toolCallId="toolu_none")) == {"moved": False}
    assert (await call(chat, "background", toolCallId="toolu_scout")) == {"moved": True}
    assert await prompt.stop_reason() == "end_turn"
    assert "goes on in the background" in result_of(stage, "toolu_scout")
    stage.fake.release("scout")
    await ended_turns(chat, 2)
    assert len(notes(stage)) == 1
    assert len(bodies(stage, "scout")) == 1, "nothing ran twice"
    kinds = [event.type for event in await events_of(stage, chat)]
    assert kinds.count("agent_backgrounded") == kinds.count("agent_ended") == 1


async def test_what_is_wrong_is_said(stage: Stage) -> None:
    stage.play(cast([Turn([begun()]), "It looks."], scout=[held("There is", "never")]))
    chat = await stage.chat()
    await chat.ask("Look around")
    await stage.fake.wait_for_stall("never")
    one = (await only(chat))["agentId"]
    with pytest.raises(WireError, match="still runs"):
        await call(chat, "dismiss", agentId=one)
    with pytest.raises(WireError, match="no agent 'x'"):
        await call(chat, "view", agentId="x")
    with pytest.raises(WireError, match="no agent 'x'"):
        await call(chat, "send", agentId="x", text="Hello")
    with pytest.raises(WireError, match="empty"):
        await call(chat, "send", agentId=one, text=" ")
    with pytest.raises(WireError, match="no agent 'x'"):
        await call(chat, "stop", agentId="x")


async def test_closing_a_chat_ends_its_agents(stage: Stage) -> None:
    stage.play(cast([Turn([begun()]), "It looks."], scout=[held("There is", "never")]))
    chat = await stage.chat()
    await chat.ask("Look around")
    await stage.fake.wait_for_stall("never")
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    [ended] = [one for one in await events_of(stage, chat) if isinstance(one, AgentEnded)]
    assert ended.outcome.error == "its session was closed"
