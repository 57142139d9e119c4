"""The task list: what the user sees of it, and that it outlives its session's process."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.chat import Chat
from tests.support.stage import Stage, assert_paired, text_of
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


def create(subject: str) -> ToolUse:
    return ToolUse("TaskCreate", {"subject": subject, "description": "…", "activeForm": "…ing"})


def update(number: int, **change: Any) -> ToolUse:
    return ToolUse("TaskUpdate", {"taskId": str(number), **change})


def plans(chat: Chat) -> list[list[dict[str, Any]]]:
    return [one["entries"] for one in chat.updates("plan")]


async def snapshot(stage: Stage, chat: Chat) -> list[dict[str, Any]]:
    answer = await stage.client.request("_pilotfish/session/snapshot", {"sessionId": chat.id})
    return answer["todos"]


async def test_the_user_sees_tasks_and_what_they_wait_for_without_being_asked(
    stage: Stage,
) -> None:
    stage.play(
        [
            Turn([create("Build"), create("Test"), create("Ship")]),
            Turn([update(2, addBlockedBy=["1"]), update(3, addBlockedBy=["2"])]),
            Turn([update(2, status="in_progress"), update(1, status="in_progress")]),
            Turn([update(1, status="completed"), ToolUse("TaskList", {})]),
            "On it.",
        ]
    )
    chat = await stage.chat()
    assert await chat.ask("Three things") == "end_turn"
    assert_paired(stage.body())
    names = {one["name"] for one in stage.body(0)["tools"]}
    assert {"TaskCreate", "TaskGet", "TaskList", "TaskUpdate"} <= names
    assert "TodoWrite" not in names
    refused, taken = stage.results(3)
    assert refused["is_error"]
    assert "(blocked)" in text_of(refused)
    assert not taken.get("is_error")
    done, listed = stage.results(4)
    assert "#2 can begin now" in text_of(done)
    assert text_of(listed) == (
        "#1 [completed] Build (owner: main)\n#2 [pending] Test\n#3 [pending] Ship (blocked by #2)"
    )
    assert [len(entries) for entries in plans(chat)][:3] == [1, 2, 3]
    last = plans(chat)[-1]
    assert [one["status"] for one in last] == ["completed", "pending", "pending"]
    assert last[2]["_meta"]["pilotfish"] == {
        "activeForm": "…ing",
        "taskId": "3",
        "blockedBy": ["2"],
    }
    first = (await snapshot(stage, chat))[0]
    assert (first["taskId"], first["owner"], first["status"]) == ("1", "main", "completed")
    assert not chat.facts("question")


async def test_a_reloaded_session_goes_on_with_its_tasks(stage: Stage) -> None:
    stage.play([Turn([create("Build"), create("Test")]), "Noted."])
    chat = await stage.chat()
    await chat.ask("Two things")
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.play([Turn([update(1, status="in_progress"), create("Ship")]), "Going on."])
    again, _ = await stage.reload(chat.id)
    assert [one["content"] for one in await snapshot(stage, again)] == ["Build", "Test"]
    await again.ask("Go on")
    assert [text_of(one) for one in stage.results()] == [
        "Task #1 [in_progress] Build (owner: main)",
        "Task #3 was created: Ship",
    ]


async def test_a_fork_has_a_list_of_its_own_and_a_deleted_session_none(stage: Stage) -> None:
    stage.play([Turn([create("Build")]), "Noted.", Turn([create("Only here")]), "Noted."])
    chat = await stage.chat()
    await chat.ask("One thing")
    forked = await stage.client.request(
        "session/fork", {"sessionId": chat.id, "cwd": str(stage.project), "mcpServers": []}
    )
    copy = Chat(stage.client, forked["sessionId"], stage.project)
    stage.chats.append(copy)
    await copy.ask("One more")
    assert _subjects(_folder(stage, copy.id)) == ["Build", "Only here"]
    assert _subjects(_folder(stage, chat.id)) == ["Build"]
    await stage.client.request("session/delete", {"sessionId": chat.id})
    stage.chats.remove(chat)
    assert not _folder(stage, chat.id).exists()


async def test_a_setting_gives_the_plain_list_back(stage: Stage) -> None:
    stage.write(".pilotfish/settings.json", json.dumps({"taskList": {"tools": "todo"}}))
    stage.play(["Hello."])
    chat = await stage.chat()
    await chat.ask("Hi")
    names = {one["name"] for one in stage.body()["tools"]}
    assert "TodoWrite" in names
    assert not {"TaskCreate", "TaskGet", "TaskList", "TaskUpdate"} & names


def _folder(stage: Stage, session_id: str) -> Path:
    return stage.home / ".pilotfish" / "tasks" / session_id


def _subjects(folder: Path) -> list[str]:
    files = sorted(folder.glob("*.json"))
    return [json.loads(file.read_text(encoding="utf-8"))["subject"] for file in files]
