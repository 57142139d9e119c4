"""The ExecuteTool tool.

Owns: its arguments, as the model sees them. It never runs itself: the executor puts the tool that it
names in its place before anything is judged (``tooling.executor``).
See also: design 02 §10.4.
"""

from typing import ClassVar

from pydantic import Field, JsonValue
from typing_extensions import override

from pilotfish.core.effects import Effects
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.deferred import EXECUTE_TOOL
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec
from pilotfish.tools.descriptions import load_description

_NEVER = "The tool that was named should have run in the place of this one."


class ExecuteToolArgs(ToolArgs):
    """Arguments of ExecuteTool."""

    tool_name: str = Field(min_length=1, description="Exact name of the tool")
    params: dict[str, JsonValue] = Field(
        default_factory=dict[str, JsonValue], description="The tool's arguments"
    )


class ExecuteToolTool(Tool[ExecuteToolArgs]):
    """Stands for another tool."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name=EXECUTE_TOOL, description=load_description("execute_tool"), kind="other"
    )
    args_type = ExecuteToolArgs

    @override
    def title(self, args: ExecuteToolArgs, ctx: ToolContext) -> str:
        """Return the tool's name."""
        return args.tool_name

    @override
    async def effects(self, args: ExecuteToolArgs, ctx: ToolContext) -> Effects:
        """Refuse: nothing may be judged in the place of the tool that is named.

        Raises:
            ToolInputError: Always.
        """
        raise ToolInputError(_NEVER)

    @override
    async def run(self, args: ExecuteToolArgs, ctx: CallContext) -> ToolResult:
        """Refuse, as ``effects``.

        Raises:
            ToolInputError: Always.
        """
        raise ToolInputError(_NEVER)
