"""The built-in tools, one module each with its description beside it.

Owns: what tools do. Tools state facts about a call and never allow or deny one.
Does not own: how calls are run (``tooling``), permissions, files and processes (``workspace``).
"""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from pilotfish.tooling.spec import Tool
from pilotfish.tools.ask_user_question import AskUserQuestionTool
from pilotfish.tools.bash import BashTool
from pilotfish.tools.edit import EditTool
from pilotfish.tools.enter_plan_mode import EagerEnterPlanModeTool, EnterPlanModeTool
from pilotfish.tools.execute_tool import ExecuteToolTool
from pilotfish.tools.exit_plan_mode import ExitPlanModeTool
from pilotfish.tools.glob import GlobTool
from pilotfish.tools.grep import GrepTool
from pilotfish.tools.lsp import LspTool
from pilotfish.tools.multi_edit import MultiEditTool
from pilotfish.tools.notebook_edit import NotebookEditTool
from pilotfish.tools.notebook_read import NotebookReadTool
from pilotfish.tools.read import ReadTool
from pilotfish.tools.shell_profile import Profile
from pilotfish.tools.task_list import (
    TaskCreateTool,
    TaskGetTool,
    TaskListTool,
    TaskUpdateTool,
)
from pilotfish.tools.task_output import TaskOutputTool
from pilotfish.tools.task_stop import TaskStopTool
from pilotfish.tools.todo_write import TodoWriteTool
from pilotfish.tools.tool_search import ToolSearchTool
from pilotfish.tools.worktree import EnterWorktreeTool, ExitWorktreeTool
from pilotfish.tools.write import WriteTool

_EMPTY: Mapping[str, str] = MappingProxyType({})


def builtin_tools(
    environment: Mapping[str, str] = _EMPTY,
    *,
    is_read_only: Callable[[str], bool] | None = None,
    profile: Callable[[], Awaitable[Profile]] | None = None,
    eager_to_plan: bool = False,
    shared_tasks: bool = False,
) -> tuple[Tool[Any], ...]:
    """Return the built-in tools, by name.

    Args:
        environment: What commands inherit; without it they get a plain PATH and little else.
        is_read_only: Tells whether a command changes nothing, so that it may run beside others.
        profile: Returns what the user's shell knows; None means: nothing.
        eager_to_plan: Whether the model is to propose a plan for more than large changes.
        shared_tasks: Whether what is to be done is a list on disk that agents share; else it is a
            list that one agent writes as a whole.
    """
    lists: tuple[Tool[Any], ...] = (
        (TaskCreateTool(), TaskGetTool(), TaskListTool(), TaskUpdateTool())
        if shared_tasks
        else (TodoWriteTool(),)
    )
    tools: tuple[Tool[Any], ...] = (
        AskUserQuestionTool(),
        BashTool(environment, is_read_only=is_read_only, profile=profile),
        EditTool(),
        EagerEnterPlanModeTool() if eager_to_plan else EnterPlanModeTool(),
        EnterWorktreeTool(),
        ExecuteToolTool(),
        ExitPlanModeTool(),
        ExitWorktreeTool(),
        GlobTool(),
        GrepTool(),
        LspTool(),
        MultiEditTool(),
        NotebookEditTool(),
        NotebookReadTool(),
        ReadTool(),
        TaskOutputTool(),
        TaskStopTool(),
        ToolSearchTool(),
        WriteTool(),
        *lists,
    )
    return tuple(sorted(tools, key=lambda tool: tool.spec.name))


__all__ = ["builtin_tools"]
