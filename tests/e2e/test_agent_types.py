"""Kinds of agents: what the client and the command line show of their files."""

import json
from pathlib import Path
from typing import Any

import pytest
from pilotfish.config.trust import TrustStore

from tests.support.agent_scripts import agent, bodies, cast
from tests.support.command_line import pilotfish
from tests.support.stage import Stage, environment, text_of
from tools.fake_model import ToolUse, Turn

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


async def test_before_a_session_the_first_folder_is_meant(stage: Stage) -> None:
    for nobody in ({}, {"sessionId": None}, {"sessionId": ""}):
        answer = await stage.client.request(TYPES, nobody)
        assert {"Explore", "Plan", "general-purpose"} <= active(answer).keys()


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
    assert "✗ agents     5\n" in doctor.stdout


async def test_an_agent_of_the_project_works_as_its_file_says(stage: Stage) -> None:
    define(
        stage,
        "reviewer",
        more="tools: Read, Grep, Edit\ndisallowedTools: Edit\ninitialPrompt: Be strict.\n",
    )
    stage.play(cast([Turn([agent("look at a", "reviewer")]), "Done."], look=["Fine."]))
    chat = await stage.chat()
    assert await chat.ask("Review it") == "end_turn"

    assert "- reviewer: Use it: always (Tools: Read, Grep, Edit except Edit)" in agent_tool(
        stage, 0
    )
    [body] = bodies(stage, "look at a")
    assert [tool["name"] for tool in body["tools"]] == ["Grep", "Read"]
    assert body["system"][0]["text"].startswith("Do it.")
    assert "Be strict.\n\nlook at a" in str(body["messages"][0]["content"][0]["text"])


async def test_the_tools_of_an_agent_are_not_those_of_whoever_started_it_but_what_rules_leave(
    stage: Stage,
) -> None:
    define(stage, "lead", more="tools: Agent, Read\n")
    stage.settings(deny=["Grep", "Write(./kept/**)"])
    write = ToolUse("Write", {"file_path": "kept/a.txt", "content": "x"}, id="toolu_kept")
    search = ToolUse("Grep", {"pattern": "x"}, id="toolu_grep")
    stage.play(
        cast(
            [Turn([agent("ada: hand it on", "lead")]), "Done."],
            ada=[Turn([agent("ben: do it", call="toolu_ben")]), "It is done."],
            ben=[Turn([write, search]), "I could not."],
        )
    )
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Go") == "end_turn"

    lead, helper = (
        {tool["name"] for tool in bodies(stage, name)[0]["tools"]} for name in ("ada", "ben")
    )
    assert lead == {"Agent", "Read"}
    assert {"Bash", "Edit", "Write"} <= helper, "the filter of its starter is not its own"
    assert "Grep" not in helper, "what is forbidden altogether nobody has"
    results = bodies(stage, "ben: do it")[1]["messages"][-1]["content"]
    assert [bool(one.get("is_error")) for one in results] == [True, True]
    assert not (stage.project / "kept").exists()


async def test_an_agent_that_comes_later_is_told_and_the_tools_stay_the_same(stage: Stage) -> None:
    file = define(stage, "early")
    stage.play(
        cast(
            ["Hello.", Turn([agent("an errand", "late")]), "Done.", "So be it."], errand=["Did it."]
        )
    )
    chat = await stage.chat()
    await chat.ask("Hi")
    define(stage, "late")
    file.unlink()
    assert await chat.ask("Use the new one") == "end_turn"

    assert text_of(stage.results()[0]).startswith("Did it.")
    second = str(stage.body(1)["messages"][-1])
    assert "- late: Use it: always" in second
    assert "No longer there: early." in second
    assert stage.body(0)["tools"] == stage.body(1)["tools"]
    assert await chat.ask("Anything else?") == "end_turn"
    assert str(stage.body()["messages"]).count("No longer there") == 1


async def test_without_trust_a_projects_agent_cannot_be_started(stage: Stage) -> None:
    define(stage, "helper")
    stage.play([Turn([agent("do it", "helper")]), "It is not there."])
    try:
        trust(stage, trusted=False)
        chat = await stage.chat()
        assert await chat.ask("Do it") == "end_turn"
    finally:
        trust(stage, trusted=True)
    assert "There is no agent type 'helper'" in text_of(stage.results()[0])
    assert "helper" not in agent_tool(stage, 0)


def agent_tool(stage: Stage, request: int) -> str:
    """Return what the model is told of the Agent tool."""
    [tool] = [tool for tool in stage.body(request)["tools"] if tool["name"] == "Agent"]
    return tool["description"]
