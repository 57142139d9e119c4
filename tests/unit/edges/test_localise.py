"""People read the server in their language; the model and the log read English."""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

import ast
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.edges import questions
from pilotfish.edges.localise import localise, translator
from pilotfish.edges.modes import MODES
from pilotfish.edges.notice import notice
from pilotfish.permissions.modes import SEVERAL_FILES_TEXT, SITUATION_TEXT
from pilotfish.session.transcript_store import unknown_session

chinese = translator("zh-cn")


def test_no_text_of_the_listed_places_is_missing() -> None:
    situations = {**SITUATION_TEXT, **{f"{key}s": text for key, text in SEVERAL_FILES_TEXT.items()}}
    shown = [mode[key] for mode in MODES for key in ("name", "description")]
    assert [text for text in shown if chinese(text) == text] == []
    clauses = [text.format(count=3) for text in situations.values()]
    for clause in clauses:
        sentence = f"{clause[0].upper()}{clause[1:]}."
        local = chinese(sentence, "why")
        assert local.endswith("。"), clause
        # Where the mode answers, the same stands there as a clause.
        assert chinese(f"In the mode plan: {clause}.", "why") == f"在模式 plan 下：{local}"


def in_dialogs() -> set[str]:
    """Return the texts of ``"name": …`` and ``name = …`` where options are made."""
    source = Path(questions.__file__).read_text(encoding="utf-8")
    tree = ast.parse(source)
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            found |= {
                value.value
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and key.value == "name"
                if isinstance(value, ast.Constant) and isinstance(value.value, str)
            }
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if names == ["name"] and isinstance(node.value.value, str):
                found.add(node.value.value)
    return found


def test_no_option_of_a_dialog_is_missing() -> None:
    assert len(in_dialogs()) >= 4
    assert [text for text in in_dialogs() if chinese(text) == text] == []


def test_values_are_kept_and_nested_texts_translated() -> None:
    assert chinese("Start (Accept edits)") == "开始（接受修改）"
    assert chinese("Always allow edits of a {b}.py") == "始终允许修改 a {b}.py"
    assert chinese("Always allow edits of Reject") == "始终允许修改 Reject"
    assert "8,192" in chinese(
        "The reply reached the output limit of 8,192 tokens and was cut. Ask to continue, or raise "
        "the setting model.maxTokens."
    )


def test_sentences_stand_alone() -> None:
    said = chinese("A turn is running. Stop it, or wait for its end.")
    assert said == "一轮对话正在进行。 请停止它，或等待其结束。"
    assert chinese("Something else. Send the prompt again.").startswith("Something else. 请")


@pytest.mark.parametrize(
    ("reason", "local"),
    [
        (
            "Be careful: rm can remove, overwrite, reach further or gain rights.",
            "请注意：rm 可能删除、覆盖、影响更大范围或获取权限。",
        ),
        (
            "The rule `Bash(npm:*)` of the project's settings refuses it.",
            "项目设置中的规则 `Bash(npm:*)`禁止它。",
        ),
        (
            "The command is not known to be harmless (it uses a subshell).",
            "无法确认该命令无害（它使用子 shell）。",
        ),
        (
            "It contacts a host. This needs approval, and the mode dontAsk refuses it.",
            "它会连接主机。 这需要批准，而模式 dontAsk 拒绝它。",
        ),
        ("{x} wants to be asked.", "{x}要求询问。"),
    ],
)
def test_reasons_are_translated_with_what_they_are_made_of(reason: str, local: str) -> None:
    assert chinese(reason, "why") == local


@pytest.mark.parametrize(
    ("message", "local"),
    [
        (
            "There is no open session 7. Load or create it first.",
            "没有打开的会话 7。 请先加载或创建它。",
        ),
        (
            str(unknown_session("7")),
            "没有会话 '7'。 列出会话即可查看现有的会话。",
        ),
        (
            "session/prompt has 11,000,000 bytes; the limit is 10,485,760.",
            "session/prompt 有 11,000,000 字节；上限为 10,485,760 字节。",
        ),
        (
            "A message has 11,000,000 bytes; the limit is 10,485,760.",
            "有一条消息有 11,000,000 字节；上限为 10,485,760 字节。",
        ),
        (
            "Invalid parameters of x/y: updates.0.rules.0: its closing parenthesis is missing.",
            "x/y 的参数无效：updates.0.rules.0: 缺少右括号。",
        ),
        (
            "Invalid parameters of x/y: sessionId: Field required; n: Input should be a valid integer",
            "x/y 的参数无效：sessionId: 缺少此字段; n: 应为整数",
        ),
        (
            "@a was not sent: /a may not be read. A deny rule hides it.",
            "未发送 @a：不得读取 /a。 一条拒绝规则隐藏了它。",
        ),
    ],
)
def test_refused_requests_say_why_in_chinese(message: str, local: str) -> None:
    error = localise({"id": 1, "error": {"code": 1, "message": message}}, chinese)
    assert error["error"]["message"] == local


