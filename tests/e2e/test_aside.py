"""A question on the side: asked of the conversation's model, and no part of the conversation."""

import asyncio
import json
from itertools import takewhile

import pytest

from tests.support.agent_scripts import bash, events_of
from tests.support.chat import Chat
from tests.support.stage import Stage, assert_paired, text_of
from tests.support.waiting import WAIT_S, until
from tests.support.wire_client import Json, WireError
from tools.fake_model import HttpError, Pace, Stall, Thinking, ToolUse, Turn, Usage
from tools.fake_model.scenario import Scenario, Script
from tools.fake_model.turns import When

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUESTION = "on the side: what is this about?"
ASIDE = "_pilotfish/session/aside"


def beside(*main: str | Turn, aside: list[str | Turn]) -> Scenario:
    """Return a scenario: what is said in the conversation, and what on the side."""
    return Scenario(main, scripts=[Script(when=When(last_user_text=QUESTION), turns=aside)])


def params(chat: Chat, aside_id: str = "one") -> Json:
    return {"sessionId": chat.id, "asideId": aside_id, "text": QUESTION}


async def ask(stage: Stage, chat: Chat) -> Json:
    return await stage.client.request(ASIDE, params(chat))


def bodies(stage: Stage, *, aside: bool) -> list[Json]:
    """Return the requests of the conversation, or those on the side."""
    found: list[Json] = [dict(request.body) for request in stage.fake.requests]
    return [one for one in found if (QUESTION in json.dumps(one["messages"])) == aside]


def as_sent(body: Json) -> bytes:
    """Return what the cache of a model compares, in its order: tools, system, messages."""

    def unmarked(fields: Json) -> Json:
        return {key: value for key, value in fields.items() if key != "cache_control"}

    parts = [body["tools"], body["system"], body["messages"]]
    return json.dumps(json.loads(json.dumps(parts), object_hook=unmarked)).encode()


def share_of_prefix(parent: Json, fork: Json) -> float:
    """Return how much of a request another one begins with, in bytes."""
    first, second = as_sent(parent), as_sent(fork)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    return sum(1 for _ in same) / len(first)


async def messages_of(stage: Stage, chat: Chat) -> list[str]:
    """Return the kinds of events in the transcript that make the conversation and its state."""
    return [one.type for one in await events_of(stage, chat) if one.type != "side_call_finished"]


async def test_it_is_answered_from_the_conversation_and_leaves_no_trace_but_its_cost(
    stage: Stage,
) -> None:
    stage.write("a.txt", "alpha\n")
    read = ToolUse("Read", {"file_path": "a.txt"}, id="toolu_read")
    stage.play(
        beside(
            Turn([Thinking("Let me see."), "I look.", read]), "It says alpha.", "Yes.",
            aside=["It is about alpha."],
        )
    )  # fmt: skip
    chat = await stage.chat()
    assert await chat.ask("What is in a.txt?") == "end_turn"
    before, spent = await messages_of(stage, chat), (await chat.snapshot())["status"]

    answer = await ask(stage, chat)
    assert answer["text"] == "It is about alpha."
    assert answer["costUsd"] > 0

    assert await messages_of(stage, chat) == before
    now = (await chat.snapshot())["status"]
    assert now["costUsd"] == pytest.approx(spent["costUsd"] + answer["costUsd"])
    assert await chat.ask("Is that all?") == "end_turn"
    assert len(bodies(stage, aside=False)) == 3  # the last one has nothing of the question
    [fork], parent = bodies(stage, aside=True), bodies(stage, aside=False)[-1]
    assert_paired(fork)
    # The next request of the conversation and the one on the side have all in common but their ends.
    assert share_of_prefix(bodies(stage, aside=False)[1], fork) >= 0.99
    for key in ("model", "system", "tools", "max_tokens"):
        assert fork[key] == parent[key]
    assert fork.get("thinking") == parent.get("thinking")


async def test_it_is_answered_while_a_reply_streams(stage: Stage) -> None:
    long = Turn("A very long story.", faults=[Stall(after_events=3)])
    stage.play(beside(long, aside=["You want a story."]))
    chat = await stage.chat()
    prompt = chat.send("Tell me a story")
    await stage.stalled()
    assert (await ask(stage, chat))["text"] == "You want a story."
    [main], [fork] = bodies(stage, aside=False), bodies(stage, aside=True)
    assert share_of_prefix(main, fork) >= 0.99
    stage.fake.release()
    assert await prompt.stop_reason() == "end_turn"
    assert chat.text() == "A very long story."


async def test_it_is_answered_while_a_command_runs_whose_result_nobody_has(stage: Stage) -> None:
    wait = bash("while [ ! -e go ]; do sleep 0.02; done; echo finished")
    stage.play(beside(Turn(["I wait.", wait]), "It is done.", aside=["It waits for a file."]))
    chat = await stage.chat(allowedTools=["Bash"])
    prompt = chat.send("Wait for it")
    await chat.wait_for_call(wait.id or "", "in_progress")
    assert (await ask(stage, chat))["text"] == "It waits for a file."
    [fork] = bodies(stage, aside=True)
    assert_paired(fork)
    assert "has not finished yet" in text_of(fork["messages"][-1]["content"][0])
    stage.write("go", "")
    assert await prompt.stop_reason() == "end_turn"
    assert "finished" in text_of(stage.results()[0])  # the real result is the conversation's


