"""Titles of tool calls in Chinese, by the tool.

A tool whose titles are what it was given, such as a path or a command, is not here: that is no text
of ours, however it reads.
"""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

_CELL = {"{0} cell {1}": "{0} 单元格 {1}"}
_PLACE = {"{0} in {1}": "在 {1} 中：{0}"}

TITLES: dict[str, dict[str, str]] = {
    "AskUserQuestion": {"{0} (and {1} more)": "{0}（以及另外 {1} 个）"},
    "EnterPlanMode": {"Make a plan first": "先制定计划"},
    "EnterWorktree": {
        "Work in the worktree {0}": "在工作树 {0} 中工作",
        "Work in a worktree": "在工作树中工作",
    },
    "ExitPlanMode": {
        "Review of the plan": "审阅计划",
        "Plan: {0}": "计划：{0}",
        "Plan: untitled": "计划：无标题",
    },
    "ExitWorktree": {
        "Leave {0*} and keep it": "离开{0*}并保留它",
        "Leave {0*} and remove it": "离开{0*}并删除它",
        "the worktree": "工作树",
        "the worktree {0}": "工作树 {0} ",
        "Delete the worktree {0} for good: {1*}": "永久删除工作树 {0}：{1*}",
        "{0} uncommitted file and {1} new commit": "{0} 个未提交的文件和 {1} 个新提交",
        "{0} uncommitted file and {1} new commits": "{0} 个未提交的文件和 {1} 个新提交",
        "{0} uncommitted files and {1} new commit": "{0} 个未提交的文件和 {1} 个新提交",
        "{0} uncommitted files and {1} new commits": "{0} 个未提交的文件和 {1} 个新提交",
        "{0} uncommitted file": "{0} 个未提交的文件",
        "{0} uncommitted files": "{0} 个未提交的文件",
        "{0} new commit": "{0} 个新提交",
        "{0} new commits": "{0} 个新提交",
        "its state is unknown ({0})": "其状态未知（{0}）",
    },
    "Glob": _PLACE,
    "Grep": _PLACE,
    "LSP": {
        "definition: {0*}": "定义：{0*}",
        "references: {0*}": "引用：{0*}",
        "hover: {0*}": "说明：{0*}",
        "document symbols": "文档符号",
        "document symbols: {0*}": "文档符号：{0*}",
        "document symbols in {0}": "{0} 中的文档符号",
        "workspace symbols: {0*}": "工作区符号：{0*}",
        "implementation: {0*}": "实现：{0*}",
        "type definition: {0*}": "类型定义：{0*}",
        "incoming calls: {0*}": "调用者：{0*}",
        "outgoing calls: {0*}": "被调用者：{0*}",
        "diagnostics": "诊断",
        "diagnostics in {0}": "{0} 中的诊断",
        "rename: {0*}": "重命名：{0*}",
        "Rename {0} to {1} in {2} file": "将 {0} 重命名为 {1}（{2} 个文件）",
        "Rename {0} to {1} in {2} files": "将 {0} 重命名为 {1}（{2} 个文件）",
        **_PLACE,
    },
    "NotebookEdit": _CELL,
    "NotebookRead": _CELL,
    "SendMessage": {"To {0}: {1}": "发给 {0}：{1}"},
    "TaskCreate": {"New task: {0}": "新任务：{0}"},
    "TaskGet": {"Look at task #{0}": "查看任务 #{0}"},
    "TaskList": {"Look at the task list": "查看任务列表"},
    "TaskOutput": {"Output of {0}": "{0} 的输出"},
    "TaskStop": {"Stop {0}": "停止 {0}"},
    "TaskUpdate": {
        "Task #{0}": "任务 #{0}",
        "Task #{0}: {1*}": "任务 #{0}：{1*}",
        "pending": "待办",
        "in progress": "进行中",
        "completed": "已完成",
        "deleted": "已删除",
    },
    "TodoWrite": {"Todo list: {0} of {1} done": "待办列表：{1} 项中完成 {0} 项"},
    "ToolSearch": {"Find tools: {0}": "查找工具：{0}"},
}
