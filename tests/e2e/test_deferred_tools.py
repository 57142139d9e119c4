"""Tools that the model looks for: found, run, and judged as what they are."""

import json
from typing import Any

import pytest

from tests.support.stage import Stage, all_text, assert_paired, text_of
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOTEBOOK = json.dumps(
    {
        "cells": [{"cell_type": "code", "id": "c1", "metadata": {}, "source": "1 + 1",
                   "outputs": [], "execution_count": None}],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
    }
)  # fmt: skip


def execute(name: str, call: str | None = None, **params: Any) -> ToolUse:
    return ToolUse("ExecuteTool", {"tool_name": name, "params": params}, id=call)


async def test_a_tool_is_found_and_run_while_the_list_stays_as_it_is(stage: Stage) -> None:
    stage.write("a.ipynb", NOTEBOOK)
    find = ToolUse("ToolSearch", {"query": "jupyter cells"})
    run = execute("NotebookRead", "toolu_run", notebook_path="a.ipynb")
    stage.play([Turn([find]), Turn([run]), "One cell."])
    chat = await stage.chat()
    assert await chat.ask("What is in the notebook?") == "end_turn"
    bodies = [stage.body(number) for number in range(3)]
    assert len({json.dumps(one["tools"]) for one in bodies}) == 1
    names = {one["name"] for one in bodies[0]["tools"]}
    assert {"ToolSearch", "ExecuteTool", "Read"} <= names
    assert "NotebookRead" not in names
    assert "notebook_path" in text_of(stage.results(1)[0])
    assert "1 + 1" in text_of(stage.results(2)[0])
    shown = chat.tool_updates("toolu_run")
    assert shown[1]["title"].endswith("a.ipynb")
    assert shown[1]["rawInput"] == {"notebook_path": "a.ipynb"}
    assert_paired(stage.body())


async def test_a_rule_for_the_tool_holds_for_the_call_that_stands_for_it(stage: Stage) -> None:
    stage.write("secret/a.ipynb", NOTEBOOK)
    stage.settings(deny=["Read(./secret/**)"])
    stage.play([Turn([execute("NotebookRead", notebook_path="secret/a.ipynb")]), "Denied."])
    chat = await stage.chat()
    assert await chat.ask("Read it") == "end_turn"
    (result,) = stage.results()
    assert result["is_error"]
    assert "1 + 1" not in text_of(result)
    assert [one["decision"]["behavior"] for one in chat.facts("decision")] == ["deny"]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (execute("Bash", command="touch made"), "call it directly"),
        (execute("ExecuteTool", tool_name="Bash", params={}), "call it directly"),
        (execute("NoSuchTool"), "There is no tool called"),
        (execute("NotebookRead", path="a"), "`notebook_path` is required"),
        (ToolUse("ExecuteTool", {"params": {}}), "`tool_name` is required"),
        (ToolUse("ToolSearch", {"query": "select:Read"}), "call directly"),
        (ToolUse("ToolSearch", {"query": "quantum"}), "NotebookRead"),
    ],
)
async def test_what_cannot_be_run_like_this_is_explained(
    stage: Stage, call: ToolUse, told: str
) -> None:
    stage.play([Turn([call]), "I see."])
    chat = await stage.chat(permissionMode="bypassPermissions")
    assert await chat.ask("Go") == "end_turn"
    assert told in text_of(stage.results()[0])
    assert not (stage.project / "made").exists()


async def test_tools_that_come_and_go_are_told_while_the_list_stays_as_it_is(
    stage: Stage,
) -> None:
    stage.write("a.txt", "alpha\n")
    stage.settings(deny=["Grep"])
    search = execute("Grep", "toolu_grep", pattern="alpha")
    run = ToolUse("Bash", {"command": "touch made"}, id="toolu_run")
    stage.play(["One.", Turn([search, run]), "Two.", "Three.", "Four."])
    chat = await stage.chat(allowedTools=["Bash"])
    assert await chat.ask("First") == "end_turn"
    stage.settings(deny=["Bash"])
    assert await chat.ask("Second") == "end_turn"
    assert "Not available from now on, whatever your list says: Bash." in all_text(stage.body(1))
    assert "New: Grep; ToolSearch shows how they are called" in all_text(stage.body(1))
    found, refused = stage.results(2)
    assert "a.txt" in text_of(found)
    assert "There is no tool called 'Bash'" in text_of(refused)
    assert not (stage.project / "made").exists()
    stage.settings(deny=[])
    assert await chat.ask("Third") == "end_turn"
    assert "Available again: Bash." in all_text(stage.body())
    assert await chat.ask("Fourth") == "end_turn"
    assert all_text(stage.body()).count("have changed") == 2
    bodies = [one.body for one in stage.fake.requests]
    assert len({json.dumps(one["tools"]) for one in bodies}) == 1
    assert "Grep" not in {one["name"] for one in stage.body()["tools"]}
    assert_paired(stage.body())


@pytest.mark.parametrize("deferral", ["off", "auto", "auto:100"])
async def test_all_tools_are_in_the_list_where_the_settings_want_it(
    stage: Stage, deferral: str
) -> None:
    stage.write("a.ipynb", NOTEBOOK)
    stage.write(".pilotfish/settings.json", json.dumps({"tools": {"deferral": deferral}}))
    read = ToolUse("NotebookRead", {"notebook_path": "a.ipynb"})
    through = execute("NotebookRead", notebook_path="a.ipynb")
    stage.play([Turn([read]), Turn([through]), "One cell."])
    chat = await stage.chat()
    assert await chat.ask("What is in the notebook?") == "end_turn"
    assert "NotebookRead" in {one["name"] for one in stage.body()["tools"]}
    assert "1 + 1" in text_of(stage.results(1)[0])
    assert "call it directly" in text_of(stage.results(2)[0])
    assert len({json.dumps(stage.body(number)["tools"]) for number in range(3)}) == 1


async def test_tools_that_would_take_too_much_of_the_window_wait(stage: Stage) -> None:
    stage.write(".pilotfish/settings.json", json.dumps({"tools": {"deferral": "auto:0"}}))
    stage.play(["Hello."])
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    assert "NotebookRead" not in {one["name"] for one in stage.body()["tools"]}
