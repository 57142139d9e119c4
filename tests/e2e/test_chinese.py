"""An editor whose language is Chinese, through the real server."""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.support.stage import Stage, all_text
from tools.fake_model import ToolUse, Turn


@pytest_asyncio.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with Stage.open(tmp_path, locale="zh-cn") as opened:
        yield opened


async def test_the_modes_stand_there_in_chinese(stage: Stage) -> None:
    ours = stage.initialized["capabilities"]["experimental"]["pilotfish"]
    assert "计划" in [mode["name"] for mode in ours["modes"]]


async def test_titles_are_chinese_where_people_read_and_not_for_the_model(stage: Stage) -> None:
    stage.play(
        [
            Turn([ToolUse("TaskList", {})]),
            Turn([ToolUse("Bash", {"command": "echo Plan"})]),
            "Done.",
        ]
    )
    chat = await stage.chat(permissionMode="bypassPermissions")
    chat.agree()
    await chat.ask("Go")
    snapshot = await chat.snapshot()
    titles = [one["update"].get("title") for one in snapshot["updates"]]
    assert "查看任务列表" in titles
    assert "echo Plan" in titles
    assert "查看" not in all_text(stage.body())
    transcripts = stage.home.glob(".pilotfish/projects/*/*.jsonl")
    assert any("Look at the task list" in one.read_text("utf-8") for one in transcripts)


async def test_the_doctors_report_is_chinese(stage: Stage) -> None:
    answer = await stage.client.request("_pilotfish/doctor", {"cwd": str(stage.project)})
    found = {check["name"]: check["value"] for check in answer["checks"]}
    assert found["settings"].startswith("0 条规则，文件夹")
    assert found["index"].startswith(("尚无", "0 个文件"))
    assert "密钥来自 ANTHROPIC_API_KEY" in found["model"]
