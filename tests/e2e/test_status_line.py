"""The user's own status line: a command that is told of the session and writes a line."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.chat import Chat
from tests.support.stage import Stage, alive
from tests.support.waiting import until
from tests.support.wire_client import Json
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def stage(tmp_path: Path) -> AsyncGenerator[Stage]:
    async with Stage.open(tmp_path) as opened:
        yield opened


def settle(stage: Stage, **line: object) -> None:
    """Write the user's settings."""
    folder = stage.home / ".pilotfish"
    folder.mkdir(exist_ok=True)
    text = json.dumps({"statusLine": {"type": "command", **line}})
    (folder / "settings.json").write_text(text, encoding="utf-8")


def told(stage: Stage) -> list[Json]:
    """Return what the client was told of its sessions, oldest first."""
    seen = stage.client.notifications
    return [one["params"] for one in seen if one["method"] == "_pilotfish/status"]


def lines(stage: Stage, chat: Chat) -> list[str]:
    """Return the lines that the client was told, each once."""
    found = [str(one["line"]) for one in told(stage) if one["sessionId"] == chat.id]
    return list(dict.fromkeys(found))


async def test_the_line_knows_the_session_and_follows_its_replies(stage: Stage) -> None:
    script = (
        'python3 -c \'import json, sys; d = json.load(sys.stdin); c = d["context_window"]; '
        'print(d["model"]["id"], c["total_output_tokens"], c["current_usage"] is None)\''
    )
    settle(stage, command=script, padding=1)
    stage.play(["One."])
    chat = await stage.chat()
    await until(lambda: any(line.endswith(" 0 True ") for line in lines(stage, chat)))
    await chat.ask("Hello")
    await until(lambda: any(line.endswith(" False ") for line in lines(stage, chat)))
    assert lines(stage, chat)[-1].startswith(" claude-")


async def test_the_line_knows_what_of_the_providers_limits_is_used(stage: Stage) -> None:
    script = (
        "python3 -c 'import json, sys; d = json.load(sys.stdin); "
        'print(d["output_style"]["name"], json.dumps(d.get("rate_limits")))\''
    )
    settle(stage, command=script)
    headers = {
        "anthropic-ratelimit-unified-5h-utilization": "0.25",
        "anthropic-ratelimit-unified-5h-reset": "1767225600",
        "anthropic-ratelimit-unified-7d-utilization": "0.5",
    }
    stage.play([Turn("One.", headers=headers), "Two."])
    chat = await stage.chat()
    await until(lambda: "default null" in lines(stage, chat))
    told = {
        "five_hour": {"used_percentage": 25.0, "resets_at": 1767225600},
        "seven_day": {"used_percentage": 50.0, "resets_at": None},
    }
    for _ in range(2):  # what an answer does not tell stays as it was
        await chat.ask("Hello")
        await until(lambda: lines(stage, chat)[-1] == f"default {json.dumps(told)}")


async def test_how_long_a_turn_took_is_told_at_its_end(stage: Stage) -> None:
    stage.play(["One.", "Two."])
    chat = await stage.chat()
    for _ in range(2):
        await chat.ask("Hello")
        snapshot = await chat.snapshot()
        mine = [one for one in told(stage) if one["sessionId"] == chat.id]
        assert mine[-1]["worked"]["turnsMs"] == snapshot["status"]["worked"]["turnsMs"] > 0


async def test_a_failure_leaves_the_line_and_nothing_written_clears_it(stage: Stage) -> None:
    command = "if [ -e gone ]; then exit 3; elif [ -e empty ]; then :; else echo here; fi"
    settle(stage, command=command)
    stage.play(["One.", "Two."])
    chat = await stage.chat()
    await until(lambda: lines(stage, chat)[-1:] == ["here"])
    (stage.project / "gone").touch()
    await chat.ask("Hello")
    (stage.project / "gone").unlink()
    (stage.project / "empty").touch()
    await chat.ask("Again")
    await until(lambda: told(stage)[-1]["line"] == "")


async def test_a_new_command_counts_at_once_and_the_old_one_is_ended(stage: Stage) -> None:
    settle(stage, command="echo $$ > pid; sleep 300")
    stage.play([])
    chat = await stage.chat()
    pid_file = stage.project / "pid"
    await until(lambda: pid_file.exists() and pid_file.read_text(encoding="utf-8").strip() != "")
    pid = int(pid_file.read_text(encoding="utf-8"))
    settle(stage, command="echo quick")
    await until(lambda: lines(stage, chat)[-1:] == ["quick"])
    await until(lambda: not alive({pid}))


async def test_a_project_cannot_set_it(stage: Stage) -> None:
    text = json.dumps({"statusLine": {"type": "command", "command": "touch ran; echo evil"}})
    stage.write(".pilotfish/settings.json", text)
    stage.play(["One."])
    chat = await stage.chat()
    await chat.ask("Hello")
    assert not (stage.project / "ran").exists()
    assert lines(stage, chat) in ([], [""])


async def test_nothing_runs_in_a_folder_that_is_not_trusted_and_that_is_said_once(
    tmp_path: Path,
) -> None:
    async with Stage.open(tmp_path, workspaceTrusted=False) as stage:
        settle(stage, command="touch ran; echo here", refreshInterval=1)
        stage.play(["One.", "Two."])
        chat = await stage.chat()
        await chat.ask("Hello")
        await chat.ask("Again")
        assert not (stage.project / "ran").exists()
        said = [
            one["params"]["message"]
            for one in stage.client.notifications
            if one["method"] == "window/showMessage"
        ]
        assert [text for text in said if "status line" in text] == [
            "Your status line does not run here until the folder is trusted."
        ]


async def test_the_line_knows_how_long_the_session_worked_and_what_it_changed(
    stage: Stage,
) -> None:
    script = (
        'python3 -c \'import json, sys; c = json.load(sys.stdin)["cost"]; '
        'print(c["total_lines_added"], c["total_lines_removed"], '
        '0 < c["total_api_duration_ms"] <= c["total_duration_ms"])\''
    )
    settle(stage, command=script)
    write = ToolUse("Write", {"file_path": "a.txt", "content": "one\ntwo\nthree\n"})
    edit = ToolUse("Edit", {"file_path": "a.txt", "old_string": "two\n", "new_string": ""})
    stage.play([Turn([write]), Turn([edit]), "Done.", "Again."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await until(lambda: lines(stage, chat)[-1:] == ["0 0 False"])
    await chat.ask("Write and cut")
    await chat.ask("And?")
    await until(lambda: lines(stage, chat)[-1:] == ["3 1 True"])


async def test_the_line_follows_the_session_into_a_folder(stage: Stage) -> None:
    script = (
        'python3 -c \'import json, sys; d = json.load(sys.stdin); w = d["workspace"]; '
        'print(json.dumps([w["current_dir"], w["project_dir"], d["worktree"]]))\''
    )
    settle(stage, command=script)
    (stage.project / "part").mkdir()
    move = ToolUse("Bash", {"command": "cd part"}, id="toolu_cd")
    stage.play([Turn([move]), "There."])
    chat = await stage.chat(allowedTools=["Bash"])
    await chat.ask("Go there")
    project = str(stage.project.resolve())
    expected = json.dumps([f"{project}/part", project, None])
    await until(lambda: lines(stage, chat)[-1:] == [expected])
