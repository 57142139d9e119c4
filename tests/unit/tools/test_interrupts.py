"""What the user's Stop does to a call that runs, tool by tool."""

from typing import Any

import pytest
from pilotfish.agents.tool import AgentArgs, AgentTool
from pilotfish.core.calls import InterruptBehavior
from pilotfish.skills.tool import SkillArgs, SkillTool
from pilotfish.tooling.spec import Tool, ToolArgs
from pilotfish.tools.ask_user_question import AskUserQuestionArgs, AskUserQuestionTool
from pilotfish.tools.edit import EditArgs, EditTool
from pilotfish.tools.grep import GrepArgs, GrepTool
from pilotfish.tools.lsp import LspArgs, LspTool
from pilotfish.tools.read import ReadArgs, ReadTool
from pilotfish.tools.todo_write import TodoWriteArgs, TodoWriteTool
from pilotfish.tools.write import WriteArgs, WriteTool

QUESTION = {
    "question": "Which one?",
    "header": "Which",
    "options": [{"label": "a", "description": ""}, {"label": "b", "description": ""}],
}

CASES: list[tuple[Tool[Any], type[ToolArgs], dict[str, Any], InterruptBehavior]] = [
    (WriteTool(), WriteArgs, {"file_path": "a", "content": "x"}, "block"),
    (EditTool(), EditArgs, {"file_path": "a", "old_string": "x", "new_string": "y"}, "block"),
    (TodoWriteTool(), TodoWriteArgs, {"todos": []}, "block"),
    (
        LspTool(),
        LspArgs,
        {"operation": "rename", "file_path": "a", "line": 1, "symbol": "x", "new_name": "y"},
        "block",
    ),
    (
        LspTool(),
        LspArgs,
        {"operation": "hover", "file_path": "a", "line": 1, "symbol": "x"},
        "cancel",
    ),
    (ReadTool(), ReadArgs, {"file_path": "a"}, "cancel"),
    (GrepTool(), GrepArgs, {"pattern": "a"}, "cancel"),
    (AskUserQuestionTool(), AskUserQuestionArgs, {"questions": [QUESTION]}, "cancel"),
    (AgentTool(()), AgentArgs, {"description": "look around", "prompt": "x"}, "cancel"),
    (SkillTool(""), SkillArgs, {"skill": "a"}, "cancel"),
]


@pytest.mark.parametrize(("tool", "args_type", "given", "behavior"), CASES)
def test_what_changes_something_comes_to_its_end_and_what_waits_does_not(
    tool: Tool[Any], args_type: type[ToolArgs], given: dict[str, Any], behavior: InterruptBehavior
) -> None:
    assert tool.interrupt_behavior(args_type.model_validate(given)) == behavior
