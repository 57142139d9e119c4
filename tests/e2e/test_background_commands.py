"""Commands that go on while the conversation does."""

import json
import re
from pathlib import Path

import pytest

from tests.support.agent_scripts import number_in
from tests.support.chat import Chat
from tests.support.command_line import pilotfish
from tests.support.stage import Stage, alive, body_of, environment, text_of
from tests.support.waiting import until
from tools.fake_model import FakeModel, Pace, Stall, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

UNTIL_GO = "echo $$ > pid; while [ ! -e go ]; do sleep 0.02; done; echo finished"


def bash(command: str, **more: bool) -> ToolUse:
    return ToolUse("Bash", {"command": command, **more}, id="toolu_bash")


def in_background(command: str = UNTIL_GO) -> ToolUse:
    return bash(command, run_in_background=True)


async def pid_of(stage: Stage) -> int:
    """Return the number of the command; it may have gone to the background before it wrote it."""
    return await number_in(stage.project / "pid")


async def ended_turns(chat: Chat, count: int) -> None:
    await until(lambda: len(chat.turns()) == count)


async def test_the_model_goes_on_by_itself_when_a_command_has_ended(stage: Stage) -> None:
    stage.play([Turn(["I begin.", in_background()]), "Tell me when.", "It has finished."])
    chat = await stage.chat(allowedTools=["Bash"])
    assert await chat.ask("Build it") == "end_turn"
    assert text_of(stage.results()[0]).startswith("[in the background as bash_1, as asked:")
    [begun] = chat.facts("task")
    assert (begun["task"]["taskId"], begun["task"]["status"]) == ("bash_1", "running")

    (stage.project / "go").touch()
    await ended_turns(chat, 2)

    told = text_of(stage.said()[-1])
    assert "<task-id>bash_1</task-id>" in told
    assert "<result>finished</result>" in told
    assert chat.text().endswith("It has finished.")
    assert chat.facts("task")[-1]["task"]["status"] == "completed"
    assert await stage.children() == []


async def test_an_end_during_a_turn_is_told_at_the_next_step_and_never_again(stage: Stage) -> None:
    # Until the process is reaped: its end must be known before the next request leaves.
    wait = "touch go; while kill -0 $(cat pid); do sleep 0.05; done 2>/dev/null"
    touch = ToolUse("Bash", {"command": wait}, id="b")
    stage.play([Turn([in_background()]), Turn([touch]), "Good.", "Bye."])
    chat = await stage.chat(allowedTools=["Bash"])
    assert await chat.ask("Build it") == "end_turn"
    await ended_turns(chat, len(chat.turns()))
    assert await chat.ask("Thanks") == "end_turn"
    said = str(stage.body()["messages"])
    assert said.count("<task-notification>") == 1


async def test_stop_leaves_the_background_alone_and_closing_ends_it(stage: Stage) -> None:
    slow = Turn("And now for a long time", faults=[Stall(after_events=4)], pace=Pace(chunk_chars=5))
    stage.play([Turn([in_background()]), slow])
    chat = await stage.chat(allowedTools=["Bash"])
    prompt = chat.send("Build it")
    await chat.wait_for_text("And now")
    chat.stop()
    assert await prompt.stop_reason() == "cancelled"
    assert alive({await pid_of(stage)})

    pid = await pid_of(stage)
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    await until(lambda: not alive({pid}))


async def test_after_a_stop_the_news_wait_for_the_user(stage: Stage) -> None:
    slow = Turn("And now for a long time", faults=[Stall(after_events=4)], pace=Pace(chunk_chars=5))
    stage.play([Turn([in_background()]), slow, "I see."])
    chat = await stage.chat(allowedTools=["Bash"])
    prompt = chat.send("Build it")
    await chat.wait_for_text("And now")
    chat.stop()
    await prompt.stop_reason()
    (stage.project / "go").touch()
    await until(lambda: len(chat.facts("task")) == 2)
    assert len(chat.turns()) == 1
    assert await chat.ask("Go on") == "end_turn"
    assert any("<task-notification>" in text_of(one) for one in stage.said())


async def test_the_user_moves_a_command_looks_into_it_and_stops_it(stage: Stage) -> None:
    stage.play([Turn([bash(f"echo hello; {UNTIL_GO}")]), "It goes on."])
    chat = await stage.chat(allowedTools=["Bash"])
    prompt = chat.send("Build it")
    await until((stage.project / "pid").exists)
    session = {"sessionId": chat.id}
    wish = {**session, "toolCallId": "toolu_bash"}
    assert await stage.client.request("_pilotfish/tasks/background", wish) == {"taken": True}
    assert await prompt.stop_reason() == "end_turn"
    assert "as the user wants" in text_of(stage.results()[0])

    one = {**session, "taskId": "bash_1"}
    look = await stage.client.request("_pilotfish/tasks/output", one)
    assert (look["status"], look["text"]) == ("running", "hello")
    assert await stage.client.request("_pilotfish/tasks/stop", one) == {"taken": True}
    await until(lambda: chat.facts("task")[-1]["task"]["status"] == "stopped")
    assert await stage.client.request("_pilotfish/tasks/stop", one) == {"taken": False}