QUESTION: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "session/request_permission",
    "params": {
        "toolCall": {"title": "Reject", "rawInput": {"name": "Reject", "command": "Plan"}},
        "options": [{"optionId": "reject_once", "name": "Reject"}],
        "_meta": {"pilotfish": {"reason": "It contacts a host.", "suggestions": []}},
    },
}


def test_a_dialog_is_translated_where_people_read_and_nowhere_else() -> None:
    params = localise(QUESTION, chinese)["params"]
    assert params["options"] == [{"optionId": "reject_once", "name": "拒绝"}]
    assert params["_meta"]["pilotfish"]["reason"] == "它会连接主机。"
    assert params["toolCall"] == QUESTION["params"]["toolCall"]
    assert QUESTION["params"]["options"][0]["name"] == "Reject"


def test_answers_and_errors_are_translated() -> None:
    modes = {"modes": {"availableModes": [{"id": "plan", "name": "Plan", "description": "x"}]}}
    answer = localise({"id": 1, "result": modes}, chinese)
    assert answer["result"]["modes"]["availableModes"][0]["name"] == "计划"
    error = localise({"id": 1, "error": {"code": 1, "message": "The prompt is empty."}}, chinese)
    assert error["error"]["message"] == "提示为空。"


def titled(tool: str, title: str) -> str:
    params = {
        "update": {"sessionUpdate": "tool_call_update", "title": title},
        "_meta": {"pilotfish": {"toolName": tool}},
    }
    said = localise({"method": "session/update", "params": params}, chinese)
    snapshot = localise({"id": 1, "result": {"updates": [params]}}, chinese)
    assert snapshot["result"]["updates"] == [said["params"]]
    return said["params"]["update"]["title"]


def test_titles_of_calls_are_translated_by_their_tool() -> None:
    assert titled("TaskList", "Look at the task list") == "查看任务列表"
    assert titled("Grep", "def .* in (.*) in src/a.py") == "在 (.*) in src/a.py 中：def .*"
    assert titled("LSP", "type definition: Order in a.py:3") == "类型定义：在 a.py:3 中：Order"
    assert titled("LSP", "Rename a to b in 3 files") == "将 a 重命名为 b（3 个文件）"
    delete = "Delete the worktree t1 for good: 1 uncommitted file and 2 new commits"
    assert titled("ExitWorktree", delete) == "永久删除工作树 t1：1 个未提交的文件和 2 个新提交"


def test_answers_of_pilotfish_are_translated_and_what_the_model_or_the_user_says_is_not() -> None:
    def said(kind: str, **meta: str) -> str:
        text = "What can be typed behind a slash:\n\n- `/clear`: Begin anew: the model forgets the conversation"
        update = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
        params = {"update": update, "_meta": {"pilotfish": meta}}
        found = localise({"method": "session/update", "params": params}, chinese)
        return found["params"]["update"]["content"]["text"]

    local = "斜杠后可以输入：\n\n- `/clear`：重新开始：模型忘记对话"
    assert said("agent_message_chunk", command="help") == local
    for kind, meta in (("agent_message_chunk", {}), ("user_message_chunk", {"command": "help"})):
        assert said(kind, **meta).startswith("What can be")


def test_what_agents_do_is_translated_by_the_tool_and_why_they_failed() -> None:
    rows = [
        {"activity": "Look at the task list", "activityTool": "TaskList", "error": ""},
        {"activity": "Look at the task list", "activityTool": "Bash", "error": ""},
        {"activity": "", "activityTool": "", "error": "x failed (500)."},
    ]
    shown = ["查看任务列表", "Look at the task list", ""]
    for key in ("agents", "foreground", "withWork"):
        said = localise({"method": "_pilotfish/agents/changed", "params": {key: rows}}, chinese)
        answer = localise({"id": 1, "result": {key: rows}}, chinese)["result"]
        assert said["params"] == answer
        assert [row["activity"] for row in answer[key]] == shown
        assert answer[key][2]["error"] == "x 失败（500）。"
    looked_into = localise({"id": 1, "result": {"row": rows[0]}}, chinese)["result"]
    assert looked_into["row"]["activity"] == shown[0]


