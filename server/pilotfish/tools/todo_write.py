"""The TodoWrite tool.

Owns: replacing the agent's todo list. See also: design 06 §12.2.
"""

import re
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from pilotfish.core.effects import Effects
from pilotfish.core.ids import MAIN_AGENT
from pilotfish.core.todos import TodoItem
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolResult, ToolSpec, text_result
from pilotfish.tools.descriptions import load_description

NUDGE_FROM_ITEMS = 3
"""Length of a finished list from which a step that checks the work is asked for."""


class TodoArgs(ToolArgs):
    """One item."""

    content: str = Field(min_length=1, description="What to do, as an order")
    status: Literal["pending", "in_progress", "completed"]
    activeForm: str = Field(  # noqa: N815 - the name that models know
        min_length=1, description="What is being done, for display"
    )


class TodoWriteArgs(ToolArgs):
    """Arguments of TodoWrite."""

    todos: tuple[TodoArgs, ...] = Field(description="The whole new list")


class TodoWriteTool(Tool[TodoWriteArgs]):
    """Replaces the todo list."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="TodoWrite",
        description=load_description("todo_write"),
        kind="think",
        concurrency_safe=True,  # the list is replaced in one step, with nothing awaited in between
    )
    args_type = TodoWriteArgs

    @override
    def title(self, args: TodoWriteArgs, ctx: ToolContext) -> str:
        """Return how far the list is done."""
        done = sum(todo.status == "completed" for todo in args.todos)
        return f"Todo list: {done} of {len(args.todos)} done"

    @override
    async def effects(self, args: TodoWriteArgs, ctx: ToolContext) -> Effects:
        """State that only the session's own list changes."""
        return Effects(internal=True)

    async def run(self, args: TodoWriteArgs, ctx: CallContext) -> ToolResult:
        """Replace the list; a list that is all done becomes empty."""
        items = tuple(
            TodoItem(content=each.content, status=each.status, active_form=each.activeForm)
            for each in args.todos
        )
        before = ctx.tools.todos
        all_done = bool(items) and all(item.status == "completed" for item in items)
        ctx.tools.todos = () if all_done else items
        ctx.tools.on_todos(ctx.tools.todos)
        lines = [f"The todo list now has {len(ctx.tools.todos)} items (before: {len(before)})."]
        if all_done:
            lines.append("Everything is completed, so the list was cleared.")
        is_main = ctx.tools.agent_id == MAIN_AGENT
        if all_done and is_main and lacks_verification([item.content for item in items]):
            lines.append(verification_nudge("item"))
        return text_result("\n".join(lines))


def lacks_verification(finished: Sequence[str]) -> bool:
    """Tell whether a finished list is long enough to have a step that checks the work, and has none."""
    return len(finished) >= NUDGE_FROM_ITEMS and not any(
        re.search("verif", text, re.IGNORECASE) for text in finished
    )


def verification_nudge(part: str) -> str:
    """Ask for a check of the work.

    Args:
        part: What the list is made of, such as ``item``.
    """
    return (
        f"No {part} of it verified the work. Before you report it as done, check it: run the "
        "tests, or try what was built."
    )
