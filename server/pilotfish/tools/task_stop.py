"""The TaskStop tool.

Owns: ending background work at the model's wish. See also: design 06 §10.7, 01 §8.3.
"""

from typing import ClassVar

from pydantic import AliasChoices, Field

from pilotfish.core.agents import AgentEntry
from pilotfish.core.effects import Effects
from pilotfish.core.ids import TaskId
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec, text_result
from pilotfish.tools.agent_tasks import stop_agent, why_not_stoppable
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.task_output import named, task_of

END_WAIT_S = 12.0
"""How long to wait for the end: TERM, KILL after five seconds, and reaping."""


class TaskStopArgs(ToolArgs):
    """Arguments of TaskStop."""

    task_id: str = Field(
        min_length=1,
        description="The id that Bash or Agent gave, such as bash_1",
        validation_alias=AliasChoices("task_id", "shell_id"),
    )


class TaskStopTool(Tool[TaskStopArgs]):
    """Ends background work."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="TaskStop",
        description=load_description("task_stop"),
        kind="execute",
        aliases=("KillShell",),
    )
    args_type = TaskStopArgs

    def title(self, args: TaskStopArgs, ctx: ToolContext) -> str:
        """Name the work."""
        return f"Stop {named(args.task_id, ctx)}"

    async def effects(self, args: TaskStopArgs, ctx: ToolContext) -> Effects:
        """State that only what the session itself began is ended.

        Raises:
            ToolInputError: There is no such task, or it has ended already.
        """
        task = await task_of(args.task_id, ctx)
        if isinstance(task, AgentEntry):
            problem = why_not_stoppable(task, ctx)
            if problem:
                raise ToolInputError(problem)
        elif task.status != "running":
            raise ToolInputError(f"{task.task_id} has ended already ({task.outcome}).")
        return Effects(internal=True)

    async def run(self, args: TaskStopArgs, ctx: CallContext) -> ToolResult:
        """Stop it and wait until it is gone."""
        background = ctx.tools.background
        task_id = TaskId(args.task_id)
        found = background.find(task_id)
        agent = ctx.tools.agents.find(args.task_id) if found is None else None
        if agent is not None:
            said = await stop_agent(agent, ctx.tools)
            return text_result(said or f"{args.task_id} has ended already.", is_error=not said)
        if found is None or found[1] is None:
            return text_result(f"{args.task_id} has ended already.", is_error=True)
        found[1].stop()
        await background.wait(task_id, END_WAIT_S)
        after = background.find(task_id)
        if after is not None and after[0].status == "running":
            return text_result(f"{args.task_id} was told to end, but still runs.", is_error=True)
        background.tell(task_id)
        return text_result(f"{args.task_id} was stopped.")
