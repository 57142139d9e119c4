"""An editor whose language is Chinese, through the real server."""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.stage import Stage, all_text
from tests.support.wire_client import WireError
from tools.fake_model import HttpError, ToolUse, Turn


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


@pytest.mark.parametrize(
    ("status", "said", "shown"),
    [
        (
            400,
            "max_tokens: too large",
            "{fake} 不接受该请求（400）：max_tokens: too large. "
            "服务器的消息说明了它不接受的内容；换用其他模型或新的会话可能有帮助。",
        ),
        (
            401,
            "invalid x-api-key",
            "{fake} 不接受来自 ANTHROPIC_API_KEY 的密钥（401）：invalid x-api-key. "
            "请检查或更换 ANTHROPIC_API_KEY 中的密钥；它必须属于 {fake}。",
        ),
    ],
)
async def test_a_failed_turn_says_why_in_chinese(
    stage: Stage, status: int, said: str, shown: str
) -> None:
    stage.play([Turn(error=HttpError(status=status, message=said))])
    chat = await stage.chat()
    await chat.ask("Go")
    updates = (await chat.snapshot())["updates"]
    ends = [
        one["_meta"]["pilotfish"]["turn"]
        for one in updates
        if one["_meta"]["pilotfish"].get("turn")
    ]
    [end] = ends
    assert end["message"] == shown.format(fake=stage.fake.url)


async def test_findings_and_hovers_of_a_settings_file_are_chinese(stage: Stage) -> None:
    text = """{ "permissions": { "deny": ["Bash(npm:*)"], "allow": ["Bash(npm test)", "Bsh"] } }"""
    path = stage.write(".pilotfish/settings.json", text)
    stage.editor.open(path)
    found = await stage.client.wait_for(
        "textDocument/publishDiagnostics", lambda one: bool(one["diagnostics"])
    )
    said = [one["message"] for one in found["diagnostics"]]
    assert any("没有这个名称的工具：Bsh；您是指 Bash 吗？" in one for one in said)
    assert any("它从不生效，原因是" in one for one in said)
    params = {
        "textDocument": {"uri": path.as_uri()},
        "position": {"line": 0, "character": text.index("npm:*")},
    }
    hover = await stage.client.request("textDocument/hover", params)
    markdown = hover["contents"]["value"]
    assert "**从不运行**：以 `npm` 开头的命令。" in markdown
    assert "\n匹配\n- `npm`" in markdown


async def test_keys_of_a_settings_file_are_explained_and_completed_in_chinese(stage: Stage) -> None:
    text = """{ "permissions": { "askBeatsAllow": true }, "model": { "na" } }"""
    path = stage.write(".pilotfish/settings.json", text)
    stage.editor.open(path)

    def at(word: str) -> dict[str, object]:
        place = {"line": 0, "character": text.index(word) + 1}
        return {"textDocument": {"uri": path.as_uri()}, "position": place}

    hover = await stage.client.request("textDocument/hover", at("askBeatsAllow"))
    assert "匹配的询问规则是否优先于所有允许规则。" in hover["contents"]["value"]
    assert "默认值：false。" in hover["contents"]["value"]
    found = await stage.client.request("textDocument/completion", at("na"))
    [name] = [one for one in found["items"] if one["label"] == "name"]
    assert name["documentation"].startswith("使用的模型：")
    assert name["detail"] == "默认值：由提供方决定"


async def test_a_question_about_a_dangerous_command_says_why_in_chinese(stage: Stage) -> None:
    stage.play([Turn([ToolUse("Bash", {"command": "rm -r build"})]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("Go")
    question = await chat.question()
    assert question.meta["reason"].startswith("请注意：rm 可能删除")
    question.answer("reject_once")
    await prompt.stop_reason()


async def test_commands_and_their_answers_are_chinese(stage: Stage) -> None:
    chat = await stage.chat()
    clear = await stage.client.wait_until(lambda: chat.commands().get("clear"), "the command")
    assert clear["description"] == "重新开始：模型忘记对话"
    await chat.ask("/clear")
    updates = (await chat.snapshot())["updates"]
    texts = [one["update"].get("content", {}).get("text") for one in updates]
    assert "模型已忘记对话。文件、设置和历史记录保留。" in texts


async def test_a_refused_request_says_why_in_chinese(stage: Stage) -> None:
    with pytest.raises(WireError, match="没有打开的会话 'none'"):
        await stage.client.request("session/prompt", {"sessionId": "none", "prompt": []})


async def test_skills_are_listed_and_told_about_in_chinese(stage: Stage) -> None:
    stage.write(
        ".pilotfish/skills/greet/SKILL.md",
        "---\ndescription: Greets. Politely.\npaths: '*.py'\nuser-invocable: false\n---\nHello.",
    )
    chat = await stage.chat()
    described = await stage.client.wait_until(lambda: chat.commands().get("init"), "the command")
    assert described["description"].startswith("为此项目编写 PILOTFISH.md，")
    assert described["input"]["hint"] == "[应强调的内容]"
    await chat.ask("/skills")
    lines = chat.answers()[-1]["content"]["text"].splitlines()
    assert lines[0] == "技能："
    greet = lines.index("- `/greet`（项目的）：Greets. Politely.")
    assert lines[greet + 1 : greet + 3] == [
        "  - 处理过类似 `*.py` 的文件后才可用",
        "  - 仅供模型使用",
    ]
    assert "- `/git-workflow`（Pilotfish 自带）：把工作整洁地纳入 git。" in "\n".join(lines)
    await chat.ask("/skills info init")
    text = chat.answers()[-1]["content"]["text"]
    assert text.startswith("**init**：为此项目编写 PILOTFISH.md，")
    assert "（Pilotfish 自带）\n- 参数：[应强调的内容]\n- 版本：1.0" in text


async def test_what_can_be_chosen_of_a_model_is_described_in_chinese(stage: Stage) -> None:
    where = str(stage.project)
    answer = await stage.client.request("session/new", {"cwd": where, "mcpServers": []})
    found = {one["id"]: one["options"] for one in answer["configOptions"]}
    names = [one["name"] for one in found["effort"]]
    assert names == ["默认强度", "低强度", "中等强度", "高强度", "极高强度", "最高强度"]
    described = [one["description"] for one in found["model"]]
    assert described
    assert all(
        re.fullmatch(r"[\d,]+k 令牌，每百万令牌：输入 \$[\d.]+，输出 \$[\d.]+", one)
        for one in described
    ), described
