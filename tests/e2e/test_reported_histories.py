"""Public reports about what was sent or kept of a conversation, each as it happened to somebody.

See also: ``test_reported_loops``.
"""

import io
import json
import os
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.support.agent_scripts import agent, bodies, cast
from tests.support.chat import Chat
from tests.support.stage import KEY, Stage, all_text, assert_paired, text_of
from tests.support.waiting import until
from tests.support.wire_client import Json
from tools.fake_chat import Call, ChatReply, FakeChat
from tools.fake_model import Thinking, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

Lines = list[bytes]


async def reopened(stage: Stage, chat: Chat, change: Callable[[Lines], Lines]) -> Chat:
    """Close a session, change the lines of its transcript and load it again."""
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    (path,) = (stage.home / ".pilotfish" / "projects").glob(f"*/{chat.id}.jsonl")
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))
    stage.client.notifications.clear()
    again, _ = await stage.reload(chat.id)
    return again


def png(width: int, height: int, *, noise: bool = False) -> bytes:
    """Return a picture; noise does not become smaller."""
    pixels = os.urandom(3 * width * height) if noise else bytes(3 * width * height)
    out = io.BytesIO()
    Image.frombytes("RGB", (width, height), pixels).save(out, "PNG", compress_level=1)
    return out.getvalue()


def contents(body: Json) -> list[Json]:
    """Return the blocks of a request's messages."""
    found: list[Json] = []
    for message in body["messages"]:
        content = message["content"]
        found += [{"type": "text", "text": content}] if isinstance(content, str) else content
    return found


def sizes(body: Json) -> list[tuple[int, int]]:
    """Return the sizes of a request's pictures, those in results included."""
    blocks = contents(body)
    inner: list[Json] = []
    for one in blocks:
        if one["type"] == "tool_result" and isinstance(one["content"], list):
            inner += one["content"]
    return [
        Image.open(io.BytesIO(b64decode(one["source"]["data"]))).size
        for one in (*blocks, *inner)
        if one["type"] == "image"
    ]


async def test_al04_going_back_to_a_prompt_that_came_with_results_keeps_them_together(
    stage: Stage,
) -> None:
    begun = stage.project / "begun"
    wait = f"touch {begun}; until test -e go; do sleep 0.05; done; echo ran"
    stage.play([Turn([ToolUse("Bash", {"command": wait})]), "Both.", "Again."])
    chat = await stage.chat(allowedTools=["Bash"])
    first = chat.send("First")
    await until(begun.exists)
    second = chat.send("Second")
    await chat.client.settle()
    stage.write("go", "")
    assert (await first.stop_reason(), await second.stop_reason()) == ("end_turn", "end_turn")
    assert [one["type"] for one in stage.said()][:2] == ["tool_result", "text"]
    assert "Second" in all_text(stage.body())
    prompt = next(one["messageId"] for one in chat.facts("prompt")[1:])
    params = {"sessionId": chat.id, "messageId": prompt, "text": "Another"}
    await stage.client.request("_pilotfish/session/resend", params)
    await until(lambda: len(stage.fake.requests) == 3)
    await chat.wait_for_state("idle")
    assert_paired(stage.body())
    assert "ran" in all_text(stage.body())
    assert [word in all_text(stage.body()) for word in ("Second", "Another")] == [False, True]


async def test_al06_pictures_of_results_come_after_all_results(tmp_path: Path) -> None:
    async with FakeChat(key=KEY) as fake:
        variables = {"OPENAI_BASE_URL": fake.url, "OPENAI_API_KEY": KEY, "OPENAI_MODEL": "coder"}
        settings = tmp_path / "home" / ".pilotfish" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text('{"model": {"capabilities": {"coder": {"images": true}}}}')
        async with Stage.open(tmp_path, url=None, variables=variables) as stage:
            stage.write("b.txt", "beta\n")
            (stage.project / "a.png").write_bytes(png(20, 20))
            reads = [Call(name="Read", input={"file_path": one}) for one in ("a.png", "b.txt")]
            fake.play([ChatReply(calls=tuple(reads)), "I see.", "Yes."])
            chat = await stage.chat()
            assert await chat.ask("Read both") == "end_turn"
            assert await chat.ask("Still there?") == "end_turn"
        assert fake.problems == []
        sent = fake.requests[1].body["messages"]
        assert [one["role"] for one in sent[-3:]] == ["tool", "tool", "user"]
        assert "beta" in sent[-2]["content"]
        parts: list[Json] = sent[-1]["content"]
        assert [part["type"] for part in parts][:2] == ["text", "image_url"]
        assert sent[-3]["tool_call_id"] in parts[0]["text"]


