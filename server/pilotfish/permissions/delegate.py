"""The tools of the mode ``delegate``.

Owns: which tools coordinate; in that mode there are no others.
Does not own: taking the others out of the model's list (``session.permission_source``).
"""

_COORDINATING = frozenset(
    {"Agent", "SendMessage", "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate",
     "TaskOutput", "TaskStop", "AskUserQuestion", "ToolSearch", "EnterPlanMode", "ExitPlanMode"}
)  # fmt: skip


def coordinates(tool: str) -> bool:
    """Tell whether a tool hands out work or talks about it, and does none itself."""
    return tool in _COORDINATING
