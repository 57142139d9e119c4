"""What is typed behind a slash, and what Pilotfish itself answers to it, in Chinese."""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

COMMANDS: dict[str, str] = {
    "Show what can be typed behind a slash": "显示斜杠后可以输入的内容",
    "Begin anew: the model forgets the conversation": "重新开始：模型忘记对话",
    "Show the models, or choose one": "显示或选择模型",
    "Show how hard the model may try, or choose": "显示或选择努力程度",
    "Show the permission modes, or choose one": "显示或选择权限模式",
    "List the agents that can be started": "列出可以启动的代理",
    "List the skills, show one, or read them again": "列出技能、显示其中一个或重新读取",
    "[model]": "[模型]",
    "[effort]": "[努力程度]",
    "[mode]": "[模式]",
    "[info <name> | reload]": "[info <名称> | reload]",
    "What can be typed behind a slash:": "斜杠后可以输入：",
    "The model has forgotten the conversation. Files, settings and history stay.": "模型已忘记对话。文件、设置和历史记录保留。",
    "The model is `{0}` from the next turn on.": "从下一轮起，模型为 `{0}`。",
    "The effort is `{0}` from the next turn on.": "从下一轮起，努力程度为 `{0}`。",
    "`{0}` cannot be told how hard to try.": "无法为 `{0}` 设置努力程度。",
    "The permission mode is `{0}`.": "权限模式为 `{0}`。",
    "Permission modes:": "权限模式：",
    "Models:": "模型：",
    "Efforts:": "努力程度：",
    "Agents that can be started:": "可以启动的代理：",
    "- `/{0}`: {1*}": "- `/{0}`：{1*}",
    "- `{0}` (chosen)": "- `{0}`（已选择）",
}