async def test_the_user_sees_all_that_runs_and_ends_one_by_its_number(stage: Stage) -> None:
    stage.play([Turn([in_background()]), "It goes on.", "I see."])
    chat = await stage.chat(allowedTools=["Bash"])
    await chat.ask("Build it")
    listed = await stage.client.request("_pilotfish/processes/list", {})
    pid = await pid_of(stage)
    [row] = [one for one in listed["processes"] if one["pid"] == pid]
    assert (row["purpose"], row["label"], row["leftover"]) == ("shell", UNTIL_GO[:60], False)
    wish = {"pid": row["pid"]}
    assert await stage.client.request("_pilotfish/processes/stop", wish) == {"taken": True}
    await until(lambda: len(chat.turns()) == 2)
    assert "ended by signal 15" in text_of(stage.said()[-1])
    assert await stage.client.request("_pilotfish/processes/stop", wish) == {"taken": False}


async def test_what_the_user_keeps_outlives_its_chat_and_comes_back_to_it(stage: Stage) -> None:
    stage.play([Turn([in_background()]), "It goes on.", "It has finished."])
    chat = await stage.chat(allowedTools=["Bash"])
    await chat.ask("Build it")
    one = {"sessionId": chat.id, "taskId": "bash_1", "keep": True}
    assert await stage.client.request("_pilotfish/tasks/keep", one) == {"taken": True}
    assert await stage.client.request("_pilotfish/tasks/keep", one) == {"taken": False}
    assert chat.facts("task")[-1]["task"]["kept"] is True
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    assert alive({await pid_of(stage)})

    again, _ = await stage.reload(chat.id)
    look = await stage.client.request(
        "_pilotfish/tasks/output", {"sessionId": chat.id, "taskId": "bash_1"}
    )
    assert look["status"] == "running"
    (stage.project / "go").touch()
    await until(lambda: again.text().endswith("It has finished."))
    assert "<result>finished</result>" in text_of(stage.said()[-1])


async def test_what_is_kept_no_longer_ends_with_its_chat(stage: Stage) -> None:
    stage.play([Turn([in_background()]), "It goes on."])
    chat = await stage.chat(allowedTools=["Bash"])
    await chat.ask("Build it")
    for keep in (True, False):
        wish = {"sessionId": chat.id, "taskId": "bash_1", "keep": keep}
        assert await stage.client.request("_pilotfish/tasks/keep", wish) == {"taken": True}
    pid = await pid_of(stage)
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    await until(lambda: not alive({pid}))


async def test_what_is_kept_ends_with_the_server_and_that_is_told(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        stage.play([Turn([in_background()]), "It goes on."])
        chat = await stage.chat(allowedTools=["Bash"])
        await chat.ask("Build it")
        wish = {"sessionId": chat.id, "taskId": "bash_1", "keep": True}
        await stage.client.request("_pilotfish/tasks/keep", wish)
        pid = await pid_of(stage)
    await until(lambda: not alive({pid}))


async def test_a_fresh_view_knows_what_runs(stage: Stage) -> None:
    stage.play([Turn([in_background()]), "It goes on."])
    chat = await stage.chat(allowedTools=["Bash"])
    await chat.ask("Build it")
    snapshot = await chat.snapshot()
    tasks = [
        each["_meta"]["pilotfish"]["task"]
        for each in snapshot["updates"]
        if each["_meta"]["pilotfish"].get("task")
    ]
    assert [task["status"] for task in tasks] == ["running"]
    output = Path(tasks[0]["outputPath"])
    assert output.parent.is_relative_to(stage.home)


async def test_doctor_shows_what_servers_have_started(stage: Stage) -> None:
    stage.play([Turn([in_background()]), "It goes on."])
    chat = await stage.chat(allowedTools=["Bash"])
    await chat.ask("Build it")
    seen = await pilotfish("doctor", "--json", env=environment(stage.home), cwd=stage.project)
    report = json.loads(seen.stdout)
    [line] = report["processes"]
    assert line.startswith(f"{await pid_of(stage)}, shell, ")
    assert line.endswith(UNTIL_GO[:60])
    assert not any("outlived" in problem["text"] for problem in report["problems"])


async def test_a_run_in_a_script_waits_for_its_commands(tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text('{"shell": {"foregroundMs": 10}}', encoding="utf-8")
    async with FakeModel(
        [Turn([bash("for i in 1 2 3; do sleep 0.1; done; echo over")]), "Done."]
    ) as fake:
        ended = await pilotfish(
            *("run", "Build it", "--allowed-tools", "Bash", "--settings", str(settings)),
            env=environment(tmp_path / "home", fake.url),
            cwd=tmp_path,
        )
        assert ended.code == 0, ended.stderr
        [result] = body_of(fake)["messages"][-1]["content"]
        assert text_of(result) == "over"


async def test_patience_is_a_setting(stage: Stage) -> None:
    stage.write(".pilotfish/settings.json", '{"shell": {"foregroundMs": 50}}')
    stage.play([Turn([bash(UNTIL_GO)]), "It goes on."])
    chat = await stage.chat(allowedTools=["Bash"])
    await chat.ask("Build it")
    assert re.match(
        r"\[in the background as bash_1, after 0\.05 seconds:", text_of(stage.results()[0])
    )
