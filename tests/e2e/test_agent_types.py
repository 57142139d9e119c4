"""Kinds of agents: what the client and the command line show of their files."""

import json
from pathlib import Path
from typing import Any

import pytest
from pilotfish.config.trust import TrustStore

from tests.support.command_line import pilotfish
from tests.support.stage import Stage, environment

pytestmark = pytest.mark.asyncio(loop_scope="session")

TYPES = "_pilotfish/agents/types"


def define(stage: Stage, name: str, *, file: str = "", more: str = "") -> Path:
    text = f"---\nname: {name}\ndescription: Use it: always\n{more}---\nDo it.\n"
    return stage.write(file or f".pilotfish/agents/{name}.md", text)


async def types(stage: Stage, session_id: str) -> dict[str, Any]:
    return await stage.client.request(TYPES, {"sessionId": session_id})


def active(answer: dict[str, Any]) -> dict[str, Any]:
    return {row["name"]: row for row in answer["types"] if row["replacedBy"] is None}


async def test_the_client_sees_every_definition_and_what_is_wrong(stage: Stage) -> None:
    file = define(stage, "Explore", more="tools: [Read, Wrote]\npermissionMode: plan\n")
    define(stage, "Explore", file=".claude/agents/Explore.md")
    broken = stage.write(".pilotfish/agents/broken.md", "---\nname: x\n---\nText")
    chat = await stage.chat()
    answer = await types(stage, chat.id)

    explore = [row for row in answer["types"] if row["name"] == "Explore"]
    assert [(row["source"], row["replacedBy"]) for row in explore] == [
        ("projectSettings", None),
        ("projectSettings", "projectSettings"),
        ("built-in", "projectSettings"),
    ]
    assert explore[0]["path"] == str(file)
    assert explore[0]["tools"] == ["Read", "Wrote"]
    assert explore[0]["permissionMode"] == "plan"
    assert explore[0]["description"] == "Use it: always"
    problems = {(one["path"], one["line"], one["severity"]) for one in answer["problems"]}
    assert problems == {(str(file), 4, "warning"), (str(broken), 1, "error")}
    homes = {one["source"]: one["path"] for one in answer["folders"]}
    assert homes["projectSettings"] == str(stage.project / ".pilotfish" / "agents")


async def test_a_projects_agents_wait_for_trust(stage: Stage) -> None:
    file = define(stage, "helper")
    chat = await stage.chat()
    try:
        trust(stage, trusted=False)
        answer = await types(stage, chat.id)
        assert "helper" not in active(answer)
        assert answer["untrusted"] == [str(file)]
    finally:
        trust(stage, trusted=True)
    answer = await types(stage, chat.id)
    assert "helper" in active(answer)
    assert answer["untrusted"] == []


def trust(stage: Stage, *, trusted: bool) -> None:
    settings = {"pilotfish": {"workspaceTrusted": trusted}}
    stage.client.notify("workspace/didChangeConfiguration", {"settings": settings})


async def test_the_command_line_lists_them(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    folder = project / ".pilotfish" / "agents"
    folder.mkdir(parents=True)
    (folder / "helper.md").write_text("---\nname: helper\ndescription: d\n---\nText", "utf-8")
    env = environment(home)

    untrusted = await pilotfish("agents", "list", env=env, cwd=project)
    assert untrusted.code == 0
    assert "helper  (" not in untrusted.stdout
    assert "not trusted" in untrusted.stderr
    TrustStore(home / ".pilotfish").trust(project, now_ms=1)
    trusted = await pilotfish("agents", "list", "--json", env=env, cwd=project)
    assert "helper" in active(json.loads(trusted.stdout))

    (folder / "broken.md").write_text("---\nname: [\n---\nText", "utf-8")
    broken = await pilotfish("agents", "list", env=env, cwd=project)
    assert broken.code == 1
    assert f"{folder / 'broken.md'}:2: error: " in broken.stderr
    doctor = await pilotfish("doctor", env=env, cwd=project)
    assert doctor.code == 1
    assert "✗ agents     5 kinds" in doctor.stdout