def test_how_commands_and_agents_in_the_background_ended_is_translated() -> None:
    def update(key: str, outcome: str) -> dict[str, Any]:
        meta = {"pilotfish": {key: {"outcome": outcome}}}
        params = {"update": {"sessionUpdate": "session_info_update"}, "_meta": meta}
        sent = localise({"method": "session/update", "params": params}, chinese)
        return sent["params"]["_meta"]["pilotfish"][key]

    assert update("task", "exit code 2") == {"outcome": "退出代码 2"}
    assert update("task", "ended by signal 9") == {"outcome": "被信号 9 终止"}
    assert update("agent", "The agent still runs.") == {"outcome": "代理仍在运行。"}
    assert update("agent", "what a model said") == {"outcome": "what a model said"}


def test_decisions_are_listed_with_the_titles_of_their_calls() -> None:
    made = [{"tool": "TaskList", "title": "Look at the task list", "reason": "It contacts a host."}]
    said = localise({"id": 1, "result": {"decisions": made}}, chinese)["result"]["decisions"]
    assert said == [{"tool": "TaskList", "title": "查看任务列表", "reason": "它会连接主机。"}]


def test_files_that_are_left_alone_say_why_in_chinese() -> None:
    refused = [
        {"path": "/a", "reason": "Both trees changed the same lines; compare with /t/a."},
        {"path": "/b", "reason": "/b cannot be read: no access. Compare with /t/b by hand."},
    ]
    said = localise({"id": 1, "result": {"refused": refused}}, chinese)["result"]["refused"]
    assert said[0]["reason"] == "两个工作树更改了相同的行；请与 /t/a 比较。"
    assert said[1]["reason"] == "无法读取 /b：no access。 请手动与 /t/b 比较。"


@pytest.mark.parametrize("tool", ["Bash", "PowerShell", "Read", "Edit", "mcp__a__b"])
def test_commands_and_paths_are_no_texts_of_ours(tool: str) -> None:
    for title in ("Look at the task list", "a in b", "Reject", "Stop x"):
        assert titled(tool, title) == title


def test_the_title_of_a_question_is_translated_and_its_command_is_not() -> None:
    def asked(tool: str) -> Any:
        params = {
            "toolCall": {"title": "Stop x", "rawInput": {"command": "Stop x"}},
            "_meta": {"pilotfish": {"toolName": tool}},
        }
        in_inbox = localise({"id": 1, "result": {"questions": [{"request": params}]}}, chinese)
        said = localise({"method": "session/request_permission", "params": params}, chinese)
        assert in_inbox["result"]["questions"][0]["request"] == said["params"]
        return said["params"]["toolCall"]

    assert asked("TaskStop") == {"title": "停止 x", "rawInput": {"command": "Stop x"}}
    assert asked("Bash")["title"] == "Stop x"


def test_the_doctors_report_is_translated_line_by_line() -> None:
    checks = [
        {"name": "model", "value": "opus-x at https://x.test (key from KEY)", "problem": ""},
        {"name": "settings", "value": "1 rule, folder not trusted", "problem": "a.json:3: x\ny"},
        {"name": "agents", "value": "4, 2 in a folder that is not trusted", "problem": ""},
        {"name": "state", "value": "none", "problem": "The prompt is empty."},
    ]
    said = localise({"id": 1, "result": {"checks": checks}}, chinese)["result"]["checks"]
    assert [one["name"] for one in said] == [one["name"] for one in checks]
    assert said[0]["value"] == "https://x.test 上的 opus-x（密钥来自 KEY）"
    assert (said[1]["value"], said[1]["problem"]) == ("1 条规则，文件夹不受信任", "a.json:3: x\ny")
    assert said[2]["value"] == "4，2 个位于不受信任的文件夹"
    assert said[3] == {"name": "state", "value": "无", "problem": "提示为空。"}


def test_what_pilotfish_says_in_a_conversation_is_translated_and_the_models_words_are_not() -> None:
    params = notice("s", "Trying again in 8 s.")
    told = localise({"method": "session/update", "params": params}, chinese)
    assert told["params"]["update"]["content"]["text"] == "\n\n[Pilotfish] 8 秒后重试。\n\n"
    by_the_model: dict[str, Any] = {"method": "session/update", "params": params | {"_meta": 0}}
    assert localise(by_the_model, chinese) == by_the_model


def test_long_texts_stay_as_they_are() -> None:
    long = "Always allow edits of " + "x" * 5000
    assert chinese(long) == long


@pytest.mark.parametrize("locale", ["en", "de-DE", None, 7])
def test_everybody_else_reads_english(locale: object) -> None:
    assert localise(QUESTION, translator(locale)) is QUESTION


@given(
    st.recursive(st.text() | st.none(), lambda one: st.lists(one) | st.dictionaries(st.text(), one))
)
def test_no_message_is_too_strange(value: object) -> None:
    localise({"method": "session/update", "params": value}, chinese)
    localise({"id": 1, "result": value}, chinese)