async def test_al08_only_signed_thinking_is_sent_back_and_byte_for_byte(stage: Stage) -> None:
    names = [stage.write(f"{number}.txt", "alpha\n").name for number in range(3)]
    # A signature holds what a server did not show: without text it goes back as well.
    thoughts = [Thinking("Whole."), Thinking(""), Thinking("Torn.")]
    reads = [ToolUse("Read", {"file_path": name}) for name in names]
    stage.play(
        [*[Turn([one, read]) for one, read in zip(thoughts, reads, strict=True)], "A.", "B."]
    )
    chat = await stage.chat()
    await chat.ask("Read them")
    sent = [one for one in contents(stage.body()) if one["type"] == "thinking"]
    assert [one["thinking"] for one in sent] == ["Whole.", "", "Torn."]

    torn = rb'("text":"Torn.","signature":)"[^"]+"'
    again = await reopened(
        stage, chat, lambda lines: [re.sub(torn, rb'\1""', line) for line in lines]
    )
    assert await again.ask("And now?") == "end_turn"
    assert [one for one in contents(stage.body()) if one["type"] == "thinking"] == sent[:2]
    assert_paired(stage.body())


async def test_al09_a_picture_without_words_and_an_empty_memory_send_no_blank_text(
    stage: Stage,
) -> None:
    stage.write("PILOTFISH.md", "\n \n")
    stage.play(["I see.", "Yes."])
    chat = await stage.chat()
    image = {"type": "image", "mimeType": "image/png", "data": b64encode(png(9, 9)).decode()}
    params = {"sessionId": chat.id, "prompt": [{"type": "text", "text": " \n"}, image]}
    assert (await chat.client.request("session/prompt", params))["stopReason"] == "end_turn"
    assert await chat.ask("Still there?") == "end_turn"
    for number in range(2):
        body = stage.body(number)
        texts = [one for one in (*contents(body), *body["system"]) if one["type"] == "text"]
        assert all(one["text"].strip() for one in texts)
        assert (9, 9) in sizes(body)


async def test_al10_half_a_character_in_the_log_poisons_no_request(stage: Stage) -> None:
    stage.play(["Marker here.", "Yes.", "Still."])
    chat = await stage.chat()
    await chat.ask("Hello")
    again = await reopened(
        stage, chat, lambda lines: [one.replace(b"Marker", b"Half \\ud99c") for one in lines]
    )
    assert await again.ask("And now?") == "end_turn"
    assert await again.ask("And now?") == "end_turn"
    assert "Half \ufffd here." in all_text(stage.body())


async def test_al11_large_pictures_that_are_read_cost_no_session(stage: Stage) -> None:
    large = stage.project / "large.png"
    large.write_bytes(png(9_000, 400, noise=True))
    assert large.stat().st_size > 9_000_000
    names = [f"wide-{number}.png" for number in range(25)]
    for name in names:
        (stage.project / name).write_bytes(png(2_500, 40))
    reads = [ToolUse("Read", {"file_path": name}) for name in names]
    stage.play(
        [Turn([ToolUse("Read", {"file_path": "large.png"})]), "One.", Turn(reads), "All.", "Yes."]
    )
    chat = await stage.chat()
    assert await chat.ask("Read the large one") == "end_turn"
    [(width, height)] = sizes(stage.body())
    assert (width <= 2_000, height > 0) == (True, True)
    assert await chat.ask("Read them all") == "end_turn"
    assert await chat.ask("Still there?") == "end_turn"
    assert len(sizes(stage.body())) > 20
    assert max(max(size) for size in sizes(stage.body())) <= 2_000
    assert_paired(stage.body())


async def test_al15_broken_inputs_are_explained_and_after_three_advised_against(
    stage: Stage,
) -> None:
    stage.play([Turn([ToolUse("Read", raw_json='{"path": src}')], repeat=3), "I stop.", "Yes."])
    chat = await stage.chat()
    assert await chat.ask("Read") == "end_turn"
    for number in (1, 2, 3):
        told = text_of(stage.results(number)[0])
        assert "not valid JSON" in told
        assert "column 10" in told
        assert "limit" not in told
    reminders = ["were not valid JSON, so none" in all_text(stage.body(at)) for at in range(4)]
    assert reminders == [False, False, False, True]
    calls = [one for one in contents(stage.body()) if one["type"] == "tool_use"]
    assert [one["input"] for one in calls] == [{}, {}, {}]
    assert await chat.ask("Still there?") == "end_turn"


