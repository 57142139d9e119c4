"""The demo plays its tasks in Chinese where the editor is."""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

import re
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from pilotfish.core.messages import ToolUseBlock
from pilotfish.edges.demo_voice import demo_voice
from pilotfish.llm.providers.demo.model import DemoModel
from pilotfish.llm.providers.demo.texts import TASK_PROMPTS

from tests.support.demo_stage import Played, Stage, copy_example

FIX, ADD, RENAME = TASK_PROMPTS

CHINESE = re.compile(r"[\u4e00-\u9fff]")
ENGLISH_WORDS = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return copy_example(tmp_path)


@pytest.fixture
def stage(root: Path) -> Stage:
    return Stage(DemoModel(gap_s=0, voice=demo_voice("zh-cn")), root)


def left_in_english(played: Played) -> list[str]:
    """Return what was said without Chinese; names, code and what compilers say left out."""
    said = [re.sub(r"`[^`]*`|“[^”]*”|error: .*? closed", "", text) for text in played.texts if text]
    return [text for text in said if not CHINESE.search(text) or ENGLISH_WORDS.search(text)]


@pytest.mark.parametrize("prompt", TASK_PROMPTS)
async def test_every_step_of_a_task_is_chinese(stage: Stage, prompt: str) -> None:
    played = await stage.play(prompt)
    assert left_in_english(played) == []
    assert CHINESE.search(played.final)


@pytest.mark.parametrize("prompt", TASK_PROMPTS)
async def test_so_is_what_it_says_when_all_was_done_before(stage: Stage, prompt: str) -> None:
    await stage.play(prompt)
    again = await stage.play(prompt)
    assert left_in_english(again) == []


async def test_what_is_done_is_the_same_as_in_english(root: Path, tmp_path: Path) -> None:
    stage = Stage(DemoModel(gap_s=0, voice=demo_voice("zh-cn")), root)
    other = Stage(DemoModel(gap_s=0), copy_example(tmp_path / "other"))
    for prompt in TASK_PROMPTS:
        chinese, english = await stage.play(prompt), await other.play(prompt)
        assert chinese.names() == english.names()


async def test_the_list_of_what_is_to_be_done_is_chinese(stage: Stage) -> None:
    played = await stage.play(ADD)
    lists = [call for call in played.calls if call.name == "TodoWrite"]
    assert len(lists) >= 4
    assert all(CHINESE.search(text) for call in lists for text in texts_of_list(call))
    described = [call.input["description"] for call in played.calls if call.name == "Bash"]
    assert set(described) == {"运行示例的测试"}


async def test_what_a_tool_refuses_is_quoted_as_it_was_said(stage: Stage) -> None:
    def refuse(call: ToolUseBlock) -> str | None:
        return "No. Not today. Ask again." if call.name == "Edit" else None

    played = await stage.play(FIX, refuse)
    assert "我无法修复比较：Edit 调用没有成功。" in played.final
    assert "返回的信息：“No. Not today. Ask again.”" in played.final
    assert "请重新发送提示" in played.final


async def test_another_folder_is_said_to_be_none_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print()\n", encoding="utf-8")
    model = DemoModel(gap_s=0, voice=demo_voice("zh-cn"))
    played = await Stage(model, tmp_path).play(FIX)
    assert "不是 Pilotfish 的示例工作区" in played.final
    assert left_in_english(played) == []


def texts_of_list(call: ToolUseBlock) -> list[str]:
    todos = cast("list[dict[str, str]]", call.input["todos"])
    return [todo[key] for todo in todos for key in ("content", "activeForm")]


def test_a_start_without_the_demo_loads_no_catalogue() -> None:
    program = "import sys, pilotfish.app.engine; print('pilotfish.edges.chinese' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
