"""A turn as the user sees it: text, tools, several prompts."""

import itertools
import json
from typing import Any, cast

import pytest

from tests.support.stage import Stage, all_text, assert_paired, text_of
from tools.fake_model import Pace, RedactedThinking, Stall, Text, Thinking, ToolUse, Turn, Usage

pytestmark = pytest.mark.asyncio(loop_scope="session")


def read(name: str, call: str | None = None) -> ToolUse:
    return ToolUse("Read", {"file_path": name}, id=call)


async def test_text_streams_in_order_and_arrives_once(stage: Stage) -> None:
    text = "".join(f"word{n} " for n in range(400))
    stage.play([Turn(text, pace=Pace(chunk_chars=7))])
    chat = await stage.chat()
    assert await chat.ask("Tell me a story") == "end_turn"
    assert chat.text() == text
    chunks = chat.updates("agent_message_chunk")
    assert chunks[-1]["meta"]["final"] is True
    assert [one["meta"].get("final", False) for one in chunks].count(True) == 1
    # 458 pieces of the model reach the client in bundles.
    assert len(chunks) < 200
    sequence = [one["meta"]["seq"] for one in chat.updates()]
    assert sequence == sorted(sequence)


async def test_thinking_streams_as_thought_and_goes_back_to_the_model(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    stage.play([Turn([Thinking("Let me see."), "I look.", read("a.txt")]), "Alpha."])
    chat = await stage.chat()
    assert await chat.ask("What is in a.txt?") == "end_turn"
    thoughts = [one["content"]["text"] for one in chat.updates("agent_thought_chunk")]
    assert "".join(thoughts) == "Let me see."
    assert stage.body()["messages"][1]["content"][0]["type"] == "thinking"


async def test_thinking_that_the_server_does_not_show_goes_back_all_the_same(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    stage.play([Turn([Thinking(""), read("a.txt")]), "Alpha."])
    chat = await stage.chat()
    assert await chat.ask("What is in a.txt?") == "end_turn"
    first, _ = stage.body()["messages"][1]["content"]
    assert (first["type"], first["thinking"]) == ("thinking", "")
    assert first["signature"]


@pytest.mark.parametrize("thought", [Thinking("Hm."), Thinking(""), RedactedThinking("c2VjcmV0")])
async def test_a_reply_of_thoughts_alone_leaves_a_session_that_goes_on(
    stage: Stage, thought: Thinking | RedactedThinking
) -> None:
    stage.play([Turn([thought]), "Still here."])
    chat = await stage.chat()
    assert await chat.ask("Think") == "end_turn"
    assert await chat.ask("And now?") == "end_turn"
    assert chat.text().endswith("Still here.")


async def test_thoughts_alone_after_a_call_are_no_answer(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    stage.play([Turn([read("a.txt")]), Turn([Thinking("I know.")]), "Alpha."])
    chat = await stage.chat()
    assert await chat.ask("What is in a.txt?") == "end_turn"
    assert chat.text() == "Alpha."


async def test_a_tool_call_is_shown_from_start_to_end(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    stage.play([Turn(["I read it.", read("a.txt", "toolu_1")]), "It says alpha."])
    chat = await stage.chat()
    assert await chat.ask("What is in a.txt?") == "end_turn"
    assert chat.text() == "I read it.It says alpha."
    shown = chat.tool_updates("toolu_1")
    assert [one["status"] for one in shown] == ["pending", "in_progress", "completed"]
    assert shown[1]["title"].endswith("a.txt")
    assert shown[1]["locations"] == [{"path": str(stage.project / "a.txt")}]
    assert "alpha" in text_of(stage.results()[0])
    (turn,) = chat.turns()
    assert turn["reason"] == "completed"
    assert turn["modelCalls"] == 2


async def test_safe_calls_run_together_and_answer_in_the_order_of_the_calls(stage: Stage) -> None:
    names = [f"{n}.txt" for n in range(4)]
    for name in names:
        stage.write(name, f"text of {name}\n")
    calls = [read(name, f"toolu_{name[0]}") for name in reversed(names)]
    stage.play([Turn(calls), "Read them."])
    chat = await stage.chat()
    assert await chat.ask("Read all") == "end_turn"
    results = stage.results()
    assert [one["tool_use_id"] for one in results] == [f"toolu_{n}" for n in (3, 2, 1, 0)]
    for name, result in zip(reversed(names), results, strict=True):
        assert f"text of {name}" in text_of(result)


async def test_calls_that_change_things_run_alone_and_in_order(stage: Stage) -> None:
    commands = [f"echo begin {n} >> log; sleep 0.02; echo end {n} >> log" for n in range(3)]
    calls = [ToolUse("Bash", {"command": command}) for command in commands]
    write = ToolUse("Write", {"file_path": "b.txt", "content": "b\n"}, id="toolu_w")
    look = ToolUse("Read", {"file_path": "b.txt"}, id="toolu_r")
    stage.play([Turn([*calls, write, look]), "Done."])
    chat = await stage.chat()
    chat.agree()
    assert await chat.ask("Run them") == "end_turn"
    log = (stage.project / "log").read_text().splitlines()
    assert log == [f"{what} {n}" for n in range(3) for what in ("begin", "end")]
    assert "b" in text_of(stage.results()[-1])
    assert_paired(stage.body())


BROKEN: list[tuple[ToolUse, str]] = [
    (ToolUse("Raed", {"file_path": "a"}), "Did you mean Read?"),
    (ToolUse("Read", {}), "`file_path` is required"),
    (ToolUse("Read", {"file_path": 5}), "`file_path`"),
    (ToolUse("Read", {"file_path": "a", "lines": 3}), "`lines` is not an argument"),
    (ToolUse("Read", raw_json='{"file_path": "a'), "not a JSON object"),
    (ToolUse("Read", raw_json="[1, 2]"), "not a JSON object"),
    (ToolUse("Read", {"file_path": "missing.txt"}), "missing.txt"),
    (ToolUse("Read", {"file_path": "."}), "folder"),
    (ToolUse("Read", {"file_path": "nul\0byte"}), "NUL"),
    (ToolUse("Edit", {"file_path": "none", "old_string": "a", "new_string": "b"}), "none"),
    (ToolUse("Grep", {"pattern": "("}), "unclosed group"),
    (ToolUse("Bash", {"command": "x" * 10, "timeout": -5}), "timeout"),
]


@pytest.mark.parametrize(("call", "told"), BROKEN, ids=[told for _, told in BROKEN])
async def test_every_call_gets_its_result_whatever_is_wrong_with_it(
    stage: Stage, call: ToolUse, told: str
) -> None:
    stage.write("good.txt", "good\n")
    stage.play([Turn([read("good.txt"), call, read("good.txt")]), "I see."])
    chat = await stage.chat()
    assert await chat.ask("Try") == "end_turn"
    assert_paired(stage.body())
    first, second, third = stage.results()
    assert second["is_error"] is True
    assert told in text_of(second)
    assert not first.get("is_error")
    assert not third.get("is_error")
    status = chat.tool_updates(second["tool_use_id"])[-1]["meta"]["toolStatus"]
    assert status in ("failed", "denied")


async def test_a_prompt_during_a_turn_reaches_the_model_at_the_next_step(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    stage.play(
        [
            Turn(["I read.", read("a.txt")], faults=[Stall(after_events=3)]),
            "Both done.",
            "Later, too.",
        ]
    )
    chat = await stage.chat()
    first = chat.send("Read a.txt")
    await stage.stalled()
    second = chat.send("And be brief")
    await chat.client.wait_until(lambda: chat.facts("queued") or None, "queued prompt")
    stage.fake.release()

    assert await first.stop_reason() == "end_turn"
    assert await second.stop_reason() == "end_turn"

    assert len(chat.turns()) == 1
    said = stage.said(1)
    assert [one["type"] for one in said] == ["tool_result", "text"]
    assert said[1]["text"] == "And be brief"
    shown = [one["content"]["text"] for one in chat.updates("user_message_chunk")]
    assert shown == ["Read a.txt", "And be brief", "And be brief"]
    ids = {one["messageId"] for one in chat.updates("user_message_chunk")}
    assert len(ids) == 2
    assert await chat.ask("More") == "end_turn"


async def test_a_prompt_during_the_last_words_still_gets_its_answer(stage: Stage) -> None:
    stage.play([Turn("First answer.", faults=[Stall(after_events=3)]), "Second answer."])
    chat = await stage.chat()
    first = chat.send("One")
    await stage.stalled()
    second = chat.send("Two")
    await chat.client.wait_until(lambda: chat.facts("queued") or None, "queued prompt")
    stage.fake.release()
    assert await first.stop_reason() == "end_turn"
    assert await second.stop_reason() == "end_turn"
    assert chat.text() == "First answer.Second answer."
    assert text_of(stage.said()[0]) == "Two"


async def test_the_limit_of_model_calls_ends_a_turn(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    stage.write(".pilotfish/settings.json", json.dumps({"maxTurns": 3}))
    stage.play([Turn([read("a.txt")], repeat=3), "On I go."])
    chat = await stage.chat()
    assert await chat.ask("Read for ever") == "max_turn_requests"
    ended = chat.turns()[-1]
    assert ended["reason"] == "max_turns"
    assert "maxTurns" in ended["message"]
    assert await chat.ask("Go on") == "end_turn"
    assert_paired(stage.body())


async def test_every_request_begins_with_the_same_bytes(stage: Stage) -> None:
    """What the provider caches must not change: tools, system, and the messages so far."""
    stage.write("a.txt", "alpha\n")
    stage.play([Turn([read("a.txt")]), "One.", Turn([read("a.txt")]), "Two.", "Three."])
    chat = await stage.chat()
    await chat.ask("First")
    await chat.set_mode("plan")
    await chat.ask("Second")
    await chat.set_mode("acceptEdits")
    await chat.ask("Third")
    bodies = [stage.body(number) for number in range(len(stage.fake.requests))]
    assert len({json.dumps([one["tools"], one["system"]]) for one in bodies}) == 1
    raw = [request.raw for request in stage.fake.requests]
    start = raw[0].index(b'"messages"')
    prefixes = {one[: one.index(b'"messages"')] for one in raw}
    assert start > 0
    assert len(prefixes) == 1
    for earlier, later in itertools.pairwise(bodies):
        count = len(earlier["messages"])
        assert [_plain(one) for one in later["messages"][:count]] == [
            _plain(one) for one in earlier["messages"]
        ]


def _plain(message: Any) -> Any:
    """Return a message without cache marks, which move along."""
    if isinstance(message, dict):
        fields = cast("dict[str, Any]", message)
        return {key: _plain(value) for key, value in fields.items() if key != "cache_control"}
    return (
        [_plain(one) for one in cast("list[Any]", message)]
        if isinstance(message, list)
        else message
    )


async def test_what_the_editor_shows_reaches_the_model_but_not_the_chat(stage: Stage) -> None:
    path = stage.write("a.py", "one\ntwo\nthree\n")
    stage.play(["I see."])
    chat = await stage.chat()
    context = {
        "activeUri": path.as_uri(),
        "selection": {"startLine": 1, "startCharacter": 0, "endLine": 1, "endCharacter": 3},
        "selectedText": "two",
        "openUris": [path.as_uri()],
    }
    chat.client.notify("_pilotfish/editor/context", context)
    await chat.ask("What is this?")
    chat.client.notify("_pilotfish/editor/context", {})
    text = all_text(stage.body())
    assert str(path) in text
    assert "Lines 2 to 2 are selected" in text
    shown = [one["content"]["text"] for one in chat.updates("user_message_chunk")]
    assert shown == ["What is this?"]


async def test_the_status_line_knows_model_tokens_and_window(stage: Stage) -> None:
    stage.play([Turn([Text("Hello.")], usage=Usage(input=100, output=7, cache_read=50))])
    chat = await stage.chat()
    await chat.ask("Hi")
    status = (await chat.snapshot())["status"]
    assert status["contextTokens"] == 157
    assert status["inputTokens"] == 150
    assert status["outputTokens"] == 7
    assert status["contextWindow"] >= 100_000
    assert status["costUsd"] > 0


async def test_a_call_that_is_refused_before_it_begins_says_what_it_was_about(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    lost = {"file_path": "a.txt", "old_string": "omega", "new_string": "o"}
    calls = [read("gone.txt"), ToolUse("Edit", lost), ToolUse("Grep", {"pattern": "x\u202e["})]
    stage.play([Turn([*calls, ToolUse("Read", {})]), "Sorry."])
    chat = await stage.chat()
    await chat.ask("Try")
    titles = [one["title"] for one in chat.updates("tool_call")]
    assert titles == ["gone.txt", "a.txt", "x\\u202e[", "Read"]
    ends = [one["status"] for one in chat.updates("tool_call_update") if one.get("status")]
    assert ends.count("failed") == 4
