"""A server dies while a tool is at work: each kind of tool, and every line that may be the last one.

The transcripts that any kill can leave are the beginnings of a whole one; the tools that can be held
up between their start and their end are, and the server is killed then.
"""

import json
import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.ids import new_session_id
from pilotfish.engine.conversation import LOST_RESULT_TEXT
from pilotfish.session.recovery import LOST_TEXT

from tests.support.chat import Chat
from tests.support.documents import code
from tests.support.engine_stage import EngineStage, ask
from tests.support.stage import (
    Stage,
    alive,
    assert_paired,
    body_of,
    environment,
    family,
    text_of,
    usual_path,
)
from tests.support.waiting import until
from tests.support.wire_client import NO_ANSWER, WAIT_S, WireClient
from tests.support.wire_editor import WireEditor
from tools.fake_model import FakeModel, Scenario, Script, ToolUse, Turn, When

NOTEBOOK = json.dumps(
    {"cells": [code("one", "x = 1")], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
)

BATCHES: list[list[ToolUse]] = [
    [
        ToolUse("Read", {"file_path": "a.txt"}),
        ToolUse("Read", {"file_path": "n.ipynb"}),
        ToolUse("Glob", {"pattern": "*.txt"}),
        ToolUse("Grep", {"pattern": "alpha"}),
        ToolUse("ToolSearch", {"query": "select:NotebookRead"}),
    ],
    [
        ToolUse("Edit", {"file_path": "a.txt", "old_string": "alpha", "new_string": "beta"}),
        ToolUse(
            "MultiEdit",
            {"file_path": "a.txt", "edits": [{"old_string": "two", "new_string": "three"}]},
        ),
        ToolUse("Write", {"file_path": "b.txt", "content": "new\n"}),
        ToolUse(
            "NotebookEdit", {"notebook_path": "n.ipynb", "cell_id": "one", "new_source": "x = 2"}
        ),
        ToolUse("Bash", {"command": "echo ran"}),
        ToolUse("TaskCreate", {"subject": "Go on", "description": "All of it"}),
        ToolUse("TaskUpdate", {"taskId": "1", "status": "in_progress"}),
        ToolUse("TaskGet", {"taskId": "1"}),
        ToolUse("TaskList", {}),
        ToolUse(
            "ExecuteTool",
            {"tool_name": "NotebookRead", "params": {"notebook_path": "n.ipynb"}},
        ),
        ToolUse("LSP", {"operation": "document_symbols", "file_path": "m.py"}),
        ToolUse("Bash", {"command": "sleep 0", "run_in_background": True}),
    ],
]


async def test_whatever_line_was_the_last_the_session_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        (stage.project / "a.txt").write_text("alpha\ntwo\n", encoding="utf-8")
        (stage.project / "m.py").write_text("def f(): ...\n", encoding="utf-8")
        (stage.project / "n.ipynb").write_text(NOTEBOOK, encoding="utf-8")
        turns = [Turn(["I work.", *batch]) for batch in BATCHES]
        stage.play([*turns, "All done.", Turn("I go on.", repeat="forever")])
        session = await stage.session(allowed_tools=("Bash",))
        await ask(session, "Do it all")
        stage.check(session)
        await stage.manager.close(session.id)
        (path,) = (tmp_path / "home" / ".pilotfish" / "projects").glob(f"*/{session.id}.jsonl")
        lines = path.read_bytes().splitlines(keepends=True)
        assert ended_well(lines) == sum(map(len, BATCHES))
        seen: set[str] = set()
        for count in range(2, len(lines)):
            seen |= await goes_on(stage, path, str(session.id), lines[:count])
        assert seen == {call.name for batch in BATCHES for call in batch}


def ended_well(lines: list[bytes]) -> int:
    events = [json.loads(line)["event"] for line in lines]
    return sum(one["type"] == "tool_finished" and one["status"] == "completed" for one in events)


async def goes_on(stage: EngineStage, path: Path, old_id: str, lines: list[bytes]) -> set[str]:
    """Load a transcript that ends early and ask on; returns the tools that were cut off."""
    new_id = new_session_id()
    text = b"".join(lines).replace(old_id.encode(), str(new_id).encode())
    path.with_name(f"{new_id}.jsonl").write_bytes(text)
    events = [json.loads(line)["event"] for line in lines]
    called = [
        one["block"]
        for one in events
        if one["type"] == "block_finished" and one["block"]["type"] == "tool_use"
    ]
    finished = {one["tool_use_id"] for one in events if one["type"] == "tool_finished"}
    started = {one["tool_use_id"] for one in events if one["type"] == "tool_started"}
    session = await stage.manager.load(new_id)
    assert session.data.open_turn is None
    sent = len(stage.fake.requests)
    await ask(session, "Go on")
    assert len(stage.fake.requests) == sent + 1
    body = body_of(stage.fake)
    assert_paired(body)
    assert stage.fake.problems == []
    results = {
        block["tool_use_id"]: block
        for message in body["messages"]
        for block in message["content"]
        if block["type"] == "tool_result"
    }
    lost = [block for block in called if block["id"] not in finished]
    for block in lost:
        assert results[block["id"]]["is_error"] is True
        assert text_of(results[block["id"]]) in (
            (LOST_TEXT,) if block["id"] in started else (LOST_TEXT, LOST_RESULT_TEXT)
        )
    await stage.manager.close(new_id)
    return {block["name"] for block in lost}


# --- killed for real, while the tool waits for something ---

OLD, NEW = "alpha\n", "beta\n"


@dataclass(frozen=True, kw_only=True)
class Held:
    """A call that does not come to its end."""

    call: ToolUse
    open_file: str = ""
    """Open in the editor, which does not answer."""
    files: dict[str, str] = field(default_factory=dict[str, str])
    unchanged: str = ""
    """What must be as it was after the kill."""


def held_calls() -> dict[str, Held]:
    """Return a call of each kind that something else can hold up, by the name of its session."""
    return {
        "edit": Held(
            call=ToolUse("Edit", {"file_path": "edit.txt", "old_string": OLD, "new_string": NEW}),
            open_file="edit.txt",
            files={"edit.txt": OLD},
            unchanged="edit.txt",
        ),
        "multi": Held(
            call=ToolUse(
                "MultiEdit",
                {"file_path": "multi.txt", "edits": [{"old_string": OLD, "new_string": NEW}]},
            ),
            open_file="multi.txt",
            files={"multi.txt": OLD},
            unchanged="multi.txt",
        ),
        "write": Held(
            call=ToolUse("Write", {"file_path": "write.txt", "content": NEW}),
            open_file="write.txt",
            files={"write.txt": OLD},
            unchanged="write.txt",
        ),
        "notebook": Held(
            call=ToolUse(
                "NotebookEdit",
                {"notebook_path": "held.ipynb", "cell_id": "one", "new_source": "x = 2"},
            ),
            open_file="held.ipynb",
            files={"held.ipynb": NOTEBOOK},
            unchanged="held.ipynb",
        ),
        "bash": Held(call=ToolUse("Bash", {"command": "touch bash.started; sleep 1000"})),
        "glob": Held(call=ToolUse("Glob", {"pattern": "held-*"})),
        "grep": Held(call=ToolUse("Grep", {"pattern": "held-word"})),
        "output": Held(call=ToolUse("TaskOutput", {"task_id": "bash_1", "timeout": 60_000})),
    }


RG = """#!/bin/sh
case "$*" in *held-*) echo $$ >> "$HELD_LOG"; exec sleep 1000;; esac
exec {real} "$@"
"""
"""Stands for ripgrep and never comes back from the searches of this test."""


def with_held_search(folder: Path) -> dict[str, str]:
    """Put the stand-in before the real program; returns what the environment needs."""
    programs = folder / "programs"
    programs.mkdir()
    real = shutil.which("rg") or shutil.which("rg", path=str(Path(sys.executable).parent))
    shim = programs / "rg"
    shim.write_text(RG.replace("{real}", str(real)), encoding="utf-8")
    shim.chmod(0o755)
    return {"PATH": f"{programs}{os.pathsep}{usual_path()}", "HELD_LOG": str(folder / "held.log")}


def script(name: str, held: Held) -> Script:
    before: list[Turn] = []
    if held.files:
        before.append(Turn([ToolUse("Read", {"file_path": next(iter(held.files))})]))
    if name == "output":
        sleep = {"command": "touch output.started; sleep 1000", "run_in_background": True}
        before.append(Turn([ToolUse("Bash", sleep)]))
    again: list[Turn] = [Turn([held.call])] if held.open_file else []
    return Script(
        when=When(first_user_text=f"<{name}>"),
        turns=[*before, Turn([held.call]), *again, Turn("I go on.", repeat="forever")],
    )


async def start(fake: FakeModel, folder: Path, **variables: str) -> Stage:
    project = folder / "project"
    project.mkdir(exist_ok=True)
    client = await WireClient.start(environment(folder / "home", fake.url, **variables), cwd=folder)
    await client.initialize(project)
    return Stage(fake, client, WireEditor(client), folder / "home", project)


def is_held(stage: Stage, chat: Chat, held: Held, folder: Path) -> bool:
    """Tell whether a call waits for what never comes."""
    # What changes nothing is written down with what follows it, a little later.
    paths = (stage.home / ".pilotfish" / "projects").glob(f"*/{chat.id}.jsonl")
    lines = [line for path in paths for line in path.read_bytes().split(b"\n")[:-1]]
    events = [json.loads(line)["event"] for line in lines]
    if not any(one["type"] == "tool_started" and one["tool"] == held.call.name for one in events):
        return False
    if held.open_file:
        asked = json.dumps(
            [one for one in stage.client.requests if "edit" in one["method"].lower()]
        )
        return held.open_file in asked
    if held.call.name == "Bash":
        return (stage.project / "bash.started").exists()
    if held.call.name in ("Glob", "Grep"):
        log = folder / "held.log"
        return log.exists() and len(log.read_text(encoding="utf-8").split()) >= 2
    return (stage.project / "output.started").exists()


async def test_each_kind_of_tool_survives_kill_9_while_it_works(tmp_path: Path) -> None:
    calls = held_calls()
    scenario = Scenario(scripts=[script(name, held) for name, held in calls.items()])
    async with FakeModel(scenario) as fake:
        stage = await start(fake, tmp_path, **with_held_search(tmp_path))
        chats: dict[str, Chat] = {}
        stage.client.answerers["workspace/applyEdit"] = lambda _: NO_ANSWER
        stage.client.answerers["_pilotfish/editor/cells"] = lambda _: NO_ANSWER
        for name, held in calls.items():
            for file, text in held.files.items():
                stage.editor.open(stage.write(file, text))
            chat = chats[name] = await stage.chat(
                permissionMode="acceptEdits", allowedTools=["Bash"]
            )
            chat.send(f"<{name}>")
        for name, held in calls.items():
            await until(
                lambda chat=chats[name], held=held: is_held(stage, chat, held, tmp_path),
                limit_s=WAIT_S,
            )
        processes = family(stage.client.process.pid)
        stage.client.process.kill()
        await stage.client.wait_for_exit()
        await until(lambda: not alive(processes))

        stage = await start(fake, tmp_path)
        try:
            for name, held in calls.items():
                await check_resumed(stage, chats[name], name, held)
            assert fake.problems == []
        finally:
            assert await stage.client.stop() == 0


async def check_resumed(stage: Stage, chat: Chat, name: str, held: Held) -> None:
    for file, text in held.files.items():
        assert (stage.project / file).read_text(encoding="utf-8") == text, name
    view, _ = await stage.reload(chat.id, "resume")
    await view.set_mode("acceptEdits")
    assert (await view.snapshot())["state"] == "idle", name
    sent = len(stage.fake.requests)
    assert await view.ask("Go on") == "end_turn", name
    body: dict[str, Any] = stage.body(sent)
    assert_paired(body)
    results = [
        block
        for message in body["messages"]
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    assert text_of(results[-1]) == LOST_TEXT, name
    if held.open_file:
        # The file is as the model knew it, so that it can do at once what was cut off.
        assert "is_error" not in stage.results()[-1], text_of(stage.results()[-1])
        now = (stage.project / held.open_file).read_text(encoding="utf-8")
        assert ("x = 2" if name == "notebook" else NEW) in now, name
