"""Public reports about agent sessions, each as it happened to somebody, with the right outcome."""

import asyncio
from pathlib import Path

import pytest

from tests.support.stage import Stage, all_text, assert_paired, text_of
from tests.support.waiting import until
from tools.fake_model import Pace, Stall, Thinking, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


def bash(command: str) -> Turn:
    return Turn([ToolUse("Bash", {"command": command})])


async def result(stage: Stage, command: str, *, say: str = "I see.") -> str:
    """Run a command for the model and return what it got."""
    stage.play([bash(command), say])
    chat = await stage.chat(allowedTools=["Bash"])
    assert await chat.ask("Run it") == "end_turn"
    return text_of(stage.results()[0])


async def test_al03_an_id_that_was_used_before_gets_its_own_result(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    read = Turn([ToolUse("Read", {"file_path": "a.txt"}, id="call-1")])
    slow = Turn([ToolUse("Bash", {"command": "touch begun; sleep 300"}, id="call-1")])
    stage.play([read, "One.", read, "Two.", slow, "Four."])
    chat = await stage.chat(allowedTools=["Bash"])
    assert await chat.ask("First") == "end_turn"
    assert await chat.ask("Second") == "end_turn"
    prompt = chat.send("Third")
    await until((stage.project / "begun").exists)
    chat.stop()
    assert await prompt.stop_reason() == "cancelled"
    assert await chat.ask("Fourth") == "end_turn"
    assert_paired(stage.body())


async def test_al07_another_models_thinking_is_left_out(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    first = Turn([Thinking("Hm, deep."), ToolUse("Read", {"file_path": "a.txt"})])
    stage.play([first, "Alpha.", "Beta."])
    chat = await stage.chat()
    assert await chat.ask("Read") == "end_turn"
    assert "Hm, deep." in all_text(stage.body())
    params = {"sessionId": chat.id, "configId": "model", "value": "claude-haiku-4-5"}
    await stage.client.request("session/set_config_option", params)
    assert await chat.ask("And now?") == "end_turn"
    assert stage.body()["model"] != stage.body(0)["model"]
    assert "Hm, deep." not in all_text(stage.body())
    assert_paired(stage.body())
    assert len(stage.fake.requests) == 3


async def test_al09_nothing_empty_is_ever_sent(stage: Stage) -> None:
    stage.play([Turn(["", ToolUse("Bash", {"command": "true"})]), "Done.", "Yes."])
    chat = await stage.chat(allowedTools=["Bash"])
    assert await chat.ask("Run it") == "end_turn"
    assert text_of(stage.results()[0]) == "(no output)"
    assert await chat.ask("Still there?") == "end_turn"
    for number in range(3):
        for message in stage.body(number)["messages"]:
            content = message["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            assert all(one["text"].strip() for one in blocks if one["type"] == "text")


async def test_al10_a_character_is_never_cut_in_two(stage: Stage) -> None:
    text = await result(stage, "printf 'x%.0s' $(seq 14999); printf '😀%.0s' $(seq 8000); echo end")
    assert text.endswith("end")
    assert "\ufffd" not in text
    text.encode()


async def test_al10_a_lone_surrogate_of_the_model_does_not_end_the_session(stage: Stage) -> None:
    call = ToolUse("Read", raw_json='{"file_path": "a\\ud99c.txt"}')
    stage.play([Turn([call]), "It is not there.", "Yes."])
    chat = await stage.chat()
    assert await chat.ask("Read it") == "end_turn"
    assert "a\ufffd.txt" in text_of(stage.results()[0])
    assert await chat.ask("Still there?") == "end_turn"
    assert_paired(stage.body())


async def test_al18_the_same_call_again_and_again_is_stopped(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    stage.play([Turn([ToolUse("Read", {"file_path": "a.txt"})], repeat=30)])
    chat = await stage.chat()
    await chat.ask("Read it")
    assert 3 < len(stage.fake.requests) < 15
    assert chat.turns()[-1]["reason"] == "repetition"
    stage.play(["Good."])
    assert await chat.ask("Do something else") == "end_turn"


async def test_al18_the_same_failing_call_is_stopped_too(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    edit = {"file_path": "a.txt", "old_string": "missing", "new_string": "x"}
    stage.play([Turn([ToolUse("Edit", edit)], repeat=30)])
    chat = await stage.chat()
    await chat.ask("Change it")
    assert 3 < len(stage.fake.requests) < 15
    stage.play([])


async def test_al20_a_stop_works_while_the_stream_is_silent(stage: Stage) -> None:
    silent = Turn("Half of a", faults=[Stall(after_events=3)], pace=Pace(chunk_chars=4))
    stage.play([silent])
    chat = await stage.chat()
    prompt = chat.send("Talk")
    await stage.fake.wait_for_stall()
    started = asyncio.get_running_loop().time()
    chat.stop()
    assert await prompt.stop_reason() == "cancelled"
    assert asyncio.get_running_loop().time() - started < 5


async def test_al26_a_noisy_profile_does_not_disturb_the_protocol(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        noise = "printf '\\033]0;hi\\007'; echo Welcome; echo trouble >&2\n"
        for name in (".bash_profile", ".bashrc", ".profile"):
            (stage.home / name).write_text(noise, encoding="utf-8")
        assert await result(stage, "echo ran") == "ran"


async def test_al29_only_line_feeds_end_a_record(stage: Stage) -> None:
    odd = "one\u2028two\u0085three\rfour"
    stage.play(["I see.", "Yes."])
    chat = await stage.chat()
    assert await chat.ask(odd) == "end_turn"
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    again, _ = await stage.reload(chat.id)
    assert await again.ask("Still there?") == "end_turn"
    assert odd in "".join(
        text_of(block)
        for message in stage.body()["messages"]
        if not isinstance(message["content"], str)
        for block in message["content"]
        if block["type"] == "text"
    )


async def test_al31_a_child_that_keeps_the_pipe_open_holds_nothing_up(stage: Stage) -> None:
    started = asyncio.get_running_loop().time()
    command = "sleep 60 & echo started"
    assert await result(stage, command) == "started"
    assert asyncio.get_running_loop().time() - started < 10
    rows = (await stage.client.request("_pilotfish/processes/list", {}))["processes"]
    [left] = [row for row in rows if row["label"] == command]
    assert left["leftover"]
    await stage.client.request("_pilotfish/processes/stop", {"pid": left["pid"]})


async def test_al32_whoever_reads_gets_the_end(stage: Stage) -> None:
    text = await result(stage, "read -p 'Proceed? ' x; echo got $x; python3 -c 'input()'")
    assert "got" in text
    assert "EOFError" in text
    assert "nothing can be typed" in text


async def test_al33_no_editor_no_pager_no_terminal(stage: Stage) -> None:
    setup = (
        "git init -q -b main . && git config user.email a@b && git config user.name n && "
        "git config core.pager less && echo one > f && git add f && git commit -q -m one && "
        "git checkout -q -b side && echo side > f && git commit -q -a -m side && "
        "git checkout -q main && echo main > f && git commit -q -a -m main && "
        "git checkout -q side; git rebase main >/dev/null 2>&1; echo both > f; git add f; "
        "git rebase --continue && git log --format=%s && : < /dev/tty"
    )
    text = await result(stage, setup)
    assert "side\nmain\none" in text
    assert "/dev/tty" in text


async def test_al34_a_flood_ends_at_its_limit(stage: Stage) -> None:
    text = await result(stage, "yes | head -c 500000000")
    assert "[ended: it wrote more than 64 MB]" in text
    assert len(text) < 40_000
