"""A model that is hijacked, or its gateway, attacks the user; the real server holds."""

import json
from pathlib import Path

import pytest
from pilotfish.engine.reply import MAX_REPLY_CHARS

from tests.support.stage import KEY, Stage, assert_paired, names_in, text_of
from tools.fake_model import Pace, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

LONG = "seq 60000"
"""Its output is kept in a file that is named after the call."""


def bash(command: str, call_id: str | None = None) -> ToolUse:
    return ToolUse("Bash", {"command": command}, id=call_id)


def turn_link(link: Path, target: Path) -> None:
    link.unlink(missing_ok=True)
    link.symlink_to(target)


@pytest.mark.parametrize(
    "call_id", ["../../../../../stolen", "a/b", "x" * 300, "a\0b"], ids=lambda one: one[:9]
)
async def test_an_odd_id_names_no_file_elsewhere_and_ends_no_session(
    stage: Stage, tmp_path: Path, call_id: str
) -> None:
    stage.play([Turn([bash(LONG, call_id)]), "Done.", "Still here."])
    before = {*stage.home.parent.iterdir(), *stage.home.iterdir()}
    chat = await stage.chat()
    chat.agree()
    assert await chat.ask("Count") == "end_turn"
    assert "all of it is in" in text_of(stage.results()[0])
    assert {*stage.home.parent.iterdir(), *stage.home.iterdir()} <= before | {
        stage.home / ".pilotfish"
    }
    assert names_in(tmp_path) == ["project"]
    assert await chat.ask("And now?") == "end_turn"
    assert_paired(stage.body())


async def test_calls_with_one_id_are_two_calls(stage: Stage) -> None:
    stage.play(
        [
            Turn([bash("echo one", "same"), bash("echo two", "same")]),
            Turn([bash("pwd", "same")]),
            ".",
        ]
    )
    chat = await stage.chat()
    chat.agree()
    assert await chat.ask("Twice") == "end_turn"
    assert [text_of(one) for one in stage.results(1)] == ["one", "two"]
    assert_paired(stage.body())
    ids = {one["toolCallId"] for one in chat.updates() if "toolCallId" in one}
    assert len(ids) == 3


async def test_an_input_nested_without_end_costs_that_call_alone(stage: Stage) -> None:
    deep = '{"command": "touch made", "x": ' + "[" * 700 + "]" * 700 + "}"
    stage.play([Turn([ToolUse("Bash", raw_json=deep)]), "I see.", "Still here."])
    chat = await stage.chat()
    chat.agree()
    assert await chat.ask("Go deep") == "end_turn"
    assert "nested deeper" in text_of(stage.results()[0])
    assert names_in(stage.project) == []
    assert await chat.ask("And now?") == "end_turn"
    await stage.client.request("session/close", {"sessionId": chat.id})
    before = len(chat.turns())
    again, _ = await stage.reload(chat.id)
    assert before == 2
    assert len(again.turns()) == before + 2  # the load shows them once more


async def test_a_command_cannot_read_the_key(stage: Stage) -> None:
    look = "cat /proc/$PPID/environ | tr '\\0' '\\n'; env; cat /proc/$PPID/cmdline"
    read = ToolUse("Read", {"file_path": f"/proc/{stage.client.process.pid}/environ"})
    stage.play([Turn([bash(look), read]), "Nothing."])
    chat = await stage.chat()
    chat.agree()
    assert await chat.ask("Steal it") == "end_turn"
    # It did look into the right place, or was refused by the system.
    assert "PATH=" in text_of(stage.results()[0])
    assert KEY not in json.dumps(stage.body()["messages"])
    assert KEY not in json.dumps(chat.updates())


@pytest.mark.parametrize("hidden", ["\u202e", "\r", "\x1b[8m", "\u200b", "\x9b"], ids=ascii)
async def test_nobody_is_asked_about_a_command_that_hides_something(
    stage: Stage, hidden: str
) -> None:
    stage.play([Turn([bash(f"touch made; {hidden}ls")]), "I see."])
    chat = await stage.chat()
    assert await chat.ask("Go on") == "end_turn"
    assert chat.questions() == []
    assert "do not show" in text_of(stage.results()[0])
    assert names_in(stage.project) == []


async def test_a_title_shows_what_a_path_holds(stage: Stage) -> None:
    stage.play([Turn([ToolUse("Write", {"file_path": "a\u202etxt.sh", "content": "x"})])])
    chat = await stage.chat()
    prompt = chat.send("Write it")
    question = await chat.question()
    assert question.call["title"] == "a\\u202etxt.sh"
    question.answer("reject_once")
    await prompt.stop_reason()


async def test_the_end_of_a_long_command_is_in_the_question(stage: Stage) -> None:
    command = "echo " + "x" * 300 + "; touch made"
    stage.play([Turn([bash(command)])])
    chat = await stage.chat()
    prompt = chat.send("Run it")
    question = await chat.question()
    assert question.call["content"][0]["content"]["text"] == command
    question.answer("reject_once")
    await prompt.stop_reason()


async def test_a_link_turned_while_the_user_looks_takes_no_write_with_it(
    stage: Stage, tmp_path: Path
) -> None:
    inside, outside = stage.project / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    turn_link(stage.project / "link", inside)
    stage.play([Turn([ToolUse("Write", {"file_path": "link/x", "content": "x"})]), "I see."])
    chat = await stage.chat()
    prompt = chat.send("Write it")
    question = await chat.question()
    turn_link(stage.project / "link", outside)
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert "leads to another file" in text_of(stage.results()[0])
    assert names_in(outside) == names_in(inside) == []


async def test_a_reply_without_end_is_given_up(stage: Stage) -> None:
    flood = Turn(["x" * (MAX_REPLY_CHARS + 100_000)], pace=Pace(chunk_chars=100_000))
    stage.play([flood, "Still here."])
    chat = await stage.chat()
    assert await chat.ask("Go on") == "end_turn"
    assert "did not end" in chat.turns()[-1]["message"]
    assert await chat.ask("And now?") == "end_turn"
    assert len(json.dumps(stage.body())) < 100_000