async def test_it_uses_no_tools_and_the_model_is_told(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    read = ToolUse("Read", {"file_path": "a.txt"}, id="toolu_side")
    write = ToolUse("Write", {"file_path": "b.txt", "content": "b"}, id="toolu_side_2")
    stage.play(beside("Hello.", aside=[Turn(["I look.", read, write]), "I cannot look."]))
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Hello") == "end_turn"
    assert (await ask(stage, chat))["text"] == "I cannot look."
    second = bodies(stage, aside=True)[1]
    assert_paired(second)
    for result in second["messages"][-1]["content"]:
        assert "Tools cannot be used here" in text_of(result)
    assert not (stage.project / "b.txt").exists()
    assert chat.questions() == []
    assert chat.tool_updates("toolu_side") == []
    # What the side has seen of a file counts for nothing in the conversation.
    assert (await chat.snapshot())["status"]["mode"] == "acceptEdits"


async def test_it_streams_in_pieces_that_make_the_answer(stage: Stage) -> None:
    text = "".join(f"word{n} " for n in range(200)).strip()
    stage.play(beside("Hello.", aside=[Turn(text, pace=Pace(chunk_chars=7, between_events_ms=1))]))
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    assert (await ask(stage, chat))["text"] == text
    shown, pieces = "", 0
    for one in stage.client.notifications:
        if one["method"] == "_pilotfish/aside/text" and one["params"]["sessionId"] == chat.id:
            shown = shown[: one["params"]["offset"]] + one["params"]["text"]
            pieces += 1
    assert text.startswith(shown.strip())
    assert 1 < pieces < 100


async def test_it_can_be_cancelled_and_the_turn_goes_on(stage: Stage) -> None:
    wait = bash("while [ ! -e go ]; do sleep 0.02; done")
    silence = Turn("Too late.", faults=[Stall(before_headers=True, gate="aside")])
    stage.play(beside(Turn([wait]), "It is done.", aside=[silence]))
    chat = await stage.chat(allowedTools=["Bash"])
    prompt = chat.send("Wait for it")
    await chat.wait_for_call(wait.id or "", "in_progress")
    request, answer = stage.client.send_request(ASIDE, params(chat))
    await stage.fake.wait_for_stall(gate="aside", count=1)
    stage.client.notify("$/cancelRequest", {"id": request})
    with pytest.raises(WireError, match="cancelled"):
        await asyncio.wait_for(answer, WAIT_S)
    await until(lambda: bool(stage.fake.requests[-1].ended_s))
    stage.write("go", "")
    assert await prompt.stop_reason() == "end_turn"
    assert [turn["reason"] for turn in chat.turns()] == ["completed"]


async def test_what_goes_wrong_is_said_and_harms_nothing(stage: Stage) -> None:
    broken = Turn(error=HttpError(status=400, message="no such thing"))
    stage.play(beside("Hello.", "Still here.", aside=[broken]))
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    with pytest.raises(WireError, match="no such thing"):
        await ask(stage, chat)
    with pytest.raises(WireError, match="empty"):
        await stage.client.request(ASIDE, {**params(chat), "text": "  "})
    with pytest.raises(WireError, match="text"):
        await stage.client.request(ASIDE, {**params(chat), "text": "x" * 20_001})
    assert await chat.ask("Are you there?") == "end_turn"
    assert chat.text().endswith("Still here.")


async def test_it_is_held_to_the_sessions_budget(stage: Stage) -> None:
    stage.write(".pilotfish/settings.json", '{"maxBudgetUsd": 1.0}')
    dear = Turn("Hello.", usage=Usage(input=600_000, output=10))
    stage.play(beside(dear, aside=["Never said."]))
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    with pytest.raises(WireError, match=r"its budget is \$1.00"):
        await ask(stage, chat)
    assert len(stage.fake.requests) == 1
    stage.play([])


async def test_only_so_many_are_answered_at_once(stage: Stage) -> None:
    silences: list[str | Turn] = [
        Turn("Yes.", faults=[Stall(before_headers=True, gate="aside")]) for _ in range(4)
    ]
    stage.play(beside("Hello.", aside=silences))
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    asked = [stage.client.send_request(ASIDE, params(chat, str(n)))[1] for n in range(4)]
    await stage.fake.wait_for_stall(gate="aside", count=4)
    with pytest.raises(WireError, match="4 side questions"):
        await ask(stage, chat)
    stage.fake.release("aside", 4)
    answers = await asyncio.wait_for(asyncio.gather(*asked), WAIT_S)
    assert [one["text"] for one in answers] == ["Yes."] * 4
