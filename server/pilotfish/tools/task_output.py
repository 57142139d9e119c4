"""The TaskOutput tool.

Owns: showing the model how a background command stands; of agents ``tools.agent_tasks`` does it. See also:
design 06 §10.7, 01 §8.2.
"""

import asyncio
from typing import ClassVar

from pydantic import Field

from pilotfish.core.agents import AgentEntry
from pilotfish.core.background import BackgroundTask
from pilotfish.core.effects import Effects
from pilotfish.core.errors import SessionError
from pilotfish.core.ids import TaskId
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec, text_result
from pilotfish.tools.agent_tasks import named_agent, show_agent
from pilotfish.tools.descriptions import load_description

DEFAULT_WAIT_MS = 30_000
MAX_WAIT_MS = 600_000
"""Longest wait for the end of a command."""


class TaskOutputArgs(ToolArgs):
    """Arguments of TaskOutput."""

    task_id: str = Field(min_length=1, description="The id that Bash or Agent gave, such as bash_1")
    block: bool = Field(default=True, description="Wait for its end")
    timeout: int = Field(
        default=DEFAULT_WAIT_MS, ge=0, le=MAX_WAIT_MS, description="Longest wait in milliseconds"
    )


class TaskOutputTool(Tool[TaskOutputArgs]):
    """Shows background work."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="TaskOutput",
        description=load_description("task_output"),
        kind="read",
        concurrency_safe=True,
        aliases=("BashOutput",),
        max_result_chars=0,  # the output is cut already
    )
    args_type = TaskOutputArgs

    def title(self, args: TaskOutputArgs, ctx: ToolContext) -> str:
        """Name the work."""
        return f"Output of {named(args.task_id, ctx)}"

    async def effects(self, args: TaskOutputArgs, ctx: ToolContext) -> Effects:
        """State that only the session's own state is looked at.

        Raises:
            ToolInputError: There is no such task.
        """
        await task_of(args.task_id, ctx)
        return Effects(internal=True)

    async def run(self, args: TaskOutputArgs, ctx: CallContext) -> ToolResult:
        """Wait if asked to, and show the work."""
        background = ctx.tools.background
        task_id = TaskId(args.task_id)
        wait_s = args.timeout / 1000 if args.block else 0.0
        if wait_s > 0:
            await background.wait(task_id, wait_s)
        found = background.find(task_id)
        if found is None:
            agent = await ctx.tools.agents.recall(args.task_id)
            if agent is not None:
                return text_result(await show_agent(agent, wait_s, ctx.tools))
            return text_result(f"{args.task_id} is not remembered any more.", is_error=True)
        task, work = found
        if work is None:
            output = f"(Its output is in {task.output_path}, if it wrote any.)"
        else:
            output = await asyncio.to_thread(work.output)
        question = "" if work is None or task.status != "running" else work.waits_for_input()
        hint = f"[it looks as if it waits for input: {question!r}]" if question else ""
        background.tell(task_id)
        return text_result("\n".join(part for part in (_state(task), output, hint) if part))


async def task_of(task_id: str, ctx: ToolContext) -> BackgroundTask | AgentEntry:
    """Return a background command or an agent.

    Raises:
        ToolInputError: There is none of that id; names those that run.
    """
    found = ctx.background.find(TaskId(task_id))
    if found is not None:
        return found[0]
    try:
        agent = await ctx.agents.recall(task_id)
    except SessionError as error:
        raise ToolInputError(str(error)) from error
    if agent is not None:
        return agent
    commands = (each.task_id for each in ctx.background.running())
    running = ", ".join((*commands, *(each.agent_id for each in ctx.agents.running())))
    raise ToolInputError(
        f"There is no background task {task_id!r}. "
        + (f"Running: {running}." if running else "None runs.")
    )


def named(task_id: str, ctx: ToolContext) -> str:
    """Return background work for people; its id when it is not known."""
    found = ctx.background.find(TaskId(task_id))
    if found is not None:
        return f"{task_id}: {found[0].title}"
    agent = ctx.agents.find(task_id)
    return task_id if agent is None else named_agent(agent)


def _state(task: BackgroundTask) -> str:
    if task.status == "running":
        return f"[{task.task_id} is running: {task.title[:200]}]"
    return f"[{task.task_id} has ended ({task.status}): {task.outcome}]"
