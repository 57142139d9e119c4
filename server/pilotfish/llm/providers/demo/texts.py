"""What the demo says about itself, in English or Chinese as it is spoken to.

Owns: the help text. Does not own: what the tasks say on their way, which is English.
"""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

import re

TASK_PROMPTS = (
    "Fix the failing test",
    "Add a function for loyalty points, with a test",
    "Rename fmt to format_pence everywhere",
)
"""Prompts that the demo can play, as the example's README lists them."""

_HOW_TO = """\
To work with a real model, configure one:

- Anthropic's models: in VS Code run the command “Pilotfish: Set API Key”; elsewhere set \
`ANTHROPIC_API_KEY` (or `ANTHROPIC_AUTH_TOKEN`) in the environment.
- Any other server that speaks the Anthropic Messages API, for example one on this machine: the \
setting `pilotfish.model.baseUrl`, or `ANTHROPIC_BASE_URL` in the environment, such as \
`http://127.0.0.1:8080`. It needs a key only if the server asks for one.

Then run “Pilotfish: Restart Server”, or in a terminal \
`ANTHROPIC_API_KEY=… pilotfish run "your prompt"`."""

_TASKS = "\n".join(f"{number}. `{prompt}`" for number, prompt in enumerate(TASK_PROMPTS, 1))

_HELP = f"""\
This is Pilotfish's built-in demo, not a language model: no model is configured. The demo can play \
three tasks in the example workspace, with real tools on real files:

{_TASKS}

It cannot answer anything else.

{_HOW_TO}"""

NOT_THE_EXAMPLE = f"""\
This folder is not Pilotfish's example workspace, and the built-in demo, which is no language model, \
can only play its tasks there. I have changed nothing. Open the folder `server/example` of \
Pilotfish to see them.

{_HOW_TO}"""
"""The answer to a task's prompt in any other folder; tasks are asked for in English."""

_HOW_TO_CHINESE = """\
要使用真正的模型，请配置一个：

- Anthropic 的模型：在 VS Code 中运行命令“Pilotfish: 设置 API 密钥”；在其他地方，请在环境中设置 `ANTHROPIC_API_KEY`\
（或 `ANTHROPIC_AUTH_TOKEN`）。
- 兼容 Anthropic Messages API 的其他服务器，例如本机上的服务器：设置 `pilotfish.model.baseUrl`，或环境中的 \
`ANTHROPIC_BASE_URL`，例如 `http://127.0.0.1:8080`。只有服务器要求时才需要密钥。

然后运行“Pilotfish: 重启服务器”，或在终端中运行 `ANTHROPIC_API_KEY=… pilotfish run "您的提示"`。"""

_HELP_CHINESE = f"""\
这是 Pilotfish 的内置演示，不是语言模型：尚未配置模型。演示可以在示例工作区中用真实的工具对真实的文件完成三个任务，\
请照原文输入：

{_TASKS}

除此之外，它无法回答任何问题。

{_HOW_TO_CHINESE}"""

_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def help_for(prompt: str) -> str:
    """Return the answer to a prompt that is not one of the tasks."""
    return _HELP_CHINESE if _CHINESE.search(prompt) else _HELP