async def test_al16_harmless_slips_are_taken_and_others_explained(stage: Stage) -> None:
    stage.write("a.txt", "one\ntwo\nthree\n")
    edits = json.dumps([{"old_string": "one", "new_string": "ONE"}])
    wrong: dict[str, Any] = {"path": "a.txt", "limit": "many"}
    stage.play(
        [
            Turn([ToolUse("Read", {"file_path": "a.txt", "limit": "2"})]),
            Turn([ToolUse("Read", {"file_path": "a.txt", "limit": "2", "foo": 1})]),
            Turn([ToolUse("Read", {"file_path": "a.txt"})]),
            Turn([ToolUse("MultiEdit", {"file_path": "a.txt", "edits": edits})]),
            Turn([ToolUse("Read", wrong)]),
            "Done.",
        ]
    )
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Go") == "end_turn"
    first = text_of(stage.results(1)[0])
    assert ("two" in first, "three" in first) == (True, False), first
    assert (stage.project / "a.txt").read_text() == "ONE\ntwo\nthree\n"
    for number, fields in ((2, ("foo", "file_path", "limit")), (5, ("file_path", "path", "limit"))):
        [refused] = stage.results(number)
        assert refused["is_error"]
        assert [field for field in fields if field not in text_of(refused)] == []


@pytest.mark.parametrize("fails", [False, True])
async def test_al18_an_agent_that_goes_round_in_circles_is_stopped_too(
    stage: Stage, *, fails: bool
) -> None:
    stage.write("a.txt", "alpha\n")
    name = "missing.txt" if fails else "a.txt"
    call = Turn([ToolUse("Read", {"file_path": name})], repeat=30)
    stage.play(cast([Turn([agent("scout: read it")]), "I see."], scout=[call]))
    chat = await stage.chat()
    assert await chat.ask("Send somebody") == "end_turn"
    asked = bodies(stage, "scout")
    assert 3 < len(asked) < 15
    assert "with the same input" in all_text(asked[-1])
    [result] = stage.results()
    assert "with the same input and the same result" in text_of(result)
    stage.play([])


async def test_al28_bad_lines_in_the_middle_cost_themselves_alone(stage: Stage) -> None:
    stage.play(["First answer.", "Second answer.", "Third answer.", "Yes."])
    chat = await stage.chat()
    for number in ("First", "Second", "Third"):
        await chat.ask(f"{number} question")

    def spoil(lines: Lines) -> Lines:
        at = next(at for at, line in enumerate(lines) if b"Second question" in line)
        half = len(lines[at]) // 2
        torn = [lines[at][:half] + b"\n", lines[at][half:]]
        return [*lines[:at], b"\0" * 300 + b"\n", b'{"a":1{"a":2}\n', *torn, *lines[at + 1 :]]

    again = await reopened(stage, chat, spoil)
    told = "\n".join(
        one["params"]["message"]
        for one in stage.client.notifications
        if one["method"] == "window/showMessage"
    )
    assert "has gaps" in told
    assert "damaged" in told
    assert await again.ask("Still there?") == "end_turn"
    said = all_text(stage.body())
    wanted = (
        "First question",
        "First answer.",
        "Second answer.",
        "Third question",
        "Third answer.",
    )
    assert [text for text in wanted if text not in said] == []
    assert again.text().endswith("Third answer.Yes.")
    assert_paired(stage.body())


async def test_al34_one_endless_line_is_cut_in_the_middle_and_others_are_answered(
    stage: Stage,
) -> None:
    line = "head -c 50000000 /dev/zero | tr '\\0' x; echo END"
    stage.play([Turn([ToolUse("Bash", {"command": line})]), "I see."])
    chat = await stage.chat(allowedTools=["Bash"])
    before = (await stage.client.request("_pilotfish/testing/stats", {}))["memoryBytes"]
    prompt = chat.send("Run it")
    while not prompt.answer.done():
        await stage.client.request("_pilotfish/testing/stats", {})
    assert await prompt.stop_reason() == "end_turn"
    text = text_of(stage.results()[0])
    assert text.startswith("xxx")
    assert text.endswith("END")
    assert len(text) < 40_000
    assert re.search(r"50[,.]?0\d\d", text), text[14_000:16_000]
    after = (await stage.client.request("_pilotfish/testing/stats", {}))["memoryBytes"]
    assert after - before < 45_000_000  # less than the line itself
