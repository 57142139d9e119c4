"""What an agent's requests carry: model, effort and tools, from its first to its last."""

import json
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.agent_scripts import agent, bodies, cast
from tests.support.cacheable import MIN_SHARED, shared
from tests.support.stage import KEY, Stage
from tests.support.waiting import until
from tools.fake_chat import Call, ChatReply, FakeChat
from tools.fake_model import Stall, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

MAIN = "claude-opus-5-5"
OTHER = "claude-sonnet-5-5"


def define(stage: Stage, name: str, *lines: str) -> None:
    """Write the definition of an agent."""
    head = "\n".join(("---", f"name: {name}", "description: Looks", *lines, "---"))
    stage.write(f".pilotfish/agents/{name}.md", f"{head}\nYou look.\n")


def asked(stage: Stage, word: str) -> list[tuple[str, str | None]]:
    """Return model and effort of the requests of a conversation."""
    found = bodies(stage, word)
    return [(one["model"], one.get("output_config", {}).get("effort")) for one in found]


async def test_definition_call_and_starter_decide_model_and_effort(stage: Stage) -> None:
    define(stage, "own", f"model: {OTHER}", "effort: high")
    define(stage, "heir", "model: inherit")
    define(stage, "small", "model: claude-haiku-4-5", "effort: max")
    calls = [
        agent("first: go", "own", call="toolu_1"),
        agent("second: go", "heir", call="toolu_2"),
        agent("third: go", "own", call="toolu_3", model="claude-opus-4-5"),
        agent("fourth: go", "small", call="toolu_4"),
    ]
    said = {name: ["Seen."] for name in ("first", "second", "third", "fourth")}
    stage.play(cast([Turn(calls), "Done."], **said))
    chat = await stage.chat(model=MAIN, effort="low")
    assert await chat.ask("Look") == "end_turn"
    assert asked(stage, "Look")[0] == (MAIN, "low")
    assert asked(stage, "first") == [(OTHER, "high")]
    assert asked(stage, "second") == [(MAIN, "low")]
    assert asked(stage, "third") == [("claude-opus-4-5", "high")]
    # What a model does not know is not sent.
    assert asked(stage, "fourth") == [("claude-haiku-4-5", None)]


async def test_an_agents_own_agents_inherit_from_it(stage: Stage) -> None:
    define(stage, "lead", f"model: {OTHER}", "effort: medium")
    inner = agent("inner: go", call="toolu_inner")
    stage.play(
        cast(
            [Turn([agent("outer: go", "lead")]), "Done."],
            outer=[Turn([inner]), "Seen."],
            inner=["Deep."],
        )
    )
    chat = await stage.chat(model=MAIN, effort="low")
    assert await chat.ask("Look") == "end_turn"
    assert set(asked(stage, "outer")) == {(OTHER, "medium")}
    assert asked(stage, "inner") == [(OTHER, "medium")]


async def test_an_agent_that_goes_on_keeps_model_effort_and_tools(stage: Stage) -> None:
    """What it inherited holds when its starter has changed meanwhile, and its list of tools as well."""
    for name in ("a.txt", "b.txt"):
        stage.write(name, "alpha\n" * 200)
    look = [
        Turn([ToolUse("Read", {"file_path": name}, id=f"toolu_{name[0]}")])
        for name in ("a.txt", "b.txt")
    ]
    held = Turn("B is like A.", faults=[Stall(after_events=3, gate="default")])
    message = {"to": "toolu-scout", "message": "And b?", "summary": "look at b"}
    write = Turn([ToolUse("SendMessage", message, id="toolu_write")])
    main = [Turn([agent("scout: go", name="toolu-scout")]), "Done.", write, "It goes on.", "Good."]
    stage.play(cast(main, scout=[look[0], "A.", look[1], held]))
    chat = await stage.chat(model=MAIN, effort="low", permissionMode="acceptEdits")
    assert await chat.ask("Look") == "end_turn"
    for option, value in (("effort", "high"), ("model", OTHER)):
        params = {"sessionId": chat.id, "configId": option, "value": value}
        await stage.client.request("session/set_config_option", params)
    # A rule takes a tool away, which the agent hears without its list changing.
    stage.write(".pilotfish/settings.json", json.dumps({"permissions": {"deny": ["Grep"]}}))
    assert await chat.ask("Go on") == "end_turn"
    stage.fake.release()
    await until(lambda: len(chat.turns()) == 3)
    assert asked(stage, "scout") == [(MAIN, "low")] * 4
    assert asked(stage, "Look")[-1] == (OTHER, "high")
    raws = [one.raw for one in stage.fake.requests if one.body in bodies(stage, "scout")]
    assert all(shared(*pair) >= MIN_SHARED for pair in pairwise(raws))
    assert "Not available from now on, whatever your list says: Grep." in str(
        bodies(stage, "scout")[-1]["messages"]
    )


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncIterator[FakeChat]:
    async with FakeChat(key=KEY) as fake:
        yield fake
        assert fake.problems == []
        assert fake.unused == 0


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_the_same_behind_the_chat_completions_api(
    server: FakeChat, tmp_path: Path, field: str
) -> None:
    start = agent("scout: go", "own")
    server.play(
        [
            ChatReply(calls=(Call(name="Agent", input=dict(start.input)),)),
            ChatReply(
                reasoning="Which file?",
                reasoning_field=field,
                calls=(Call(name="Read", id="call_1", input={"file_path": "a.txt"}),),
            ),
            ChatReply(reasoning="Enough.", reasoning_field=field, text="Seen."),
            ChatReply(reasoning="It is done.", reasoning_field=field, text="Done."),
            ChatReply(text="Bye."),
        ]
    )
    efforts = {name: {"efforts": ["low", "high"]} for name in ("local-coder", "other-coder")}
    variables = {
        "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY, "OPENAI_MODEL": "local-coder",
    }  # fmt: skip
    async with Stage.open(tmp_path, url=None, variables=variables) as stage:
        define(stage, "own", "model: other-coder", "effort: high")
        stage.write("a.txt", "alpha\n")
        settings = {"model": {"capabilities": efforts, "effort": "low"}}
        folder = stage.home / ".pilotfish"
        folder.mkdir(exist_ok=True)
        (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        chat = await stage.chat()
        assert await chat.ask("Look") == "end_turn"
        # The history of a session that is loaded again has what servers want to have back.
        chat, _ = await stage.reload(chat.id)
        assert await chat.ask("Bye") == "end_turn"
    sent = [(one.body["model"], one.body.get("reasoning_effort")) for one in server.requests]
    main, own = ("local-coder", "low"), ("other-coder", "high")
    assert sent == [main, own, own, main, main]
    assert server.requests[2].body["messages"][-2][field] == "Which file?"
    last = server.requests[4].body["messages"]
    assert [one["role"] for one in last][-4:] == ["assistant", "tool", "assistant", "user"]
    # After an answer reasoning is not sent back.
    assert not {"reasoning", "reasoning_content"} & set(last[-2])
